//! One message of JSON-RPC: read whole and strictly, so that nobody behind the gateway can read another call out of the same bytes.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use thiserror::Error;

use super::peek;
use crate::error::GatewayError;

/// The longest message that is judged.
pub(crate) const LONGEST: usize = 16 << 20;

/// What a message may have.
pub(crate) const LIMITS: Limits = Limits {
    bytes: LONGEST,
    depth: 128,
    nodes: 1_000_000,
};
/// JSON-RPC's own numbers.
pub(crate) const NO_JSON: i32 = -32700;
pub(crate) const NO_REQUEST: i32 = -32600;
pub(crate) const BAD_PARAMS: i32 = -32602;

/// The keys of a message, which must not come in any other spelling.
const KEYS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// What a gateway judges.
pub(crate) struct Judged {
    /// The methods, always or where the person wants it.
    pub methods: &'static [&'static str],
    /// The keys of their parameters, which must not come in any other spelling.
    pub keys: &'static [&'static str],
}

/// The id of a request, as JSON: `7` and `"7"` are two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Id(String);

impl Id {
    /// The id of a value; none if it is neither a text nor a whole number.
    pub(crate) fn of(node: &Node) -> Option<Id> {
        match &node.value {
            Value::Text(text) => Some(Id(json::quote(text))),
            Value::Number(number) => {
                let digits = number.strip_prefix('-').unwrap_or(number);
                // `1`, `1.0` and `1e0` are the same to many, and so could answer each other.
                let whole = digits.bytes().all(|byte| byte.is_ascii_digit()) && number != "-0";
                // Beyond that, programs that count in floating point take neighbours for the same.
                let exact = digits.parse::<u64>().is_ok_and(|value| value < 1 << 53);
                (whole && exact).then(|| Id(number.clone()))
            }
            _ => None,
        }
    }

    /// The id that stands in a text of JSON.
    pub(crate) fn parse(text: &str) -> Option<Id> {
        json::read(
            text,
            &Limits {
                bytes: 4096,
                depth: 1,
                nodes: 1,
            },
        )
        .ok()
        .as_ref()
        .and_then(Id::of)
    }

    /// As JSON.
    pub(crate) fn json(&self) -> &str {
        &self.0
    }

    /// One that is a text of ours.
    pub(crate) fn text(text: &str) -> Id {
        Id(json::quote(text))
    }
}

/// What a message is.
#[derive(Debug)]
pub(crate) enum Said {
    /// It wants an answer.
    Request(Id, String, Node),
    /// It wants none.
    Notice(String, Node),
    /// It answers somebody.
    Response(Id, Node),
}

/// What is wrong with a message.
#[derive(Debug, Error)]
pub(crate) enum MessageError {
    #[error("the message is longer than {} MiB", .0 >> 20)]
    TooLong(usize),
    #[error("the message is too long")]
    TooLongHere,
    #[error("the message holds a carriage return")]
    CarriageReturn,
    #[error("byte {0} is no UTF-8")]
    NotUtf8(usize),
    #[error("the message is no sound JSON: {finding} (byte {byte})")]
    NotJson { finding: String, byte: u32 },
    #[error("several messages in one are not passed on; send them one by one")]
    Several,
    #[error("the message is {0}, not an object")]
    NoMessage(&'static str),
    #[error("`jsonrpc` is not \"2.0\"")]
    Version,
    #[error("`id` is neither a text nor a whole number")]
    Id,
    #[error("it is neither a request nor an answer")]
    Neither,
    #[error("it is a request and an answer in one")]
    Both,
    #[error("`{0}` is almost `{1}`")]
    AlmostMethod(String, &'static str),
    #[error("the key `{0}` is almost another one")]
    AlmostKey(String),
    #[error("`{0}` without an `id` is not passed on")]
    WithoutId(String),
    #[error("the id is that of a {0} that is still open")]
    StillOpen(&'static str),
    #[error("{0} requests are open already")]
    TooManyOpen(usize),
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is no text")]
    NoText(&'static str),
    #[error("`{0}` is no absolute path")]
    NotAbsolute(&'static str),
    #[error("`params` is no object")]
    NoParams,
    #[error("`{0}` is {1}, not an object")]
    NoObject(&'static str, &'static str),
    #[error("`{0}` is {1}, not a list")]
    NoList(&'static str, &'static str),
    #[error("it names nothing")]
    NamesNothing,
    #[error("`params.name` names no tool")]
    NoTool,
    #[error("the question that this answers is not open any more, or was about another call")]
    NoQuestion,
    #[error("`{0}` says something else than the body")]
    NotTheBody(&'static str),
    #[error("`{0}` says something else than the arguments")]
    NotTheArguments(String),
    #[error("nobody knows this session: the editor did not begin it in any folder")]
    UnknownSession,
    #[error("it has a `toolCall` and a `subject`, and could be read as either")]
    TwoSubjects,
    #[error("it has neither a `toolCall` nor a `title`")]
    NoSubject,
    #[error("`subject` is a command and a call of a tool at once")]
    TwoKinds,
    #[error("an option has no `{0}`")]
    Option(&'static str),
    #[error("two options have the same `optionId`, so that a yes to one could be one to the other")]
    SameOption,
    #[error("an argument in `args` is no text")]
    Argument,
    #[error("a variable in `env` has no `name` or no `value`")]
    Variable,
    #[error("the variable `{0}` stands twice in `env`")]
    VariableTwice(String),
    #[error("the call is malformed: {0}")]
    Malformed(String),
    #[error("there is no `{0}` here")]
    UnknownMethod(String),
    #[error("there is no tool `{0}` here")]
    UnknownTool(String),
    #[error("there is nothing to judge")]
    Nothing,
    #[error(transparent)]
    Gateway(#[from] GatewayError),
}

/// Why a message is not passed on.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Who waits for an answer, where that can be told.
    pub id: Option<Id>,
    pub code: i32,
    pub why: MessageError,
}

/// Reads a line. Blank ones are none of ours and have no message.
///
/// # Errors
/// Whatever somebody else might read differently.
pub(crate) fn read(line: &[u8], judged: &Judged) -> Result<Option<Said>, Refused> {
    let body = line.strip_suffix(b"\n").unwrap_or(line);
    let body = body.strip_suffix(b"\r").unwrap_or(body);
    if body.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Ok(None);
    }
    let refuse = |code, why| Refused {
        id: waiting(body),
        code,
        why,
    };
    if body.contains(&b'\r') {
        // Many readers end a line there, and so would read a message out of the middle of this one.
        return Err(refuse(NO_JSON, MessageError::CarriageReturn));
    }
    let text = std::str::from_utf8(body)
        .map_err(|error| refuse(NO_JSON, MessageError::NotUtf8(error.valid_up_to() + 1)))?;
    let mut node = json::read(text, &LIMITS).map_err(|finding| {
        let byte = finding.span.start + 1;
        let finding = visible(&finding.message).into_owned();
        refuse(NO_JSON, MessageError::NotJson { finding, byte })
    })?;
    match &node.value {
        Value::Map(_) => {}
        Value::List(_) => {
            return Err(refuse(NO_REQUEST, MessageError::Several));
        }
        _ => {
            let kind = node.kind_word();
            return Err(refuse(NO_REQUEST, MessageError::NoMessage(kind)));
        }
    }
    said(&mut node, judged).map(Some).map_err(|why| Refused {
        id: node.get("id").and_then(Id::of),
        code: NO_REQUEST,
        why,
    })
}

/// Who waits for an answer to a line that cannot be read.
fn waiting(body: &[u8]) -> Option<Id> {
    let peeked = peek::peek(body)?;
    peeked
        .id
        .filter(|_| !peeked.is_ambiguous && peeked.method.is_some())
        .and_then(Id::parse)
}

/// What a message says. Nothing of it is copied: it may be large.
fn said(node: &mut Node, judged: &Judged) -> Result<Said, MessageError> {
    spelled(node, &KEYS)?;
    if node.get("jsonrpc").and_then(Node::as_text) != Some("2.0") {
        return Err(MessageError::Version);
    }
    let id = node
        .get("id")
        .map(|id| Id::of(id).ok_or(MessageError::Id))
        .transpose()?;
    let answers = node.get("result").is_some() || node.get("error").is_some();
    let Some(method) = node.get("method") else {
        return match id {
            Some(id) if answers => Ok(Said::Response(
                id,
                std::mem::replace(node, Value::Null.into()),
            )),
            _ => Err(MessageError::Neither),
        };
    };
    if answers {
        return Err(MessageError::Both);
    }
    let method = method
        .as_text()
        .ok_or(MessageError::NoText("method"))?
        .to_owned();
    let method = method.as_str();
    if let Some(meant) = judged
        .methods
        .iter()
        .find(|judged| **judged != method && folded(judged) == folded(method))
    {
        return Err(MessageError::AlmostMethod(
            visible(method).into_owned(),
            meant,
        ));
    }
    if let (true, Some(params)) = (judged.methods.contains(&method), node.get("params")) {
        spelled(params, judged.keys)?;
    }
    if id.is_none() && judged.methods.contains(&method) {
        return Err(MessageError::WithoutId(method.to_owned()));
    }
    let params = take(node, "params").unwrap_or_else(|| Value::Null.into());
    match id {
        Some(id) => Ok(Said::Request(id, method.to_owned(), params)),
        None => Ok(Said::Notice(method.to_owned(), params)),
    }
}

/// Takes a value out of a map, and leaves nothing in its place.
pub(crate) fn take(node: &mut Node, key: &str) -> Option<Node> {
    let Value::Map(entries) = &mut node.value else {
        return None;
    };
    let entry = entries.iter_mut().find(|entry| entry.key == key)?;
    Some(std::mem::replace(&mut entry.node, Value::Null.into()))
}

/// Refuses names that only some take for one of these.
pub(crate) fn spelled(node: &Node, keys: &[&str]) -> Result<(), MessageError> {
    let odd = node.entries().iter().find(|entry| {
        keys.iter()
            .any(|key| entry.key != *key && folded(&entry.key) == folded(key))
    });
    odd.map_or(Ok(()), |entry| {
        Err(MessageError::AlmostKey(visible(&entry.key).into_owned()))
    })
}

/// A name as somebody might take it who is careless.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    sayso_core::paths::fold(&letters.collect::<String>()).to_lowercase()
}
