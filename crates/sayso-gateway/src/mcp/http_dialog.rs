//! A call over HTTP while somebody is asked: its request waits, the client's own dialog may be what asks, and the call may come again with the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::{HeaderMap, Response};
use sayso_core::text::node::Node;
use sayso_gate::ports::Ran;
use tokio::sync::{mpsc, oneshot};

use super::asking::Speak;
use super::gateway::without_answer;
use super::http::{Flow, Proxy, plain, refused};
use super::http_call::{Decided, SESSION};
use super::http_pass::Asked;
use super::message::{BAD_PARAMS, Id, Refused, operation_args};
use super::open_calls::Open;
use super::replies;

/// A call that is not decided by then is answered with a stream, so that the client knows that it waits.
const SOON: Duration = Duration::from_secs(1);
/// So many sessions are known; when there are more, all are forgotten, and nobody is asked by their dialogs.
const MOST_SESSIONS: usize = 10_000;

/// What clients said they can when their sessions began.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Option<bool>>>);

impl Sessions {
    /// A session begins.
    pub(super) fn begin(&self, session: &str, elicits: Option<bool>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_SESSIONS {
            all.clear();
        }
        all.insert(session.to_owned(), elicits);
    }

    /// Whether the client of this session can ask its person, and how.
    pub(super) fn elicits(&self, headers: &HeaderMap) -> Option<bool> {
        let session = headers.get(SESSION)?.to_str().ok()?;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(session)
            .copied()
            .flatten()
    }
}

/// The streams that questions go out on, and the calls whose clients went to ask.
#[derive(Default)]
pub(super) struct Dialogs {
    streams: Mutex<HashMap<String, mpsc::UnboundedSender<Vec<u8>>>>,
    parked: Mutex<HashMap<String, Waiting>>,
}

impl Dialogs {
    /// What is said about this call.
    pub(super) fn listen(&self, call: &str) -> mpsc::UnboundedReceiver<Vec<u8>> {
        let (to, from) = mpsc::unbounded_channel();
        self.streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(call.to_owned(), to);
        from
    }

    fn parked(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call is over.
    pub(super) fn forget(&self, call: &str) {
        self.streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(call);
        let parked = self.parked().remove(call);
        drop(parked);
    }
}

impl Speak for Dialogs {
    fn speak(&self, open: &Open, line: Vec<u8>) {
        if let Some(to) = self
            .streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&open.call)
        {
            // A client that is gone has taken its question along.
            let _ = to.send(line);
        }
    }
}

/// Takes a call back when its request is gone.
pub(super) struct Waits {
    proxy: Arc<Proxy>,
    open: Arc<Open>,
    is_decided: bool,
}

impl Waits {
    pub(super) fn new(proxy: &Arc<Proxy>, open: &Arc<Open>) -> Waits {
        Waits {
            proxy: Arc::clone(proxy),
            open: Arc::clone(open),
            is_decided: false,
        }
    }

    /// Nothing is taken back any more.
    pub(super) fn decided(mut self) {
        self.is_decided = true;
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if !self.is_decided {
            self.proxy.way.forget(&self.open.call);
            self.open.cancel();
        }
    }
}

/// A request that waits for its call to be decided.
pub(super) struct Waiting {
    pub told: oneshot::Receiver<Decided>,
    pub spoken: mpsc::UnboundedReceiver<Vec<u8>>,
    pub waits: Waits,
    pub key: Id,
    pub id: Id,
    pub is_modern: bool,
    pub asked: Asked,
}

impl Waiting {
    /// The client went to ask its person, and comes again.
    pub(super) fn park(self) {
        let (proxy, call) = (Arc::clone(&self.waits.proxy), self.waits.open.call.clone());
        let before = proxy.dialogs.parked().insert(call, self);
        drop(before);
    }
}

/// Waits until a call is decided, or until its client has to be told something first.
pub(super) async fn settled(
    proxy: &Arc<Proxy>,
    mut waiting: Waiting,
    takes_events: bool,
) -> Response<Flow> {
    let decided = tokio::select! {
        biased;
        Some(line) = waiting.spoken.recv() => {
            if !waiting.is_modern {
                return proxy.streamed(waiting, Some(line));
            }
            waiting.park();
            return plain(200, "application/json", line);
        }
        decided = &mut waiting.told => decided,
        () = tokio::time::sleep(SOON), if takes_events => return proxy.streamed(waiting, None),
    };
    let Waiting {
        waits,
        key,
        id,
        is_modern,
        asked,
        ..
    } = waiting;
    waits.decided();
    match decided {
        Ok(Decided::Denied(line)) => plain(200, "application/json", line),
        Ok(Decided::Sent(Ok(answer))) => proxy.passed(answer, asked, Some(key)),
        Ok(Decided::Sent(Err(why))) => {
            proxy.calls.land(&key, Ran::failed(why.clone()));
            plain(
                200,
                "application/json",
                replies::denied(&id, &why, is_modern),
            )
        }
        Err(_) => plain(
            200,
            "application/json",
            replies::denied(&id, "denied: sayso broke. nothing was changed", is_modern),
        ),
    }
}

/// A call that comes again with the answer to our question goes on where it waits.
pub(super) async fn retry(
    proxy: &Arc<Proxy>,
    token: &str,
    id: &Id,
    call: (&str, &Node),
    params: &Node,
    body: Vec<u8>,
    takes_events: bool,
) -> Response<Flow> {
    let args = operation_args(&proxy.judge.who.server, call.0, call.1.clone());
    let answer = params
        .get("inputResponses")
        .and_then(|answers| answers.get("sayso"));
    let retried = proxy.asks.retried(token, &args, answer);
    let parked = retried
        .as_ref()
        .and_then(|retried| proxy.dialogs.parked().remove(&retried.open.call));
    let (Some(retried), Some(mut waiting)) = (retried, parked) else {
        let why = "the question that this answers is not open any more, or was about another call"
            .to_owned();
        return refused(
            200,
            &Refused {
                id: Some(id.clone()),
                code: BAD_PARAMS,
                why,
            },
        );
    };
    *retried
        .open
        .about
        .known_as
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
    proxy.calls.hand_over(
        &retried.open,
        &waiting.key,
        without_answer(&body).unwrap_or(body),
    );
    waiting.id = id.clone();
    waiting.asked.request = Some(id.clone());
    retried.go_on();
    settled(proxy, waiting, takes_events).await
}
