//! A call over HTTP: its request waits while it is judged, and takes it to the server if it may go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::{HeaderMap, Response};
use sayso_core::text::node::Node;
use sayso_gate::ports::Later;
use tokio::sync::{mpsc, oneshot};

use super::http::{Flow, MISMATCH, Proxy, refused, words};
use super::http_dialog;
use super::http_dialog::{Waiting, Waits};
use super::http_headers::arguments_fit;
use super::http_pass::Asked;
use super::message::{CALL, Id, Refused};
use super::open_calls::Open;
use super::tool_calls::{Carrier, Origin, Request};
use super::upstream::{Answer, Peer, Upstream};
use crate::error::UpstreamError;
use crate::rpc::drive_call::SendError;

/// The session of a client, by the server.
pub(super) const SESSION: &str = "mcp-session-id";

/// An id of a client among those of all clients.
pub(super) fn keyed(headers: &HeaderMap, id: &Id) -> Id {
    let session = headers
        .get(SESSION)
        .and_then(|session| session.to_str().ok())
        .unwrap_or_default();
    Id::text(&format!("{session}\n{}", id.json()))
}

/// What came of a call, for the request that waits for it.
pub(super) enum Decided {
    Denied(Vec<u8>),
    Sent(Result<Answer, UpstreamError>),
}

/// Where a message goes.
pub(super) struct Place {
    pub peer: Arc<Peer>,
    pub target: String,
    pub headers: HeaderMap,
}

/// A request whose call is not decided yet.
struct Undecided {
    place: Place,
    tell: oneshot::Sender<Decided>,
    asks: mpsc::UnboundedSender<Vec<u8>>,
}

/// The way of messages over HTTP.
pub(super) struct Requests {
    pub upstream: Arc<Upstream>,
    undecided: Mutex<HashMap<String, Undecided>>,
    /// Calls whose clients went to ask.
    parked: Mutex<HashMap<String, Waiting>>,
}

impl Requests {
    pub(super) fn new(upstream: Upstream) -> Requests {
        Requests {
            upstream: Arc::new(upstream),
            undecided: Mutex::default(),
            parked: Mutex::default(),
        }
    }

    fn undecided(&self) -> MutexGuard<'_, HashMap<String, Undecided>> {
        self.undecided
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, call: &str) -> Option<Undecided> {
        self.undecided().remove(call)
    }

    pub(super) fn parked(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is decided on a call, and what its client is asked before.
    fn listen(
        &self,
        call: &str,
        place: Place,
    ) -> (oneshot::Receiver<Decided>, mpsc::UnboundedReceiver<Vec<u8>>) {
        let ((tell, told), (asks, asked)) = (oneshot::channel(), mpsc::unbounded_channel());
        let request = Undecided { place, tell, asks };
        self.undecided().insert(call.to_owned(), request);
        (told, asked)
    }

    /// No request waits for that call any more.
    pub(super) fn forget(&self, call: &str) {
        drop(self.take(call));
    }
}

impl Carrier for Requests {
    fn send(&self, open: &Open, line: Vec<u8>) -> Result<(), SendError> {
        let request = self.take(&open.call).filter(|one| !one.tell.is_closed());
        let Undecided { place, tell, .. } = request.ok_or(SendError::ClientGone)?;
        let upstream = Arc::clone(&self.upstream);
        tokio::spawn(async move {
            let answer = upstream.send(&place, "POST", line).await;
            // A client that is gone has ended the call.
            let _ = tell.send(Decided::Sent(answer));
        });
        Ok(())
    }

    fn answer(&self, open: &Open, line: Vec<u8>) {
        if let Some(request) = self.take(&open.call) {
            let _ = request.tell.send(Decided::Denied(line));
        }
    }

    fn ask(&self, open: &Open, line: Vec<u8>) {
        if let Some(request) = self.undecided().get(&open.call) {
            // A client that is gone has taken its question along.
            let _ = request.asks.send(line);
        }
    }

    fn wait(&self, waiting: Later<'static, ()>) -> std::io::Result<()> {
        tokio::spawn(waiting);
        Ok(())
    }

    fn decided(&self, open: &Open) {
        self.forget(&open.call);
        let parked = self.parked().remove(&open.call);
        drop(parked);
    }
}

/// A request that is judged.
pub(super) async fn call(
    proxy: &Arc<Proxy>,
    place: Place,
    id: Id,
    method: &str,
    params: Node,
    body: Vec<u8>,
) -> Response<Flow> {
    let (headers, peer) = (&place.headers, &place.peer);
    let takes_events = headers.get_all("accept").iter().any(|kinds| {
        kinds
            .to_str()
            .is_ok_and(|kinds| kinds.contains("text/event-stream"))
    });
    let request = match Request::read(id, method, params, body) {
        Ok(request) => request,
        Err(why) => return refused(200, &why),
    };
    if request.answers().is_some() {
        return http_dialog::retry(proxy, request, takes_events).await;
    }
    let Some(catalogue) = peer.catalogue().map(Arc::clone) else {
        return words(502, "nobody knows which server it is for");
    };
    let is_call = method == CALL;
    if is_call
        && let Err(why) = arguments_fit(
            headers,
            &request.arguments,
            catalogue.schema(&request.tool).as_ref(),
        )
    {
        let (id, code) = (Some(request.id), MISMATCH);
        return refused(400, &Refused { id, code, why });
    }
    let mut asked = Asked::request(headers, peer, &request.id, None);
    let origin = Origin {
        // Without a session, two clients cannot be told apart.
        key: headers
            .contains_key(SESSION)
            .then(|| keyed(headers, &request.id)),
        is_call,
        // Only on a stream can a client be asked before it has its answer.
        elicits: proxy.sessions.elicits(headers).filter(|_| takes_events),
        is_only_client: false,
    };
    let (open, call) = match proxy.tools.begin(request, origin, &catalogue) {
        Ok(begun) => begun,
        Err(why) => return refused(400, &why),
    };
    asked.what = open.about.what;
    let (told, spoken) = proxy.requests.listen(&open.call, place);
    let waiting = Waiting {
        told,
        spoken,
        waits: Waits::new(proxy, &open),
        asked,
    };
    proxy.tools.judge(&open, call);
    http_dialog::settled(proxy, waiting, takes_events).await
}
