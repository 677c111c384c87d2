//! One message of a client: read whole and strictly, so that no server can read another call out of the same bytes.

use sayso_core::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_core::visible::visible;

use super::peek;

/// The longest message of a client.
pub(super) const LONGEST: usize = 16 << 20;

const LIMITS: Limits = Limits { bytes: LONGEST, depth: 128, nodes: 1_000_000 };
/// JSON-RPC's own numbers.
pub(super) const NO_JSON: i32 = -32700;
pub(super) const NO_REQUEST: i32 = -32600;
pub(super) const BAD_PARAMS: i32 = -32602;

/// The keys of a message, which must not come in any other spelling.
const KEYS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
/// The same for the parameters of what is judged.
const JUDGED_KEYS: [&str; 4] = ["name", "arguments", "uri", "_meta"];

/// The method that calls a tool.
pub(super) const CALL: &str = "tools/call";
/// Methods that are judged, always or where the person wants it.
const JUDGED: [&str; 3] = [CALL, "resources/read", "prompts/get"];

/// The id of a request, as JSON: `7` and `"7"` are two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id(String);

impl Id {
    /// The id of a value; none if it is neither a text nor a whole number.
    pub(super) fn of(node: &Node) -> Option<Id> {
        match &node.value {
            Value::Text(text) => Some(Id(json::quote(text))),
            Value::Number(number) => {
                let digits = number.strip_prefix('-').unwrap_or(number);
                // `1`, `1.0` and `1e0` are the same to many, and so could answer each other.
                let whole = digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) && number != "-0";
                whole.then(|| Id(number.clone()))
            }
            _ => None,
        }
    }

    /// The id that stands in a text of JSON.
    pub(super) fn parse(text: &str) -> Option<Id> {
        json::read(text, &Limits { bytes: 4096, depth: 1, nodes: 1 }).ok().as_ref().and_then(Id::of)
    }

    /// As JSON.
    pub(super) fn json(&self) -> &str {
        &self.0
    }

    /// One that is a text of ours.
    pub(super) fn text(text: &str) -> Id {
        Id(json::quote(text))
    }
}

/// What a client says.
#[derive(Debug)]
pub(super) enum Said {
    /// It wants an answer.
    Request(Id, String, Node),
    /// It wants none.
    Notice(String, Node),
    /// It answers the server.
    Response(Id, Node),
}

/// Why a message is not passed on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// Who waits for an answer, where that can be told.
    pub id: Option<Id>,
    pub code: i32,
    pub why: String,
}

/// Reads a line. Blank ones are none of ours and have no message.
///
/// # Errors
/// Whatever somebody else might read differently.
pub(super) fn read(line: &[u8]) -> Result<Option<Said>, Refused> {
    let body = line.strip_suffix(b"\n").unwrap_or(line);
    let body = body.strip_suffix(b"\r").unwrap_or(body);
    if body.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Ok(None);
    }
    let refuse = |code, why: String| Refused { id: waiting(body), code, why };
    if body.contains(&b'\r') {
        // Many readers end a line there, and so would read a message out of the middle of this one.
        return Err(refuse(NO_JSON, "the message holds a carriage return".to_owned()));
    }
    let text = std::str::from_utf8(body).map_err(|error| refuse(NO_JSON, format!("byte {} is no UTF-8", error.valid_up_to() + 1)))?;
    let node = json::read(text, &LIMITS).map_err(|finding| {
        refuse(NO_JSON, format!("the message is no sound JSON: {} (byte {})", visible(&finding.message), finding.span.start + 1))
    })?;
    match &node.value {
        Value::Map(_) => {}
        Value::List(_) => return Err(refuse(NO_REQUEST, "several messages in one are not passed on; send them one by one".to_owned())),
        _ => return Err(refuse(NO_REQUEST, format!("the message is {}, not an object", node.kind_word()))),
    }
    said(&node).map(Some).map_err(|why| Refused { id: node.get("id").and_then(Id::of), code: NO_REQUEST, why })
}

/// Who waits for an answer to a line that cannot be read.
fn waiting(body: &[u8]) -> Option<Id> {
    let peeked = peek::peek(body)?;
    peeked.id.filter(|_| !peeked.is_ambiguous && peeked.method.is_some()).and_then(Id::parse)
}

fn said(node: &Node) -> Result<Said, String> {
    spelled(node, &KEYS)?;
    if node.get("jsonrpc").and_then(Node::as_text) != Some("2.0") {
        return Err("`jsonrpc` is not \"2.0\"".to_owned());
    }
    let id = node.get("id").map(|id| Id::of(id).ok_or("`id` is neither a text nor a whole number")).transpose()?;
    let answers = node.get("result").is_some() || node.get("error").is_some();
    let Some(method) = node.get("method") else {
        return match id {
            Some(id) if answers => Ok(Said::Response(id, node.clone())),
            _ => Err("it is neither a request nor an answer".to_owned()),
        };
    };
    if answers {
        return Err("it is a request and an answer in one".to_owned());
    }
    let method = method.as_text().ok_or("`method` is no text")?;
    if let Some(meant) = JUDGED.iter().find(|judged| **judged != method && folded(judged) == folded(method)) {
        return Err(format!("`{}` is almost `{meant}`", visible(method)));
    }
    let params = node.get("params").cloned().unwrap_or_else(|| Value::Null.into());
    if JUDGED.contains(&method) {
        spelled(&params, &JUDGED_KEYS)?;
    }
    match id {
        Some(id) => Ok(Said::Request(id, method.to_owned(), params)),
        None if JUDGED.contains(&method) => Err(format!("`{method}` without an `id` is not passed on")),
        None => Ok(Said::Notice(method.to_owned(), params)),
    }
}

/// Refuses names that only some take for one of these.
fn spelled(node: &Node, keys: &[&str]) -> Result<(), String> {
    let odd = node.entries().iter().find(|entry| keys.iter().any(|key| entry.key != *key && folded(&entry.key) == folded(key)));
    odd.map_or(Ok(()), |entry| Err(format!("the key `{}` is almost another one", visible(&entry.key))))
}

/// A name as somebody might take it who is careless.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    sayso_core::paths::fold(&letters.collect::<String>()).to_lowercase()
}

/// The tool and the arguments of a call.
///
/// # Errors
/// What is missing or of another kind.
pub(super) fn tool_call(params: &Node) -> Result<(&str, Node), String> {
    let Value::Map(_) = params.value else { return Err("`params` is no object".to_owned()) };
    let name = params.get("name").and_then(Node::as_text).filter(|name| !name.is_empty()).ok_or("`params.name` names no tool")?;
    let arguments = match params.get("arguments") {
        None => Node::map::<String>([]),
        Some(node) if matches!(node.value, Value::Map(_)) => node.clone(),
        Some(node) if matches!(node.value, Value::Null) => Node::map::<String>([]),
        Some(node) => return Err(format!("`params.arguments` is {}, not an object", node.kind_word())),
    };
    Ok((name, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(line: &str) -> String {
        match read(line.as_bytes()) {
            Err(refused) => refused.why,
            Ok(said) => panic!("{line} was read: {said:?}"),
        }
    }

    #[test]
    fn t06_t07_what_two_readers_could_read_in_two_ways_is_refused() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","meth_od":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":{"y":1,"y":2}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","Arguments":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\u0000/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ｔools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"name":"a"}}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"tools/call"}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[\r{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\"}\r]}",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\0",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
            "7",
            "null",
            "x",
        ] {
            assert!(!why(line).is_empty(), "{line}");
        }
        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        assert!(why(&deep).contains("JSON"));
    }

    #[test]
    fn a_method_counts_by_what_it_says_and_not_by_how_it_is_escaped() {
        for method in ["tools/call", r"tools\/call", r"\u0074ools/call"] {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"{method}\",\"params\":{{\"name\":\"a\"}}}}\r\n");
            let said = read(line.as_bytes()).unwrap().unwrap();
            assert!(matches!(said, Said::Request(_, method, _) if method == CALL));
        }
    }

    #[test]
    fn who_waits_is_told_where_that_is_plain() {
        let id = |line: &str| read(line.as_bytes()).unwrap_err().id.map(|id| id.json().to_owned());
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":1,"a":2}}"#).as_deref(), Some("7"));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"x"}"#), None);
        assert_eq!(id("{"), None);
    }

    #[test]
    fn what_is_not_judged_passes_with_whatever_it_holds() {
        for line in [
            "{\"jsonrpc\":\"2.0\",\"id\":12345678,\"method\":\"future/thing\",\"params\":{\"big\":12345678901234567890123,\"u\":\"\u{2028}\"}}",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"x"},"extra":true}"#,
        ] {
            assert!(read(line.as_bytes()).unwrap().is_some(), "{line}");
        }
        assert!(read(b"  \r\n").unwrap().is_none());
    }
}
