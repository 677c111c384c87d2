//! What comes back from a server somewhere else, on its way to the client: looked at, and passed on as it comes.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Response};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::ports::Ran;
use tokio::sync::mpsc;

use super::http::{Flow, Proxy, plain, words};
use super::http_call::{Decided, keyed};
use super::http_dialog::{Waiting, taken_back};
use super::message;
use super::message::Id;
use super::server_message;
use super::server_message::Heard;
use super::upstream::{Answer, Peer};
use super::{gateway, http_headers, peek, replies};
use sayso_runtime::mcp_servers::catalogue::Catalogue;
use sayso_runtime::sse;
use sayso_runtime::sse::{Event, Events};

/// How often a client that waits is told so.
const ALIVE: Duration = Duration::from_secs(5);
/// The longest answer that is one message.
const LONGEST: usize = message::LONGEST * 4;
/// A longer event is none.
const LONGEST_EVENT: usize = 64 << 20;

/// What the server was asked, and so what its answer may be.
pub(super) struct Asked {
    /// The request that it answers.
    pub request: Option<Id>,
    /// It is for a list of tools, or for the rest of one.
    list: Option<bool>,
    /// It goes on with a stream that broke, and so may answer something else.
    resumes: bool,
    /// What is called with what, where it may come again.
    pub what: Option<Digest>,
    catalogue: Option<Arc<Catalogue>>,
    headers: HeaderMap,
}

impl Asked {
    /// A request.
    pub(super) fn request(headers: &HeaderMap, peer: &Peer, id: &Id, list: Option<bool>) -> Asked {
        Asked {
            request: Some(id.clone()),
            list,
            ..Asked::nothing(headers, peer)
        }
    }

    /// Something that has no answer.
    pub(super) fn nothing(headers: &HeaderMap, peer: &Peer) -> Asked {
        let catalogue = peer.catalogue().map(Arc::clone);
        Asked {
            request: None,
            list: None,
            resumes: false,
            what: None,
            catalogue,
            headers: headers.clone(),
        }
    }

    /// A stream of what the server has to say by itself.
    pub(super) fn listening(headers: &HeaderMap, peer: &Peer) -> Asked {
        Asked {
            resumes: headers.contains_key("last-event-id"),
            ..Asked::nothing(headers, peer)
        }
    }
}

/// What becomes of a message of the server.
enum Look {
    Passes,
    Drops,
    Instead(Vec<u8>),
}

impl Proxy {
    /// An answer as a stream, which says every now and then that somebody is asked.
    pub(super) fn streamed(
        self: &Arc<Self>,
        mut waiting: Waiting,
        first: Option<Vec<u8>>,
    ) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let proxy = Arc::clone(self);
        tokio::spawn(async move {
            let mut say = first;
            let decided = loop {
                if let Some(line) = say.take() {
                    let is_over = pieces.send(sse::event(&line).into()).await.is_err();
                    if is_over || waiting.is_modern() {
                        // A client of the newer era asks, and comes again.
                        return if is_over {
                            drop(waiting)
                        } else {
                            waiting.park()
                        };
                    }
                }
                tokio::select! {
                    decided = &mut waiting.told => break decided,
                    Some(line) = waiting.spoken.recv() => say = Some(line),
                    // A client that is gone takes the question back.
                    () = pieces.closed() => return,
                    () = tokio::time::sleep(ALIVE) => {
                        if pieces.send(Bytes::from_static(b": sayso waits for an answer\n\n")).await.is_err() {
                            return;
                        }
                    }
                }
            };
            let Waiting { waits, asked, .. } = waiting;
            let open = waits.decided();
            let line = match decided {
                Ok(Decided::Sent(Ok(mut answer))) => {
                    let key = open.address().key.clone();
                    if answer.is_events() {
                        return proxy.pump(answer, asked, Some(key), pieces).await;
                    }
                    match answer.whole(LONGEST).await {
                        Ok(whole) => {
                            let (whole, ran) = proxy.seen(&answer, whole, &asked);
                            proxy.tools.calls.end(&key, ran);
                            whole
                        }
                        Err(why) => proxy.not_answered(&open, &why),
                    }
                }
                Ok(Decided::Sent(Err(why))) => proxy.not_answered(&open, &why),
                Ok(Decided::Denied(line)) => line,
                Err(_) => taken_back(&open),
            };
            let _ = pieces.send(sse::event(&line).into()).await;
        });
        let mut response = Response::new(Flow::Pieces(from));
        let headers = response.headers_mut();
        for (name, value) in [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-store"),
            ("x-accel-buffering", "no"),
        ] {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        response
    }

    /// An answer that is looked at before its head goes on, unless it is a stream.
    pub(super) async fn observed(
        self: &Arc<Self>,
        mut answer: Answer,
        asked: Asked,
    ) -> Response<Flow> {
        if answer.is_events() {
            return self.passed(answer, asked, None);
        }
        let whole = match answer.whole(LONGEST).await {
            Ok(whole) => whole,
            Err(why) => return words(502, &why.to_string()),
        };
        match self.look_at_whole(&answer, &whole, &asked) {
            Look::Passes => respond(
                answer.status,
                &answer.headers,
                Flow::Whole(Some(whole.into())),
            ),
            Look::Instead(instead) => plain(200, "application/json", instead),
            Look::Drops => words(
                502,
                "the server's answer is not passed on: it can be read in two ways",
            ),
        }
    }

    /// Looks at an answer that is one message. A page that says what went wrong is none.
    fn look_at_whole(&self, answer: &Answer, whole: &[u8], asked: &Asked) -> Look {
        let is_message = http_headers::is_media(&answer.headers, "application/json")
            || answer.status < 300 && asked.request.is_some();
        if is_message {
            self.look_at(whole, asked)
        } else {
            Look::Passes
        }
    }

    /// A whole answer to a call as it goes on, and how the call ended.
    fn seen(&self, answer: &Answer, whole: Vec<u8>, asked: &Asked) -> (Vec<u8>, Ran) {
        let is_failed = answer.status >= 400 || gateway::says_failed(&whole);
        match self.look_at_whole(answer, &whole, asked) {
            Look::Passes => (whole, gateway::ran(is_failed)),
            Look::Instead(instead) => (instead, Ran::failed("its answer is not passed on")),
            Look::Drops => {
                let why = "the server's answer is not passed on: it can be read in two ways";
                let said = asked
                    .request
                    .as_ref()
                    .map(|id| replies::denied_request(id, why))
                    .unwrap_or_default();
                (said, Ran::failed(why))
            }
        }
    }

    fn note(&self, what: &str) {
        let _ = self
            .tools
            .judge
            .note("mcp_dropped", vec![("why", Node::text(what))]);
    }

    /// Looks at a message of the server.
    fn look_at(&self, message: &[u8], asked: &Asked) -> Look {
        let text = String::from_utf8_lossy(message);
        let drops = |what: &str| {
            self.note(what);
            Look::Drops
        };
        match server_message::hear(text.as_bytes(), false) {
            Heard::Noise | Heard::Nobody => Look::Passes,
            Heard::Unsound(what) => drops(what),
            Heard::Asks(method, _) => {
                if let (Some(catalogue), "notifications/tools/list_changed") =
                    (&asked.catalogue, method.as_str())
                {
                    catalogue.is_stale();
                }
                match server_message::refusal(&method, &text, |what| self.tools.is_gated(what)) {
                    Some(what) => drops(&format!("{what} of the server")),
                    None => Look::Passes,
                }
            }
            Heard::Answers(id, peeked) => {
                let is_asked = match &asked.request {
                    Some(request) => *request == id,
                    // What is still being asked about was never given to it.
                    None => {
                        asked.resumes
                            && self.tools.calls.held(&keyed(&asked.headers, &id)).is_none()
                    }
                };
                if !is_asked {
                    return drops("an answer that nobody asked for");
                }
                let Some(result) = peeked.result else {
                    return Look::Passes;
                };
                // On a stream that goes on, any result with tools in it may be the list.
                let is_list = asked.list.is_some()
                    || asked.resumes && peek::find(result, "tools") != Ok(None);
                let catalogue = asked.catalogue.as_deref().filter(|_| is_list);
                let list = catalogue.map(|catalogue| (catalogue, asked.list == Some(true)));
                let note = |what: &str| self.note(what);
                match self.tools.look_at_result(&id, result, list, note) {
                    Some((instead, _)) => Look::Instead(instead),
                    None => {
                        self.tools.may_go_on(asked.what, Some(result));
                        Look::Passes
                    }
                }
            }
        }
    }

    /// An answer as it comes; the call that it is to ends with it.
    pub(super) fn passed(
        self: &Arc<Self>,
        answer: Answer,
        asked: Asked,
        key: Option<Id>,
    ) -> Response<Flow> {
        let (pieces, from) = mpsc::channel(16);
        let (status, headers) = (answer.status, answer.headers.clone());
        let proxy = Arc::clone(self);
        tokio::spawn(async move { proxy.pump(answer, asked, key, pieces).await });
        respond(status, &headers, Flow::Pieces(from))
    }

    async fn pump(
        &self,
        mut answer: Answer,
        asked: Asked,
        key: Option<Id>,
        to: mpsc::Sender<Bytes>,
    ) {
        let end = match answer.is_events() {
            true => self.pump_events(&mut answer, &asked, &to).await,
            false => match answer.whole(LONGEST).await {
                Ok(whole) => {
                    let (said, ran) = self.seen(&answer, whole, &asked);
                    let _ = to.send(said.into()).await;
                    ran
                }
                Err(why) => Ran::failed(why.to_string()),
            },
        };
        if let Some(key) = key {
            self.tools.calls.end(&key, end);
        }
    }

    async fn pump_events(
        &self,
        answer: &mut Answer,
        asked: &Asked,
        to: &mpsc::Sender<Bytes>,
    ) -> Ran {
        let (mut events, mut end) = (Events::new(LONGEST_EVENT), gateway::ran(false));
        while let Some(piece) = answer.body.recv().await {
            let all = match events.add(&piece) {
                Ok(all) => all,
                Err(too_long) => {
                    let why = format!(
                        "an event of the server is longer than {} MiB",
                        too_long.0 >> 20
                    );
                    self.note(&why);
                    return Ran::failed(why);
                }
            };
            for event in all {
                if !self.pump_event(event, asked, &mut end, to).await {
                    return end;
                }
            }
        }
        if let Some(event) = events.last() {
            self.pump_event(event, asked, &mut end, to).await;
        }
        end
    }

    /// Passes one event on; false if nobody reads it.
    async fn pump_event(
        &self,
        event: Event,
        asked: &Asked,
        end: &mut Ran,
        to: &mpsc::Sender<Bytes>,
    ) -> bool {
        let data = event.data();
        if gateway::says_failed(&data) {
            *end = gateway::ran(true);
        }
        // The oldest servers tell a client where to send its messages: that is here, and nowhere else.
        let leads_elsewhere = event.values("event").any(|name| name == b"endpoint");
        let look = match leads_elsewhere {
            true => {
                self.note("an address for messages, which come to the gateway");
                Look::Drops
            }
            false => self.look_at(&data, asked),
        };
        let bytes = match look {
            Look::Passes => event.bytes,
            Look::Drops => emptied(&event),
            Look::Instead(instead) => sse::event(&instead),
        };
        to.send(bytes.into()).await.is_ok()
    }
}

/// The same event without its message: its id counts for going on after a break.
fn emptied(event: &Event) -> Vec<u8> {
    let mut out = b": left out by sayso\n".to_vec();
    for id in event.values("id") {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id);
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

fn respond(status: u16, headers: &HeaderMap, body: Flow) -> Response<Flow> {
    let mut response = Response::new(body);
    *response.status_mut() =
        hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers.clone();
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_left_out_keeps_its_id() {
        let stream = b"id: 7\r\nevent: endpoint\ndata: /elsewhere\n\n";
        let events = Events::new(99).add(stream).unwrap();
        assert_eq!(emptied(&events[0]), b": left out by sayso\nid: 7\n\n");
    }
}
