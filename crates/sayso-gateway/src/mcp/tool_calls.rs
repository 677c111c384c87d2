//! A call of a client, from its message to its end: the same over pipes and over HTTP, which differ in how a message is carried and in how a
//! call waits.

use std::io;
use std::sync::Arc;

use sayso_core::call::operation::{Call, Operation};
use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_gate::error::{PortError, port_error};
use sayso_gate::ports::Later;

use super::asking::{Asks, Retried, Ways};
use super::judge::Judge;
use super::message::{BAD_PARAMS, CALL, Id, MessageError, NO_REQUEST, Refused, operation_args};
use super::open_calls::{About, Address, Calls, Open};
use super::{message, replies, server_message};
use crate::rpc::drive_call::{Door, SendError, drive};
use sayso_runtime::mcp_servers::catalogue::Catalogue;

/// How messages are carried, and how a call waits.
pub(super) trait Carrier: Send + Sync {
    /// Takes an approved call to the server.
    ///
    /// # Errors
    /// When the server or the client is not there any more.
    fn send(&self, open: &Open, line: Vec<u8>) -> Result<(), SendError>;

    /// Answers a call that the server never got.
    fn answer(&self, open: &Open, line: Vec<u8>);

    /// Asks the client that made a call.
    fn ask(&self, open: &Open, line: Vec<u8>);

    /// Lets a call wait for a person.
    ///
    /// # Errors
    /// When nothing more can wait.
    fn wait(&self, waiting: Later<'static, ()>) -> io::Result<()>;

    /// The question about a call is over.
    fn decided(&self, _: &Open) {}
}

/// Takes calls through the gate.
pub(super) struct ToolCalls {
    pub judge: Judge,
    pub calls: Arc<Calls>,
    pub asks: Arc<Asks>,
    pub carrier: Arc<dyn Carrier>,
}

/// A call as the client said it.
pub(super) struct Request {
    pub id: Id,
    pub tool: String,
    pub arguments: Node,
    /// What else it says.
    params: Node,
    line: Vec<u8>,
}

/// What is known of a call by the way that it came.
pub(super) struct Origin {
    /// The id among those of all clients; the gate's own where clients cannot be told apart.
    pub key: Option<Id>,
    /// A denial of it is a result that the model reads.
    pub is_call: bool,
    /// The client's own dialog can ask, by what it said when it began.
    pub elicits: Option<bool>,
    /// The client tells the truth of itself: its calls are known at hooks, and it is told of progress.
    pub is_only_client: bool,
}

impl Request {
    /// Reads a request that is judged.
    ///
    /// # Errors
    /// When it is not a call.
    pub(super) fn read(
        id: Id,
        method: &str,
        mut params: Node,
        line: Vec<u8>,
    ) -> Result<Request, Refused> {
        let call = match method {
            CALL => message::tool_call(&mut params),
            _ => Ok((method.to_owned(), params.clone())),
        };
        match call {
            Ok((tool, arguments)) => Ok(Request {
                id,
                tool,
                arguments,
                params,
                line,
            }),
            Err(why) => Err(Refused {
                id: Some(id),
                code: BAD_PARAMS,
                why,
            }),
        }
    }

    fn meta(&self, key: &str) -> Option<&Node> {
        self.params.get("_meta")?.get(key)
    }

    fn version(&self) -> Option<&Node> {
        self.meta("io.modelcontextprotocol/protocolVersion")
    }

    fn state(&self) -> Option<&str> {
        self.params.get("requestState").and_then(Node::as_text)
    }

    /// The question of ours that it comes back with an answer to.
    pub(super) fn answers(&self) -> Option<&str> {
        self.state().filter(|token| token.starts_with("sayso-"))
    }
}

impl ToolCalls {
    /// Whether the policy has this judged as well. It is judged if the policy is unknown.
    pub(super) fn is_gated(&self, what: &str) -> bool {
        self.judge.bench().map_or(true, |bench| {
            bench
                .settings
                .mcp_gate
                .iter()
                .any(|gated| gated.word() == what)
        })
    }

    /// Takes a call in.
    ///
    /// # Errors
    /// When its id is that of another one.
    pub(super) fn begin(
        &self,
        request: Request,
        origin: Origin,
        catalogue: &Arc<Catalogue>,
    ) -> Result<(Arc<Open>, Call), Refused> {
        if origin.key.as_ref().is_some_and(|key| self.calls.has(key)) {
            return Err(still_open(request.id));
        }
        let version = request.version();
        let elicits = match version {
            Some(version) => can_elicit(
                request.meta("io.modelcontextprotocol/clientCapabilities"),
                Some(version),
            ),
            None => origin.elicits,
        };
        let tool_use = request
            .meta("claudecode/toolUseId")
            .or_else(|| request.meta("callId"));
        let tool_use = tool_use.and_then(Node::as_text).map(str::to_owned);
        let progress = request
            .meta("progressToken")
            .filter(|token| matches!(token.value, Value::Text(_) | Value::Number(_)));
        let progress = progress.cloned();
        let is_modern = version.is_some();
        let state = request.state().map(str::to_owned);
        let Request {
            id,
            tool,
            arguments,
            line,
            ..
        } = request;
        let known = catalogue.called(&tool, &arguments);
        let call = self
            .judge
            .call(self.judge.next_id(), &tool, arguments, known);
        // Only clients of the newer era come again.
        let what = is_modern.then(|| Digest::of_node(&call.args));
        let about = About {
            is_modern,
            is_call: origin.is_call,
            elicits,
            tool_use: tool_use.filter(|_| origin.is_only_client),
            progress: progress.filter(|_| origin.is_only_client),
            ticks: 0.into(),
            catalogue: Arc::clone(catalogue),
            goes_on: state
                .zip(what)
                .is_some_and(|(state, what)| self.asks.goes_on(&state, what)),
            what,
        };
        let key = origin.key.unwrap_or_else(|| Id::text(&call.id));
        let address = Address { key, id, line };
        let open = Open::new(call.id.clone(), address, about);
        match self.calls.add(&open) {
            true => Ok((open, call)),
            false => Err(still_open(open.id())),
        }
    }

    /// Has a call judged: it is sent on or refused at once, or a person is asked, and then it waits.
    pub(super) fn judge(self: &Arc<Self>, open: &Arc<Open>, call: Call) {
        let bench = match self.judge.bench() {
            Ok(bench) => bench,
            Err(why) => {
                self.calls.remove(open);
                self.refused(open, &format!("denied: {why}. nothing was changed"));
                return self.decided(open);
            }
        };
        self.asks.set_ways(Ways {
            elicits: bench
                .settings
                .mcp_elicitation
                .contains(&self.judge.who.client),
            starts_inbox: bench.settings.hooks_start,
        });
        drive(self, &bench.gate, open, call);
    }

    /// The call that this one comes back for, if it is the same one.
    ///
    /// # Errors
    /// When it is none that waits.
    pub(super) fn retried(&self, token: &str, request: &Request) -> Result<Retried, Refused> {
        let args = operation_args(
            &self.judge.who.server,
            &request.tool,
            request.arguments.clone(),
        );
        let answers = request.params.get("inputResponses");
        let answer = answers.and_then(|answers| answers.get("sayso"));
        self.asks
            .retried(token, &args, answer)
            .ok_or_else(|| not_open(&request.id))
    }

    /// A call that is repeated with the answer to our question continues where it waits.
    pub(super) fn go_on(&self, retried: Retried, key: Id, request: Request) {
        let Request { id, line, .. } = request;
        let line = without_answer(&line).unwrap_or(line);
        self.calls
            .hand_over(&retried.open, Address { key, id, line });
        retried.go_on();
    }

    /// Looks at the result in an answer: at a list of tools, and at questions to the client. Gives what the client gets instead, and why.
    pub(super) fn look_at_result(
        &self,
        id: &Id,
        result: &str,
        list: Option<(&Catalogue, bool)>,
        note: impl Fn(&str),
    ) -> Option<(Vec<u8>, String)> {
        if let Some((catalogue, is_rest)) = list
            && let Err(why) = catalogue.observe(result, is_rest)
        {
            note("a list of tools that can be read in two ways");
            let why = format!("the server's list of tools is not passed on: {why}");
            return Some((
                replies::denied_request(id, &why),
                "its answer is not passed on".to_owned(),
            ));
        }
        let what = server_message::refusal_in(result, |what| self.is_gated(what))?;
        note(&format!("{what} in an answer"));
        let why = format!("{what} of the server is not passed on to the client");
        Some((
            replies::denied(id, &why, true),
            format!("the server wanted {what}"),
        ))
    }

    /// An answer that asks the client for more: the call comes again, and is still the same.
    pub(super) fn may_go_on(&self, what: Option<Digest>, result: Option<&str>) {
        let state = result.and_then(server_message::state_in);
        if let Some((what, state)) = what.zip(state) {
            self.asks.may_go_on(state, what);
        }
    }
}

impl Door for ToolCalls {
    type About = About;

    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn check(&self, open: &Open, operation: &Operation) -> Result<(), PortError> {
        let catalogue = &open.about.catalogue;
        catalogue.approved(operation).map_err(port_error)
    }

    fn send(&self, open: &Open, line: Vec<u8>) -> Result<(), SendError> {
        self.carrier.send(open, line)
    }

    fn refused(&self, open: &Open, why: &str) {
        self.carrier.answer(open, denial(open, why));
    }

    fn wait(&self, waiting: Later<'static, ()>) -> io::Result<()> {
        self.carrier.wait(waiting)
    }

    fn decided(&self, open: &Open) {
        self.carrier.decided(open);
    }
}

/// A denial: of a call it is a result that the model reads, and of anything else an error.
pub(super) fn denial(open: &Open, why: &str) -> Vec<u8> {
    match open.about.is_call {
        true => replies::denied(&open.id(), why, open.about.is_modern),
        false => replies::denied_request(&open.id(), why),
    }
}

pub(super) fn still_open(id: Id) -> Refused {
    Refused {
        id: Some(id),
        code: NO_REQUEST,
        why: MessageError::StillOpen("call"),
    }
}

pub(super) fn not_open(id: &Id) -> Refused {
    Refused {
        id: Some(id.clone()),
        code: BAD_PARAMS,
        why: MessageError::NoQuestion,
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
fn without_answer(line: &[u8]) -> Option<Vec<u8>> {
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
