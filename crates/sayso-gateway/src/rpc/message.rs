//! One message of JSON-RPC: read whole and strictly, so that nobody behind the gateway can read another call out of the same bytes.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};

use super::peek;

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

/// Why a message is not passed on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Who waits for an answer, where that can be told.
    pub id: Option<Id>,
    pub code: i32,
    pub why: String,
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
    let refuse = |code, why: String| Refused {
        id: waiting(body),
        code,
        why,
    };
    if body.contains(&b'\r') {
        // Many readers end a line there, and so would read a message out of the middle of this one.
        return Err(refuse(
            NO_JSON,
            "the message holds a carriage return".to_owned(),
        ));
    }
    let text = std::str::from_utf8(body).map_err(|error| {
        refuse(
            NO_JSON,
            format!("byte {} is no UTF-8", error.valid_up_to() + 1),
        )
    })?;
    let mut node = json::read(text, &LIMITS).map_err(|finding| {
        refuse(
            NO_JSON,
            format!(
                "the message is no sound JSON: {} (byte {})",
                visible(&finding.message),
                finding.span.start + 1
            ),
        )
    })?;
    match &node.value {
        Value::Map(_) => {}
        Value::List(_) => {
            return Err(refuse(
                NO_REQUEST,
                "several messages in one are not passed on; send them one by one".to_owned(),
            ));
        }
        _ => {
            return Err(refuse(
                NO_REQUEST,
                format!("the message is {}, not an object", node.kind_word()),
            ));
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
fn said(node: &mut Node, judged: &Judged) -> Result<Said, String> {
    spelled(node, &KEYS)?;
    if node.get("jsonrpc").and_then(Node::as_text) != Some("2.0") {
        return Err("`jsonrpc` is not \"2.0\"".to_owned());
    }
    let id = node
        .get("id")
        .map(|id| Id::of(id).ok_or("`id` is neither a text nor a whole number"))
        .transpose()?;
    let answers = node.get("result").is_some() || node.get("error").is_some();
    let Some(method) = node.get("method") else {
        return match id {
            Some(id) if answers => Ok(Said::Response(
                id,
                std::mem::replace(node, Value::Null.into()),
            )),
            _ => Err("it is neither a request nor an answer".to_owned()),
        };
    };
    if answers {
        return Err("it is a request and an answer in one".to_owned());
    }
    let method = method.as_text().ok_or("`method` is no text")?.to_owned();
    let method = method.as_str();
    if let Some(meant) = judged
        .methods
        .iter()
        .find(|judged| **judged != method && folded(judged) == folded(method))
    {
        return Err(format!("`{}` is almost `{meant}`", visible(method)));
    }
    if let (true, Some(params)) = (judged.methods.contains(&method), node.get("params")) {
        spelled(params, judged.keys)?;
    }
    if id.is_none() && judged.methods.contains(&method) {
        return Err(format!("`{method}` without an `id` is not passed on"));
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
pub(crate) fn spelled(node: &Node, keys: &[&str]) -> Result<(), String> {
    let odd = node.entries().iter().find(|entry| {
        keys.iter()
            .any(|key| entry.key != *key && folded(&entry.key) == folded(key))
    });
    odd.map_or(Ok(()), |entry| {
        Err(format!(
            "the key `{}` is almost another one",
            visible(&entry.key)
        ))
    })
}

/// A name as somebody might take it who is careless.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    sayso_core::paths::fold(&letters.collect::<String>()).to_lowercase()
}
