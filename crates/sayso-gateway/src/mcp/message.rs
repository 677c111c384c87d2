//! One message of a client: which of them are judged, and what a call of a tool says.

use sayso_core::text::node::{Node, Value};

use crate::rpc::message;
use crate::rpc::message::Judged;
pub(super) use crate::rpc::message::{
    BAD_PARAMS, Id, LIMITS, LONGEST, MessageError, NO_REQUEST, Refused, Said,
};

/// The method that calls a tool.
pub(super) const CALL: &str = "tools/call";

const JUDGED: Judged = Judged {
    methods: &[CALL, "resources/read", "prompts/get"],
    keys: &["name", "arguments", "uri", "_meta"],
};

/// Reads a line. Blank ones are none of ours and have no message.
///
/// # Errors
/// Whatever a server might read differently.
pub(super) fn read(line: &[u8]) -> Result<Option<Said>, Refused> {
    message::read(line, &JUDGED)
}

/// A call as its operation has it: what a question, and what comes again, are about.
pub(super) fn operation_args(server: &str, tool: &str, arguments: Node) -> Node {
    Node::map([
        ("server", Node::text(server)),
        ("tool", Node::text(tool)),
        ("arguments", arguments),
    ])
}

/// The tool and the arguments of a call, which are taken out: they may be large.
///
/// # Errors
/// What is missing or of another kind.
pub(super) fn tool_call(params: &mut Node) -> Result<(String, Node), MessageError> {
    let Value::Map(_) = params.value else {
        return Err(MessageError::NoParams);
    };
    let name = params
        .get("name")
        .and_then(Node::as_text)
        .filter(|name| !name.is_empty())
        .ok_or(MessageError::NoTool)?
        .to_owned();
    match message::take(params, "arguments") {
        Some(node) if matches!(node.value, Value::Map(_)) => Ok((name, node)),
        Some(node) if !matches!(node.value, Value::Null) => {
            Err(MessageError::NoObject("params.arguments", node.kind_word()))
        }
        _ => Ok((name, Node::map::<String>([]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(line: &str) -> String {
        match read(line.as_bytes()) {
            Err(refused) => refused.why.to_string(),
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
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\u{2028}{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[\u{85}{\"jsonrpc\":\"2.0\"}]}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[\x0b1]}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[\x0c1]}",
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
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}{}}}"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        assert!(why(&deep).contains("JSON"));
    }

    #[test]
    fn a_method_counts_by_what_it_says_and_not_by_how_it_is_escaped() {
        for method in ["tools/call", r"tools\/call", r"\u0074ools/call"] {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"{method}\",\"params\":{{\"name\":\"a\"}}}}\r\n"
            );
            let said = read(line.as_bytes()).unwrap().unwrap();
            assert!(matches!(said, Said::Request(_, method, _) if method == CALL));
        }
    }

    #[test]
    fn who_waits_is_told_where_that_is_plain() {
        let id = |line: &str| {
            read(line.as_bytes())
                .unwrap_err()
                .id
                .map(|id| id.json().to_owned())
        };
        assert_eq!(
            id(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":1,"a":2}}"#)
                .as_deref(),
            Some("7")
        );
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
