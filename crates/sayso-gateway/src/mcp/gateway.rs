//! The gateway over two streams: every line of the client is read, judged where it is a call, and passed on, refused or held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::text::node::{Node, Value};
use sayso_gate::ports::{Later, Ran};

use super::message;
use super::message::{BAD_PARAMS, CALL, Id, MessageError, NO_REQUEST, Refused, Said};
use super::open_calls::{Open, Whose};
use super::outlet::Outlet;
use super::peek;
use super::peek::Peeked;
use super::replies;
use super::server_message;
use super::server_message::Heard;
use super::tool_calls::{Carrier, Origin, Request, ToolCalls, can_elicit, still_open};
use crate::rpc::drive_call::{SendError, on_a_thread};
use crate::rpc::pipe::Pipe;
use sayso_runtime::mcp_servers::catalogue::Catalogue;
use sayso_tools::lines::Line;

/// So many refused messages of one run are written down.
const MOST_NOTES: u64 = 100;
/// So many requests that are not judged may be open.
const MOST_ASKED: usize = 1 << 20;
/// Where a server says at the start or at the end of an answer whether the tool failed.
const NEAR: usize = 4096;

/// The gateway.
pub(super) struct Gateway {
    pub tools: Arc<ToolCalls>,
    pub catalogue: Arc<Catalogue>,
    pub client: Arc<Outlet>,
    pub server: Arc<Pipe>,
    /// What the client said it can, when it began.
    pub said: Mutex<Option<bool>>,
    /// What the server was asked besides calls.
    pub asked: Mutex<HashMap<Id, Asked>>,
    pub notes: AtomicU64,
}

/// The way of messages over pipes.
pub(super) struct Pipes {
    pub client: Arc<Outlet>,
    pub server: Arc<Pipe>,
}

impl Carrier for Pipes {
    fn send(&self, _: &Open, line: Vec<u8>) -> Result<(), SendError> {
        self.server.pass(&line)
    }

    fn answer(&self, _: &Open, line: Vec<u8>) {
        self.client.say(line);
    }

    fn ask(&self, _: &Open, line: Vec<u8>) {
        self.client.say(line);
    }

    fn wait(&self, waiting: Later<'static, ()>) -> std::io::Result<()> {
        on_a_thread(waiting)
    }
}

/// A request that was passed on without a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// For a list of tools, or for the rest of one.
    List { is_rest: bool },
    /// For something else.
    Other,
}

impl Gateway {
    /// What the client says.
    pub(super) fn client_says(self: &Arc<Self>, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(start) => {
                return self.refuse(&Refused {
                    id: peek::peek(&start).and_then(|peeked| peeked.id.and_then(Id::parse)),
                    code: NO_REQUEST,
                    why: MessageError::TooLong(message::LONGEST),
                });
            }
            Line::End => return,
        };
        match message::read(&line) {
            Ok(None) => self.pass(&line),
            Err(refused) => self.refuse(&refused),
            Ok(Some(Said::Request(id, ..))) if self.tools.calls.has(&id) => {
                self.refuse(&still_open(id));
            }
            Ok(Some(Said::Request(id, method, params))) => self.request(id, &method, params, line),
            Ok(Some(Said::Notice(method, params))) => {
                let is_ours = method == "notifications/cancelled" && self.cancelled(&params);
                if !is_ours {
                    self.pass(&line);
                }
            }
            Ok(Some(Said::Response(id, response))) => {
                if !self.tools.asks.answered(&id, &response) {
                    self.pass(&line);
                }
            }
        }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Id, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a request on, and knows from then on that its answer was asked for.
    fn pass_request(&self, id: Id, asked: Asked, line: &[u8]) {
        let mut all = self.asked();
        if all.len() >= MOST_ASKED {
            drop(all);
            return self.refuse(&Refused {
                id: Some(id),
                code: NO_REQUEST,
                why: MessageError::TooManyOpen(MOST_ASKED),
            });
        }
        all.insert(id, asked);
        drop(all);
        self.pass(line);
    }

    /// Passes a line on to the server as it is. If nobody reads it, the server is gone, and its end is near.
    fn pass(&self, line: &[u8]) {
        let _ = self.server.pass(line);
    }

    fn refuse(&self, refused: &Refused) {
        if self.notes.fetch_add(1, Ordering::Relaxed) < MOST_NOTES {
            // It was not passed on, whether or not that is written down.
            let _ = self.tools.judge.note(
                "mcp_refused",
                vec![("why", sayso_store::record::text(&refused.why.to_string()))],
            );
        }
        self.client.say(replies::refused(refused));
    }

    fn request(self: &Arc<Self>, id: Id, method: &str, params: Node, line: Vec<u8>) {
        match method {
            "initialize" => {
                *self.said.lock().unwrap_or_else(PoisonError::into_inner) =
                    can_elicit(params.get("capabilities"), params.get("protocolVersion"));
                self.pass_request(id, Asked::Other, &line);
            }
            "tools/list" => {
                let is_rest = params
                    .get("cursor")
                    .is_some_and(|cursor| !matches!(cursor.value, Value::Null));
                self.pass_request(id, Asked::List { is_rest }, &line);
            }
            CALL => self.judged(id, method, params, line),
            "resources/read" | "prompts/get"
                if self
                    .tools
                    .is_gated(method.split('/').next().unwrap_or_default()) =>
            {
                let named = params
                    .get("uri")
                    .or_else(|| params.get("name"))
                    .and_then(Node::as_text);
                match named {
                    Some(_) => self.judged(id, method, params, line),
                    None => self.refuse(&Refused {
                        id: Some(id),
                        code: BAD_PARAMS,
                        why: MessageError::NamesNothing,
                    }),
                }
            }
            _ => self.pass_request(id, Asked::Other, &line),
        }
    }

    /// Has a call judged, or takes the answer that it comes again with.
    fn judged(self: &Arc<Self>, id: Id, method: &str, params: Node, line: Vec<u8>) {
        if let Err(refused) = self.judge(id, method, params, line) {
            self.refuse(&refused);
        }
    }

    fn judge(&self, id: Id, method: &str, params: Node, line: Vec<u8>) -> Result<(), Refused> {
        let request = Request::read(id, method, params, line)?;
        let key = request.id.clone();
        if let Some(token) = request.answers().filter(|_| method == CALL) {
            let retried = self.tools.retried(token, &request)?;
            self.tools.go_on(retried, key, request);
            return Ok(());
        }
        let origin = Origin {
            key: Some(key),
            is_call: true,
            elicits: *self.said.lock().unwrap_or_else(PoisonError::into_inner),
            is_only_client: true,
        };
        let (open, call) = self.tools.begin(request, origin, &self.catalogue)?;
        self.tools.judge(&open, call);
        Ok(())
    }

    /// Takes a call back that the server never got; false if it has to know.
    fn cancelled(&self, params: &Node) -> bool {
        let Some(id) = params.get("requestId").and_then(Id::of) else {
            return false;
        };
        if let Some(open) = self.tools.calls.held(&id) {
            self.tools.calls.remove(&open);
            return true;
        }
        let calls = &self.tools.calls;
        calls.end(&id, Ran::failed("the client took it back"));
        self.asked().remove(&id);
        false
    }

    /// Tells clients that wait that somebody is asked, and ends what nobody answered.
    pub(super) fn tick(&self, says: bool) {
        self.tools.asks.expire();
        for open in self.tools.calls.all_held().iter().filter(|_| says) {
            if let Some(token) = &open.about.progress {
                self.client.say(replies::progress(token, open.about.tick()));
            }
        }
    }

    /// What the server says. False if nobody reads it any more.
    pub(super) fn server_says(&self, line: &[u8]) -> bool {
        // As whoever reads it has it: what is no UTF-8 is a sign that stands for nothing.
        let text = String::from_utf8_lossy(line);
        match server_message::hear(text.as_bytes(), true) {
            Heard::Noise | Heard::Nobody => self.client.pass(line),
            Heard::Unsound(what) => {
                self.note_server(what);
                true
            }
            Heard::Asks(method, id) => self.server_asks(&method, id, &text, line),
            Heard::Answers(id, peeked) => self.server_answers(&id, &peeked, line),
        }
    }

    fn note_server(&self, what: &str) {
        if self.notes.fetch_add(1, Ordering::Relaxed) < MOST_NOTES {
            let _ = self
                .tools
                .judge
                .note("mcp_dropped", vec![("why", Node::text(what))]);
        }
    }

    /// A request or a notice of the server.
    fn server_asks(&self, method: &str, id: Option<Id>, text: &str, line: &[u8]) -> bool {
        if method == "notifications/tools/list_changed" {
            self.catalogue.is_stale();
        }
        let Some(what) = server_message::refusal(method, text, |what| self.tools.is_gated(what))
        else {
            return self.client.pass(line);
        };
        self.note_server(&format!("{what} of the server"));
        if let Some(id) = id {
            self.pass(&replies::denied_request(
                &id,
                &format!("{what} is not passed on to the client"),
            ));
        }
        true
    }

    /// An answer of the server.
    fn server_answers(&self, id: &Id, peeked: &Peeked<'_>, line: &[u8]) -> bool {
        let asked = self.asked().remove(id);
        let sent = match (self.tools.calls.whose(id), asked) {
            // It was never given this call, so it cannot know the answer.
            (Whose::Held, _) => {
                self.note_server("an answer to a call that it was not given");
                return true;
            }
            (Whose::Call(sent), _) => Some(sent),
            (Whose::Unfollowed, _) | (Whose::Other, Some(_)) => None,
            (Whose::Other, None) => {
                self.note_server("an answer that nobody asked for");
                return true;
            }
        };
        let list = match asked {
            Some(Asked::List { is_rest }) => Some((self.catalogue.as_ref(), is_rest)),
            _ => None,
        };
        let note = |what: &str| self.note_server(what);
        let instead = peeked
            .result
            .and_then(|result| self.tools.look_at_result(id, result, list, note));
        let (is_read, ran) = match instead {
            Some((instead, why)) => {
                self.client.say(instead);
                (true, Ran::failed(why))
            }
            None => {
                let is_read = self.client.pass(line);
                let what = sent.as_ref().and_then(|sent| sent.open.about.what);
                self.tools.may_go_on(what, peeked.result);
                (is_read, ran(peeked.is_error || says_failed(line)))
            }
        };
        if let Some(sent) = sent {
            sent.end(ran);
        }
        is_read
    }

    /// The server is gone: whatever it had is over.
    pub(super) fn server_ended(&self) {
        let calls = &self.tools.calls;
        calls.end_all(&Ran::failed("the server ended before it answered"));
        self.client_ended();
        self.tools.judge.end();
    }

    /// The client is gone: nobody waits for an answer any more.
    pub(super) fn client_ended(&self) {
        for open in self.tools.calls.all_held() {
            self.tools.calls.remove(&open);
        }
    }
}

/// The result of a tool, passed on unread.
pub(super) fn ran(is_failed: bool) -> Ran {
    match is_failed {
        true => Ran::failed("the tool says that it failed"),
        false => Ran::Done(Value::Null.into()),
    }
}

/// Whether a tool says that it failed: its result has that at its start or at its end.
pub(super) fn says_failed(line: &[u8]) -> bool {
    let near = [
        line.get(..line.len().min(NEAR)),
        line.get(line.len().saturating_sub(NEAR)..),
    ];
    near.into_iter().flatten().any(|part| {
        let text = String::from_utf8_lossy(part);
        text.contains("\"isError\":true") || text.contains("\"isError\": true")
    })
}
