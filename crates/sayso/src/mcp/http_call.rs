//! A call over HTTP: judged while its request waits, and sent on by that request if it may.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::{HeaderMap, Response};
use sayso_core::node::Node;
use sayso_gate::ports::Ran;
use tokio::sync::oneshot;

use super::asking::Ways;
use super::courier::Carry;
use super::http::{Flow, Proxy, plain, refused};
use super::message::{self, CALL, Id, Refused};
use super::open::{About, Open, Walk};
use super::replies;
use super::upstream::Answer;

/// A call that is not decided by then is answered with a stream, so that the client knows that it waits.
const SOON: Duration = Duration::from_secs(1);
/// So many calls may be open.
const MOST_OPEN: usize = 256;
/// The session of a client, by the server.
const SESSION: &str = "mcp-session-id";

/// Wakes the request of a call that may go on.
#[derive(Default)]
pub(super) struct Way(Mutex<HashMap<String, oneshot::Sender<Vec<u8>>>>);

impl Way {
    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    let session = headers.get(SESSION).and_then(|session| session.to_str().ok()).unwrap_or_default();
    Id::text(&format!("{session}\n{}", id.json()))
}

/// Takes a call back when its request is gone.
pub(super) struct Waits {
    proxy: Arc<Proxy>,
    open: Arc<Open>,
    is_decided: bool,
}

impl Waits {
    /// Nothing is taken back any more.
    pub(super) fn decided(mut self) {
        self.is_decided = true;
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.proxy.way.waiting().remove(&self.open.call);
        if !self.is_decided {
            self.open.cancel();
        }
    }
}

/// How a call was decided.
pub(super) enum Decided {
    Denied(Vec<u8>),
    Sent(Result<Answer, String>),
}

pub(super) async fn call(
    proxy: &Arc<Proxy>,
    target: &str,
    headers: HeaderMap,
    id: &Id,
    method: &str,
    params: &Node,
    body: Vec<u8>,
) -> Response<Flow> {
    let (tool, arguments) = match message::tool_call(params) {
        Ok(call) => call,
        Err(_) if method != CALL => (method, params.clone()),
        Err(why) => return refused(200, &Refused { id: Some(id.clone()), code: message::BAD_PARAMS, why }),
    };
    let tool = if method == CALL { tool } else { method };
    let is_modern = params.get("_meta").is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some());
    let (key, number) = (keyed(&headers, id), proxy.judge.next_id());
    // Without a session nobody can tell two clients apart.
    let key = if headers.contains_key(SESSION) { key } else { Id::text(&number) };
    if proxy.calls.has(&key) {
        let why = "the id is that of a call that is still open".to_owned();
        return refused(400, &Refused { id: Some(id.clone()), code: message::NO_REQUEST, why });
    }
    let denied = |why: &str| replies::denied(id, why, is_modern);
    let bench = match proxy.judge.bench() {
        Ok(bench) => bench,
        Err(why) => return plain(200, "application/json", denied(&format!("denied: {why}. nothing was changed"))),
    };
    proxy.asks.set_ways(Ways { elicits: false, starts_inbox: bench.settings.hooks_start });
    let open = Arc::new(Open::new(number.clone(), key.clone(), body, About { is_modern, ..About::default() }));
    let (go, may_go) = oneshot::channel();
    proxy.way.waiting().insert(number.clone(), go);
    proxy.calls.add(&open);
    if !proxy.calls.hold(&open, MOST_OPEN) {
        return plain(200, "application/json", denied(&format!("denied: {MOST_OPEN} calls are open already. nothing was changed")));
    }
    let waits = Waits { proxy: Arc::clone(proxy), open: Arc::clone(&open), is_decided: false };
    let judged = proxy.judge.call(number, tool, arguments, proxy.catalogue.identity(tool));
    let gate = Arc::clone(&bench.gate);
    let walk: Walk = Box::pin(async move { gate.call(judged).await });
    let (own, over) = (Arc::clone(&open), Arc::clone(proxy));
    // It goes on beside the request: what was sent has an end also if the client is gone.
    let walked = tokio::spawn(async move {
        let finished = own.unless_cancelled(walk).await;
        over.calls.remove(&own);
        // What was not let go on by now never is.
        over.way.waiting().remove(&own.call);
        finished.map(|finished| finished.message)
    });
    let (proxy, target, id) = (Arc::clone(proxy), target.to_owned(), id.clone());
    let takes_events = headers.get_all("accept").iter().any(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/event-stream")));
    let (tell, mut told) = oneshot::channel();
    let (own, words) = (Arc::clone(&proxy), id.clone());
    tokio::spawn(async move {
        let decided = match may_go.await {
            Ok(line) => Decided::Sent(own.upstream.send("POST", &target, &headers, line).await),
            // Nobody let it go on, so it is over.
            Err(_) => {
                let message = walked.await.ok().flatten().unwrap_or_else(|| "denied: it was taken back. nothing was changed".to_owned());
                Decided::Denied(replies::denied(&words, &message, is_modern))
            }
        };
        let _ = tell.send(decided);
    });
    let decided = match tokio::time::timeout(if takes_events { SOON } else { Duration::MAX }, &mut told).await {
        Ok(decided) => {
            decided.unwrap_or_else(|_| Decided::Denied(replies::denied(&id, "denied: sayso broke. nothing was changed", is_modern)))
        }
        Err(_) => return proxy.streamed(told, waits, key, id, is_modern),
    };
    waits.decided();
    match decided {
        Decided::Denied(line) => plain(200, "application/json", line),
        Decided::Sent(Ok(answer)) => proxy.passed(answer, Some(key)),
        Decided::Sent(Err(why)) => {
            proxy.calls.land(&key, Ran::failed(why.clone()));
            plain(200, "application/json", replies::denied(&id, &why, is_modern))
        }
    }
}
