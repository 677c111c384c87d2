//! A call over HTTP: judged while its request waits, and sent on by that request if it may.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::{HeaderMap, Response};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use tokio::sync::oneshot;

use super::asking::Ways;
use super::forward::Carry;
use super::gateway::can_elicit;
use super::http::{Flow, MISMATCH, Proxy, plain, refused, words};
use super::http_dialog;
use super::http_dialog::{Waiting, Waits};
use super::http_headers::arguments_fit;
use super::http_pass::Asked;
use super::message;
use super::message::{CALL, Id, Refused};
use super::open_calls::{About, Open, Walk};
use super::replies;
use super::upstream::{Answer, Peer};

/// So many calls may be open.
const MOST_OPEN: usize = 256;
/// The session of a client, by the server.
pub(super) const SESSION: &str = "mcp-session-id";

/// Wakes the request of a call that may go on.
#[derive(Default)]
pub(super) struct Way(Mutex<HashMap<String, oneshot::Sender<Vec<u8>>>>);

impl Way {
    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Way {
    /// Nobody lets that call go on any more.
    pub(super) fn forget(&self, call: &str) {
        self.waiting().remove(call);
    }
}

impl Carry for Way {
    fn carry(&self, open: &Open, line: &[u8]) -> Result<(), String> {
        let gone = || "the client is gone".to_owned();
        let request = self.waiting().remove(&open.call).ok_or_else(gone)?;
        request.send(line.to_vec()).map_err(|_| gone())
    }
}

/// An id of a client among those of all clients.
pub(super) fn keyed(headers: &HeaderMap, id: &Id) -> Id {
    let session = headers
        .get(SESSION)
        .and_then(|session| session.to_str().ok())
        .unwrap_or_default();
    Id::text(&format!("{session}\n{}", id.json()))
}

/// A denial: of a call it is a result that the model reads, and of anything else an error.
fn denial(id: &Id, why: &str, is_modern: bool, is_call: bool) -> Vec<u8> {
    if is_call {
        replies::denied(id, why, is_modern)
    } else {
        replies::denied_request(id, why)
    }
}

/// How a call was decided.
pub(super) enum Decided {
    Denied(Vec<u8>),
    Sent(Result<Answer, String>),
}

#[allow(
    clippy::too_many_arguments,
    reason = "a request has that many parts, and they are used in one place"
)]
pub(super) async fn call(
    proxy: &Arc<Proxy>,
    peer: &Arc<Peer>,
    target: &str,
    headers: HeaderMap,
    id: &Id,
    method: &str,
    mut params: Node,
    body: Vec<u8>,
) -> Response<Flow> {
    let takes_events = headers.get_all("accept").iter().any(|kinds| {
        kinds
            .to_str()
            .is_ok_and(|kinds| kinds.contains("text/event-stream"))
    });
    let all = if method == CALL {
        None
    } else {
        Some((method.to_owned(), params.clone()))
    };
    let (tool, arguments) = match all.map_or_else(|| message::tool_call(&mut params), Ok) {
        Ok(call) => call,
        Err(why) => {
            return refused(
                200,
                &Refused {
                    id: Some(id.clone()),
                    code: message::BAD_PARAMS,
                    why,
                },
            );
        }
    };
    let (tool, params) = (tool.as_str(), &params);
    let meta = params.get("_meta");
    let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    let is_modern = version.is_some();
    if let Some(token) = params
        .get("requestState")
        .and_then(Node::as_text)
        .filter(|token| token.starts_with("sayso-"))
    {
        return http_dialog::retry(
            proxy,
            token,
            id,
            (tool, &arguments),
            params,
            body,
            takes_events,
        )
        .await;
    }
    let Some(catalogue) = peer.catalogue().map(Arc::clone) else {
        return words(502, "nobody knows which server it is for");
    };
    if method == CALL
        && let Err(why) = arguments_fit(&headers, &arguments, catalogue.schema(tool).as_ref())
    {
        return refused(
            400,
            &Refused {
                id: Some(id.clone()),
                code: MISMATCH,
                why,
            },
        );
    }
    let (key, number) = (keyed(&headers, id), proxy.judge.next_id());
    // Without a session nobody can tell two clients apart.
    let key = if headers.contains_key(SESSION) {
        key
    } else {
        Id::text(&number)
    };
    if proxy.calls.has(&key) {
        let why = "the id is that of a call that is still open".to_owned();
        return refused(
            400,
            &Refused {
                id: Some(id.clone()),
                code: message::NO_REQUEST,
                why,
            },
        );
    }
    let is_call = method == CALL;
    let denied = |why: &str| denial(id, why, is_modern, is_call);
    let bench = match proxy.judge.bench() {
        Ok(bench) => bench,
        Err(why) => {
            return plain(
                200,
                "application/json",
                denied(&format!("denied: {why}. nothing was changed")),
            );
        }
    };
    let listed = bench
        .settings
        .mcp_elicitation
        .contains(&proxy.judge.who.client);
    proxy.asks.set_ways(Ways {
        elicits: listed,
        starts_inbox: bench.settings.hooks_start,
    });
    let elicits = match version {
        Some(version) => can_elicit(
            meta.and_then(|meta| meta.get("io.modelcontextprotocol/clientCapabilities")),
            Some(version),
        ),
        // Only on a stream can a client be asked before it has its answer.
        None => proxy.sessions.elicits(&headers).filter(|_| takes_events),
    };
    let known = catalogue.called(tool, &arguments);
    let judged = proxy.judge.call(number.clone(), tool, arguments, known);
    let what = is_modern.then(|| Digest::of_node(&judged.args));
    let state = params.get("requestState").and_then(Node::as_text);
    let about = About {
        is_modern,
        elicits,
        known_as: Mutex::new(Some(id.clone())),
        catalogue: Some(Arc::clone(&catalogue)),
        goes_on: state
            .zip(what)
            .is_some_and(|(state, what)| proxy.asks.goes_on(state, what)),
        what,
        ..About::default()
    };
    let mut asked = Asked::request(&headers, peer, id, None);
    asked.what = what;
    let open = Arc::new(Open::new(number.clone(), key.clone(), body, about));
    let (go, may_go) = oneshot::channel();
    proxy.way.waiting().insert(number.clone(), go);
    proxy.calls.add(&open);
    if !proxy.calls.hold(&open, MOST_OPEN) {
        proxy.calls.remove(&open);
        proxy.way.forget(&number);
        return plain(
            200,
            "application/json",
            denied(&format!(
                "denied: {MOST_OPEN} calls are open already. nothing was changed"
            )),
        );
    }
    let spoken = proxy.dialogs.listen(&number);
    let waits = Waits::new(proxy, &open);
    let gate = Arc::clone(&bench.gate);
    let walk: Walk = Box::pin(async move { gate.call(judged).await });
    let (own, over) = (Arc::clone(&open), Arc::clone(proxy));
    // It goes on beside the request: what was sent has an end also if the client is gone.
    let walked = tokio::spawn(async move {
        let finished = own.unless_cancelled(walk).await;
        over.calls.remove(&own);
        // What was not let go on by now never is.
        over.way.forget(&own.call);
        over.dialogs.forget(&own.call);
        finished.map(|finished| finished.message)
    });
    let (proxy, target, id) = (Arc::clone(proxy), target.to_owned(), id.clone());
    let (tell, told) = oneshot::channel();
    let (own, peer) = (Arc::clone(&proxy), Arc::clone(peer));
    tokio::spawn(async move {
        let decided = match may_go.await {
            Ok(line) => Decided::Sent(
                own.upstream
                    .send(&peer, "POST", &target, &headers, line)
                    .await,
            ),
            // Nobody let it go on, so it is over.
            Err(_) => {
                let message =
                    walked.await.ok().flatten().unwrap_or_else(|| {
                        "denied: it was taken back. nothing was changed".to_owned()
                    });
                Decided::Denied(denial(&open.answers(), &message, is_modern, is_call))
            }
        };
        let _ = tell.send(decided);
    });
    http_dialog::settled(
        &proxy,
        Waiting {
            told,
            spoken,
            waits,
            key,
            id,
            is_modern,
            asked,
        },
        takes_events,
    )
    .await
}
