//! The gateway over two streams: every line of the agent is read, judged where it asks for something, and passed on, answered or held.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::approved::Approved;
use sayso_gate::ports::{Later, Ran};

use super::answered::What;
use super::asking::Asks;
use super::judge::Judge;
use super::message;
use super::message::{BAD_PARAMS, Id, MessageError, NO_REQUEST, PERMISSION, Refused, Said};
use super::open_requests::{About, Calls, Open};
use super::options::Choices;
use super::replies;
use super::sessions::Sessions;
use super::wanted::Wanted;
use crate::rpc::drive_call::{Door, SendError, drive, on_a_thread};
use crate::rpc::in_flight::{Address, Whose};
use crate::rpc::outlet::Outlet;
use crate::rpc::peek;
use sayso_tools::lines::Line;

/// So many refused messages of one run are written down.
const MOST_NOTES: u64 = 100;
/// What an editor says of sessions is never longer.
const LONGEST_BEGINNING: usize = 4 << 20;

/// The gateway.
pub(super) struct Gateway {
    pub judge: Judge,
    pub calls: Arc<Calls>,
    pub asks: Arc<Asks>,
    pub sessions: Sessions,
    pub editor: Arc<Outlet>,
    pub agent: Arc<Outlet>,
    pub notes: AtomicU64,
}

impl Gateway {
    /// What the agent says. False if nobody reads it any more.
    pub(super) fn agent_says(self: &Arc<Self>, line: Line) -> bool {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong(start) => {
                let id = first_id(&start);
                self.refuse(&Refused {
                    id,
                    code: NO_REQUEST,
                    why: MessageError::TooLong(message::LONGEST),
                });
                return true;
            }
            Line::End => return true,
        };
        // No editor reads a message out of words without a brace.
        if !line.contains(&b'{') {
            return self.editor.pass(&line);
        }
        match message::read(&line) {
            Ok(None) => return self.editor.pass(&line),
            Err(refused) => self.refuse(&refused),
            // An answer that comes late to the first must not count for the second.
            Ok(Some(Said::Request(id, ..)))
                if self.calls.has(&id) || self.asks.was_given_up(&id) =>
            {
                self.refuse(&Refused {
                    id: Some(id),
                    code: NO_REQUEST,
                    why: MessageError::StillOpen("request"),
                });
            }
            Ok(Some(Said::Request(id, method, params))) if message::is_judged(&method) => {
                self.request(id, &method, &params, line)
            }
            Ok(Some(Said::Notice(method, params)))
                if method == "$/cancel_request" && self.taken_back(&params) => {}
            Ok(Some(Said::Notice(method, _))) if message::is_judged(&method) => {
                self.refuse(&Refused {
                    id: None,
                    code: NO_REQUEST,
                    why: MessageError::WithoutId(visible(&method).into_owned()),
                });
            }
            Ok(Some(Said::Response(id, response))) => {
                self.sessions.answered(&id, &response);
                return self.editor.pass(&line);
            }
            Ok(Some(_)) => return self.editor.pass(&line),
        }
        true
    }

    fn note(&self, kind: &str, why: &str) {
        if self.notes.fetch_add(1, Ordering::Relaxed) < MOST_NOTES {
            // It was not passed on, whether or not that is written down.
            let _ = self.judge.note(kind, why);
        }
    }

    fn refuse(&self, refused: &Refused) {
        self.note("acp_refused", &refused.why.to_string());
        self.agent.say(replies::refused(refused));
    }

    /// A request that is judged.
    fn request(self: &Arc<Self>, id: Id, method: &str, params: &Node, line: Vec<u8>) {
        match self.judged(&id, method, params, line) {
            Ok((open, call)) => {
                self.calls.add(&open);
                drive(self, &open.about.bench.gate, &open, call);
            }
            Err(why) => self.refuse(&Refused {
                id: Some(id),
                code: BAD_PARAMS,
                why,
            }),
        }
    }

    /// The request, and the call made from it.
    fn judged(
        &self,
        id: &Id,
        method: &str,
        params: &Node,
        line: Vec<u8>,
    ) -> Result<(Arc<Open>, Call), MessageError> {
        let Value::Map(_) = params.value else {
            return Err(MessageError::NoParams);
        };
        let session =
            message::text(params, "sessionId").ok_or(MessageError::NoText("sessionId"))?;
        let folder = self
            .sessions
            .folder(session)
            .ok_or(MessageError::UnknownSession)?;
        let (wanted, choices) = match method {
            PERMISSION => {
                let choices = Choices::read(params)?;
                let permission = message::permission(params)?;
                let wanted = Wanted::of_permission(&self.judge.agent, &permission, &folder);
                (
                    if choices.has_several {
                        wanted.for_the_person(permission.shown)
                    } else {
                        wanted
                    },
                    Some(choices),
                )
            }
            method => (
                Wanted::of_request(&self.judge.agent, method, params, &folder)?,
                None,
            ),
        };
        let bench = self.judge.bench(&folder)?;
        let writes = wanted
            .writes
            .iter()
            .map(|(path, content)| What::write(path, content));
        let what = writes.chain(wanted.command.clone()).collect();
        let call = self.judge.next_id();
        let says = choices.as_ref().map_or(ToolSays::Nothing, Choices::says);
        let judged = self
            .judge
            .call(&bench, &call, session, &folder, &wanted, &says)?;
        let about = About {
            session: session.to_owned(),
            choices,
            what,
            bench,
            has_answer: false.into(),
            editor: std::sync::Mutex::default(),
        };
        let address = Address {
            key: id.clone(),
            id: id.clone(),
            line,
        };
        Ok((Open::new(call, address, about), judged))
    }

    /// Says something to the agent, which has one answer to each of its requests.
    fn answer(&self, open: &Open, line: Vec<u8>) {
        if !open.about.has_answer.swap(true, Ordering::SeqCst) {
            self.agent.say(line);
        }
    }

    /// The agent takes a request back; false if it is not in our hands.
    fn taken_back(&self, params: &Node) -> bool {
        let held = params
            .get("requestId")
            .and_then(Id::of)
            .and_then(|id| self.calls.held(&id));
        let Some(open) = held.filter(|open| !self.asks.is_with_editor(open)) else {
            return false;
        };
        self.give_up(&open, replies::cancelled_request(&open.id()));
        true
    }

    fn give_up(&self, open: &Arc<Open>, line: Vec<u8>) {
        self.calls.remove(open);
        self.answer(open, line);
    }

    /// The editor cancels what a session does: whatever waits in it is over. What the editor itself asks, it answers itself.
    fn cancelled(&self, session: &str) {
        for open in self.calls.all_held() {
            if open.about.session == session && !self.asks.is_with_editor(&open) {
                let id = open.id();
                let line = if open.about.choices.is_some() {
                    replies::cancelled(&id, None)
                } else {
                    replies::cancelled_request(&id)
                };
                self.give_up(&open, line);
            }
        }
    }

    /// Ends what nobody answered.
    pub(super) fn tick(&self) {
        self.asks.expire();
    }

    /// What the editor says.
    pub(super) fn editor_says(&self, line: &[u8]) {
        let peeked = peek::peek(line);
        let (method, id) = peeked.as_ref().map_or((None, None), |peeked| {
            (peeked.method(), peeked.id.and_then(Id::parse))
        });
        match (peeked, method, id) {
            (Some(_), Some(method), id) => {
                if method.starts_with("session/")
                    && method != "session/prompt"
                    && line.len() <= LONGEST_BEGINNING
                {
                    self.session(&method, id, line);
                }
                self.agent.pass(line);
            }
            (Some(peeked), None, Some(id)) => self.editor_answers(&id, peeked.is_error, line),
            _ => drop(self.agent.pass(line)),
        }
    }

    /// The editor says something of a session.
    fn session(&self, method: &str, id: Option<Id>, line: &[u8]) {
        let node = std::str::from_utf8(line)
            .ok()
            .and_then(|text| json::read(text, &Limits::default()).ok());
        let Some(params) = node.as_ref().and_then(|node| node.get("params")) else {
            return;
        };
        match (method, message::text(params, "sessionId")) {
            ("session/cancel", Some(session)) => self.cancelled(session),
            _ => self.sessions.begins(id, method, params),
        }
    }

    /// An answer of the editor.
    fn editor_answers(&self, id: &Id, is_error: bool, line: &[u8]) {
        if self.asks.answers(id, line) {
            return;
        }
        match self.calls.whose(id) {
            // It was never given this request, so it cannot know the answer.
            Whose::Held => self.note(
                "acp_dropped",
                "an answer of the editor to a request that it was not given",
            ),
            Whose::Call(sent) => {
                self.agent.pass(line);
                sent.end(if is_error {
                    Ran::failed("the editor says that it failed")
                } else {
                    Ran::Done(Value::Null.into())
                });
            }
            Whose::Unfollowed | Whose::Other => drop(self.agent.pass(line)),
        }
    }

    /// The agent is gone: whatever it wanted is over.
    pub(super) fn agent_ended(&self) {
        let ended = Ran::failed("the agent ended before it was answered");
        self.calls.end_all(&ended);
        self.editor_ended();
        self.judge.end();
    }

    /// The editor is gone: nobody can be asked any more, and nobody waits for an answer.
    pub(super) fn editor_ended(&self) {
        for open in self.calls.all_held() {
            self.calls.remove(&open);
        }
    }
}

/// Who waits for an answer to a line that is too long to be read, where that stands at its start, as it does with most.
fn first_id(start: &[u8]) -> Option<Id> {
    const PARAMS: &[u8] = b"\"params\"";
    let at = start
        .windows(PARAMS.len())
        .position(|window| window == PARAMS)?;
    let head = start.get(..at)?.trim_ascii_end();
    let head = [head.strip_suffix(b",").unwrap_or(head), b"}"].concat();
    peek::peek(&head)
        .filter(|peeked| !peeked.is_ambiguous)
        .and_then(|peeked| peeked.id.and_then(Id::parse))
}

impl Door for Gateway {
    type About = About;

    fn calls(&self) -> &Calls {
        &self.calls
    }

    /// What the agent itself does does not concern the editor: the agent is allowed to do it.
    fn approved(&self, open: &Arc<Open>, approved: Approved) -> Option<Approved> {
        let Some(choices) = &open.about.choices else {
            return Some(approved);
        };
        // Before it is answered: then its id is free.
        self.calls.remove(open);
        let id = open.id();
        let own = choices
            .yes
            .as_ref()
            .map(|yes| replies::selected(&id, yes, None));
        if approved.yes().is_some() {
            open.about
                .what
                .iter()
                .for_each(|what| self.asks.answered.put(&open.about.session, what.clone()));
        }
        let nothing = || replies::rejected(&id, choices, "the agent offers no yes for once");
        let line = open.about.said(true).or(own).unwrap_or_else(nothing);
        self.answer(open, line);
        None
    }

    fn send(&self, _: &Open, line: Vec<u8>) -> Result<(), SendError> {
        match self.editor.pass(&line) {
            true => Ok(()),
            false => Err(SendError::EditorGone),
        }
    }

    fn refused(&self, open: &Open, why: &str) {
        let line = match &open.about.choices {
            Some(choices) => open
                .about
                .said(false)
                .unwrap_or_else(|| replies::rejected(&open.id(), choices, why)),
            None => replies::denied(&open.id(), why),
        };
        self.answer(open, line);
    }

    fn wait(&self, waiting: Later<'static, ()>) -> std::io::Result<()> {
        on_a_thread(waiting)
    }
}
