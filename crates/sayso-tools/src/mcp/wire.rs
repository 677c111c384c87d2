//! Messages of JSON-RPC, written and read: one a line.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};

use super::error::McpError;

/// The longest message of a server.
pub(super) const LONGEST: usize = 16 << 20;
const LIMITS: Limits = Limits {
    bytes: LONGEST,
    depth: 128,
    nodes: 1_000_000,
};
/// So much of what a server says about an error is told.
const LONGEST_WORDS: usize = 2000;
/// JSON-RPC's number for a method that is not there.
const NO_METHOD: i32 = -32601;

/// What a server says.
#[derive(Debug)]
pub(super) enum Said {
    /// The answer to a request of ours: its id, and the result or what went wrong.
    Answer(String, Result<Node, McpError>),
    /// It wants something: the id as JSON, and the method.
    Request(String, String),
    /// It tells something.
    Notice(String),
    /// Nothing that means anything.
    Noise,
}

/// Reads a line.
///
/// # Errors
/// When it looks like a message and is none that everybody reads in the same way.
pub(super) fn read(line: &[u8]) -> Result<Said, McpError> {
    let body = line.trim_ascii();
    // Some print words where only messages should stand.
    if body.first() != Some(&b'{') {
        return Ok(Said::Noise);
    }
    let text = std::str::from_utf8(body).map_err(|_| McpError::NotUtf8)?;
    let node = json::read(text, &LIMITS).map_err(|finding| McpError::NotJson(Box::new(finding)))?;
    let id = node.get("id").map(json::write);
    let method = node
        .get("method")
        .and_then(Node::as_text)
        .map(str::to_owned);
    Ok(match (method, id) {
        (Some(method), Some(id)) => Said::Request(id, method),
        (Some(method), None) => Said::Notice(method),
        (None, Some(id)) => match (node.get("result"), node.get("error")) {
            (Some(result), None) => Said::Answer(id, Ok(result.clone())),
            (None, Some(error)) => Said::Answer(id, Err(failed(error))),
            _ => Said::Noise,
        },
        (None, None) => Said::Noise,
    })
}

fn failed(error: &Node) -> McpError {
    let words = error
        .get("message")
        .and_then(Node::as_text)
        .unwrap_or("no words");
    let short: String = words.chars().take(LONGEST_WORDS).collect();
    let code = error.get("code").map(json::write).unwrap_or_default();
    McpError::Answered {
        code,
        words: visible(&short).into_owned(),
    }
}

/// A request.
pub(super) fn request(id: u64, method: &str, params: Node) -> String {
    message([
        ("id", Value::Number(id.to_string()).into()),
        ("method", Node::text(method)),
        ("params", params),
    ])
}

/// A notice.
pub(super) fn notice(method: &str, params: Option<Node>) -> String {
    message(
        [("method", Node::text(method))]
            .into_iter()
            .chain(params.map(|params| ("params", params))),
    )
}

/// The answer to what a server wants of us: that is not there. A `ping` has an answer.
pub(super) fn refusal(id: &str, method: &str) -> String {
    match method {
        "ping" => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n"),
        _ => {
            let words = json::quote("sayso gives servers nothing but calls");
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{NO_METHOD},\"message\":{words}}}}}\n"
            )
        }
    }
}

fn message<'a>(entries: impl IntoIterator<Item = (&'a str, Node)>) -> String {
    let all = [("jsonrpc", Node::text("2.0"))].into_iter().chain(entries);
    format!("{}\n", json::write(&Node::map(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_doubtful_ones_refused() {
        assert!(matches!(read(b"listening on stdio\n"), Ok(Said::Noise)));
        assert!(
            matches!(read(br#"{"id":1,"result":{}}"#), Ok(Said::Answer(id, Ok(_))) if id == "1")
        );
        assert!(
            matches!(read(br#"{"id":"1","result":{}}"#), Ok(Said::Answer(id, Ok(_))) if id == "\"1\"")
        );
        assert!(matches!(
            read(br#"{"id":1,"method":"ping"}"#),
            Ok(Said::Request(..))
        ));
        assert!(matches!(read(br#"{"method":"x"}"#), Ok(Said::Notice(method)) if method == "x"));
        assert!(matches!(
            read(br#"{"id":1,"result":{},"error":{}}"#),
            Ok(Said::Noise)
        ));
        let Ok(Said::Answer(_, Err(failed))) =
            read(br#"{"id":1,"error":{"code":-1,"message":"a\u001b[2J"}}"#)
        else {
            panic!("no error")
        };
        assert!(!failed.to_string().contains('\u{1b}'), "{failed:?}");
        for line in [
            &br#"{"id":1,"id":2,"result":{}}"#[..],
            b"{\"id\":1",
            b"{\"id\":\xff}",
        ] {
            assert!(read(line).is_err());
        }
    }

    #[test]
    fn a_request_is_one_line_with_its_numbers_as_they_were() {
        let params = Node::map([
            (
                "n",
                Node::from(Value::Number("12345678901234567890123".into())),
            ),
            ("t", Node::text("a\nb\u{2028}")),
        ]);
        let line = request(7, "tools/call", params);
        assert!(
            line.contains("12345678901234567890123") && line.matches('\n').count() == 1,
            "{line}"
        );
    }
}
