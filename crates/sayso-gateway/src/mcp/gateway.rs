//! The gateway over two streams: every line of the client is read, judged where it is a call, and passed on, refused or held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::finished::Finished;
use sayso_gate::ports::Ran;

use super::asking::{Asks, Ways};
use super::judge::{Bench, Judge};
use super::message;
use super::message::{BAD_PARAMS, CALL, Id, NO_REQUEST, Refused, Said};
use super::open_calls::{About, Calls, Open, Whose};
use super::outlet::Outlet;
use super::peek;
use super::peek::Peeked;
use super::replies;
use super::server_message;
use super::server_message::Heard;
use crate::rpc::drive_call::{Walked, walk};
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
    pub judge: Judge,
    pub calls: Arc<Calls>,
    pub asks: Arc<Asks>,
    pub catalogue: Arc<Catalogue>,
    pub client: Arc<Outlet>,
    pub server: Arc<Pipe>,
    /// What the client said it can, when it began.
    pub said: Mutex<Option<bool>>,
    /// What the server was asked besides calls.
    pub asked: Mutex<HashMap<Id, Asked>>,
    pub notes: AtomicU64,
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
                let why = format!("the message is longer than {} MiB", message::LONGEST >> 20);
                return self.refuse(&Refused {
                    id: peek::peek(&start).and_then(|peeked| peeked.id.and_then(Id::parse)),
                    code: NO_REQUEST,
                    why,
                });
            }
            Line::End => return,
        };
        match message::read(&line) {
            Ok(None) => self.pass(&line),
            Err(refused) => self.refuse(&refused),
            Ok(Some(Said::Request(id, ..))) if self.calls.has(&id) => {
                self.refuse(&Refused {
                    id: Some(id),
                    code: NO_REQUEST,
                    why: "the id is that of a call that is still open".to_owned(),
                });
            }
            Ok(Some(Said::Request(id, method, params))) => self.request(id, &method, params, line),
            Ok(Some(Said::Notice(method, params))) => {
                let is_ours = method == "notifications/cancelled" && self.cancelled(&params);
                if !is_ours {
                    self.pass(&line);
                }
            }
            Ok(Some(Said::Response(id, response))) => {
                if !self.asks.answered(&id, &response) {
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
                why: format!("{MOST_ASKED} requests are open already"),
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
            let _ = self.judge.note(
                "mcp_refused",
                vec![("why", sayso_store::record::text(&refused.why))],
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
            CALL => self.tool_call(id, params, line),
            "resources/read" | "prompts/get"
                if self.is_gated(method.split('/').next().unwrap_or_default()) =>
            {
                let named = params
                    .get("uri")
                    .or_else(|| params.get("name"))
                    .and_then(Node::as_text);
                match named {
                    Some(_) => self.judged(id, method, params.clone(), &params, line),
                    None => self.refuse(&Refused {
                        id: Some(id),
                        code: BAD_PARAMS,
                        why: "it names nothing".to_owned(),
                    }),
                }
            }
            _ => self.pass_request(id, Asked::Other, &line),
        }
    }

    /// Whether the person wants that judged, too. Where nobody knows, it is.
    fn is_gated(&self, what: &str) -> bool {
        self.judge.bench().map_or(true, |bench| {
            bench
                .settings
                .mcp_gate
                .iter()
                .any(|gated| gated.word() == what)
        })
    }

    fn tool_call(self: &Arc<Self>, id: Id, mut params: Node, line: Vec<u8>) {
        let (tool, arguments) = match message::tool_call(&mut params) {
            Ok(call) => call,
            Err(why) => {
                return self.refuse(&Refused {
                    id: Some(id),
                    code: BAD_PARAMS,
                    why,
                });
            }
        };
        match params
            .get("requestState")
            .and_then(Node::as_text)
            .filter(|token| token.starts_with("sayso-"))
        {
            Some(token) => self.retry(
                &id,
                token,
                &message::operation_args(&self.judge.who.server, &tool, arguments),
                &params,
                line,
            ),
            None => self.judged(id, &tool, arguments, &params, line),
        }
    }

    /// A call that comes again with the answer to our question goes on where it waits.
    fn retry(&self, id: &Id, token: &str, args: &Node, params: &Node, line: Vec<u8>) {
        let answer = params
            .get("inputResponses")
            .and_then(|answers| answers.get("sayso"));
        match self.asks.retried(token, args, answer) {
            Some(retried) => {
                self.calls
                    .hand_over(&retried.open, id, without_answer(&line).unwrap_or(line));
                retried.go_on();
            }
            None => {
                let why = "the question that this answers is not open any more, or was about another call".to_owned();
                self.refuse(&Refused {
                    id: Some(id.clone()),
                    code: BAD_PARAMS,
                    why,
                });
            }
        }
    }

    /// Has a call judged: it is passed on or refused at once, or somebody is asked, and then it waits by itself.
    fn judged(self: &Arc<Self>, id: Id, tool: &str, arguments: Node, params: &Node, line: Vec<u8>) {
        let meta = params.get("_meta");
        let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
        let bench = match self.judge.bench() {
            Ok(bench) => bench,
            Err(why) => {
                return self.client.say(replies::denied(
                    &id,
                    &format!("denied: {why}. nothing was changed"),
                    version.is_some(),
                ));
            }
        };
        let elicits = match version {
            Some(version) => can_elicit(
                meta.and_then(|meta| meta.get("io.modelcontextprotocol/clientCapabilities")),
                Some(version),
            ),
            None => *self.said.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let tool_use = meta.and_then(|meta| {
            meta.get("claudecode/toolUseId")
                .or_else(|| meta.get("callId"))
        });
        let progress = meta.and_then(|meta| meta.get("progressToken"));
        let known = self.catalogue.called(tool, &arguments);
        let call = self
            .judge
            .call(self.judge.next_id(), tool, arguments, known);
        // Only clients of the newer era come again.
        let what = version.map(|_| Digest::of_node(&call.args));
        let state = params.get("requestState").and_then(Node::as_text);
        let about = About {
            is_modern: version.is_some(),
            catalogue: Some(Arc::clone(&self.catalogue)),
            goes_on: state
                .zip(what)
                .is_some_and(|(state, what)| self.asks.goes_on(state, what)),
            what,
            elicits,
            tool_use: tool_use.and_then(Node::as_text).map(str::to_owned),
            progress: progress
                .filter(|token| matches!(token.value, Value::Text(_) | Value::Number(_)))
                .cloned(),
            ..About::default()
        };
        let open = Arc::new(Open::new(call.id.clone(), id, line, about));
        self.asks.set_ways(self.ways(&bench));
        let gate = Arc::clone(&bench.gate);
        walk(self, open, Box::pin(async move { gate.call(call).await }));
    }

    fn ways(&self, bench: &Bench) -> Ways {
        let listed = bench
            .settings
            .mcp_elicitation
            .contains(&self.judge.who.client);
        Ways {
            elicits: listed,
            starts_inbox: bench.settings.hooks_start,
        }
    }

    /// Takes a call back that the server never got; false if it has to know.
    fn cancelled(&self, params: &Node) -> bool {
        let Some(id) = params.get("requestId").and_then(Id::of) else {
            return false;
        };
        if let Some(open) = self.calls.held(&id) {
            open.cancel();
            self.calls.remove(&open);
            return true;
        }
        self.calls.land(&id, Ran::failed("the client took it back"));
        self.asked().remove(&id);
        false
    }

    /// Tells clients that wait that somebody is asked, and ends what nobody answered.
    pub(super) fn tick(&self, says: bool) {
        self.asks.expire();
        for open in self.calls.all_held().iter().filter(|_| says) {
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
                .judge
                .note("mcp_dropped", vec![("why", Node::text(what))]);
        }
    }

    /// A request or a notice of the server.
    fn server_asks(&self, method: &str, id: Option<Id>, text: &str, line: &[u8]) -> bool {
        if method == "notifications/tools/list_changed" {
            self.catalogue.is_stale();
        }
        let Some(what) = server_message::refusal(method, text, |what| self.is_gated(what)) else {
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
        if let (Some(Asked::List { is_rest }), Some(result)) = (asked, peeked.result)
            && let Err(why) = self.catalogue.observe(result, is_rest)
        {
            self.note_server("a list of tools that can be read in two ways");
            self.client.say(replies::denied_request(
                id,
                &format!("the server's list of tools is not passed on: {why}"),
            ));
            return true;
        }
        let landing = match (self.calls.whose(id), asked) {
            // It was never given this call, so it cannot know the answer.
            (Whose::Held, _) => {
                self.note_server("an answer to a call that it was not given");
                return true;
            }
            (Whose::Call(landing), _) => Some(landing),
            (Whose::Unfollowed, _) | (Whose::Other, Some(_)) => None,
            (Whose::Other, None) => {
                self.note_server("an answer that nobody asked for");
                return true;
            }
        };
        if let Some(what) = peeked
            .result
            .and_then(|result| server_message::refusal_in(result, |what| self.is_gated(what)))
        {
            self.note_server(&format!("{what} in an answer"));
            self.client.say(replies::denied(
                id,
                &format!("{what} of the server is not passed on to the client"),
                true,
            ));
            landing
                .into_iter()
                .for_each(|landing| landing.end(Ran::failed(format!("the server wanted {what}"))));
            return true;
        }
        let is_read = self.client.pass(line);
        if let Some(landing) = landing {
            let state = landing
                .open()
                .about
                .what
                .zip(peeked.result.and_then(server_message::state_in));
            state
                .into_iter()
                .for_each(|(what, state)| self.asks.may_go_on(state, what));
            let ran = match peeked.is_error || says_failed(line) {
                true => Ran::failed("the tool says that it failed"),
                false => Ran::Done(Value::Null.into()),
            };
            landing.end(ran);
        }
        is_read
    }

    /// The server is gone: whatever it had is over.
    pub(super) fn server_ended(&self) {
        for id in self.calls.all_flying() {
            self.calls
                .land(&id, Ran::failed("the server ended before it answered"));
        }
        self.client_ended();
        self.judge.end();
    }

    /// The client is gone: nobody waits for an answer any more.
    pub(super) fn client_ended(&self) {
        for open in self.calls.all_held() {
            open.cancel();
        }
    }
}

impl Walked<About, Finished> for Gateway {
    fn calls(&self) -> &Calls {
        &self.calls
    }

    /// What the server never got is answered by us.
    fn over(&self, open: &Open, finished: Finished) {
        // Before it is answered: then its id is free.
        self.calls.remove(open);
        if !open.was_sent.load(Ordering::SeqCst) {
            let id = open.address().id.clone();
            self.client.say(replies::denied(
                &id,
                &finished.message,
                open.about.is_modern,
            ));
        }
    }

    fn no_room(&self, open: &Open, why: &str) {
        let id = open.address().id.clone();
        self.client.say(replies::denied(
            &id,
            &format!("denied: {why}. nothing was changed"),
            open.about.is_modern,
        ));
    }
}

/// Whether a client can ask its person, and whether it has to be told that it is a form.
pub(super) fn can_elicit(capabilities: Option<&Node>, version: Option<&Node>) -> Option<bool> {
    let elicitation = capabilities?.get("elicitation")?;
    let Value::Map(kinds) = &elicitation.value else {
        return None;
    };
    let version = version.and_then(Node::as_text).unwrap_or_default();
    let form = kinds.is_empty() || elicitation.get("form").is_some();
    // The first revision with elicitation knew only forms, and no word for it.
    form.then_some(version > "2025-06-18")
}

/// A call without the answer to our question, which is none of the server's.
pub(super) fn without_answer(line: &[u8]) -> Option<Vec<u8>> {
    let node = json::read(std::str::from_utf8(line).ok()?, &message::LIMITS).ok()?;
    let keep = |node: &Node, drop: &[&str]| {
        let kept = node
            .entries()
            .iter()
            .filter(|entry| !drop.contains(&entry.key.as_str()));
        kept.map(|entry| (entry.key.clone(), entry.node.clone()))
            .collect::<Vec<_>>()
    };
    let params = node.get("params")?;
    let mut kept = keep(params, &["requestState", "inputResponses"]);
    let answers = params
        .get("inputResponses")
        .map(|answers| keep(answers, &["sayso"]))
        .filter(|answers| !answers.is_empty());
    kept.extend(answers.map(|answers| ("inputResponses".to_owned(), Node::map(answers))));
    let params = Node::map(kept);
    let all = node.entries().iter().map(|entry| {
        (
            entry.key.clone(),
            if entry.key == "params" {
                params.clone()
            } else {
                entry.node.clone()
            },
        )
    });
    let mut text = json::write(&Node::map(all)).into_bytes();
    text.push(b'\n');
    Some(text)
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
