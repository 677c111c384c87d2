//! A call over HTTP while somebody is asked: its request waits, the client's own dialog may be what asks, and the call may come again with the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::{HeaderMap, Response};
use sayso_gate::ports::Ran;
use tokio::sync::{mpsc, oneshot};

use super::http::{Flow, Proxy, plain, refused};
use super::http_call::{Decided, SESSION};
use super::http_pass::Asked;
use super::open_calls::Open;
use super::replies;
use super::tool_calls::{Request, denial, not_open};
use crate::error::UpstreamError;

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

    /// Nothing is taken back any more. Gives the call.
    pub(super) fn decided(mut self) -> Arc<Open> {
        self.is_decided = true;
        Arc::clone(&self.open)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if !self.is_decided {
            self.proxy.requests.forget(&self.open.call);
            let calls = &self.proxy.tools.calls;
            calls.remove(&self.open);
            // What was sent before has an end, too.
            if let Some(sent) = calls.take_sent(&self.open) {
                sent.end(Ran::failed("the client is gone"));
            }
        }
    }
}

/// A request that waits for its call to be decided.
pub(super) struct Waiting {
    pub told: oneshot::Receiver<Decided>,
    pub spoken: mpsc::UnboundedReceiver<Vec<u8>>,
    pub waits: Waits,
    pub asked: Asked,
}

impl Waiting {
    /// The client comes again for its answers, and is asked on no stream.
    pub(super) fn is_modern(&self) -> bool {
        self.waits.open.about.is_modern
    }

    /// The client went to ask its person, and comes again.
    pub(super) fn park(self) {
        let (proxy, call) = (Arc::clone(&self.waits.proxy), self.waits.open.call.clone());
        let before = proxy.requests.parked().insert(call, self);
        drop(before);
    }
}

/// The end of a call that was never decided.
pub(super) fn taken_back(open: &Open) -> Vec<u8> {
    denial(open, "denied: it was taken back. nothing was changed")
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
            if !waiting.is_modern() {
                return proxy.streamed(waiting, Some(line));
            }
            waiting.park();
            return plain(200, "application/json", line);
        }
        decided = &mut waiting.told => decided,
        () = tokio::time::sleep(SOON), if takes_events => return proxy.streamed(waiting, None),
    };
    let Waiting { waits, asked, .. } = waiting;
    let open = waits.decided();
    let line = match decided {
        Ok(Decided::Denied(line)) => line,
        Ok(Decided::Sent(Ok(answer))) => {
            let key = open.address().key.clone();
            return proxy.passed(answer, asked, Some(key));
        }
        Ok(Decided::Sent(Err(why))) => proxy.not_answered(&open, &why),
        Err(_) => taken_back(&open),
    };
    plain(200, "application/json", line)
}

impl Proxy {
    /// Ends a call that the server did not answer. Returns the message for its client.
    pub(super) fn not_answered(&self, open: &Open, why: &UpstreamError) -> Vec<u8> {
        let why = why.to_string();
        let line = replies::denied(&open.id(), &why, open.about.is_modern);
        let key = open.address().key.clone();
        self.tools.calls.end(&key, Ran::failed(why));
        line
    }
}

/// A call that comes again with the answer to our question goes on where it waits.
pub(super) async fn retry(
    proxy: &Arc<Proxy>,
    request: Request,
    takes_events: bool,
) -> Response<Flow> {
    let token = request.answers().unwrap_or_default();
    let retried = match proxy.tools.retried(token, &request) {
        Ok(retried) => retried,
        Err(why) => return refused(200, &why),
    };
    let parked = proxy.requests.parked().remove(&retried.open.call);
    let Some(mut waiting) = parked else {
        return refused(200, &not_open(&request.id));
    };
    waiting.asked.request = Some(request.id.clone());
    let key = retried.open.address().key.clone();
    proxy.tools.go_on(retried, key, request);
    settled(proxy, waiting, takes_events).await
}
