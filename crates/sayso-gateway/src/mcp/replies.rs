//! What the gateway says by itself, as lines of JSON-RPC.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::message::{Id, Refused};

/// The number of a refusal of ours; no number that JSON-RPC or MCP keeps for itself.
const REFUSED: i32 = 20;

fn line(text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    bytes.push(b'\n');
    bytes
}

/// The answer to a message that cannot be passed on.
pub(super) fn refused(refused: &Refused) -> Vec<u8> {
    let id = refused.id.as_ref().map_or("null", Id::json);
    let words = json::quote(&format!("sayso: {}; it was not passed on", refused.why));
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{},"message":{words}}}}}"#,
        refused.code
    ))
}

/// The answer to a request that is not a tool's and was denied.
pub(super) fn denied_request(id: &Id, why: &str) -> Vec<u8> {
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{REFUSED},"message":{}}}}}"#,
        id.json(),
        json::quote(&format!("sayso: {why}"))
    ))
}

/// A denial as a result of the tool: the model reads it.
pub(super) fn denied(id: &Id, why: &str, modern: bool) -> Vec<u8> {
    let kind = if modern {
        r#""resultType":"complete","#
    } else {
        ""
    };
    let words = json::quote(&format!("sayso: {why}"));
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{{kind}"content":[{{"type":"text","text":{words}}}],"isError":true}}}}"#,
        id.json()
    ))
}

/// A word to a client that waits, so that it goes on waiting. The numbers rise, and stay below any that a server would begin with.
pub(super) fn progress(token: &Node, count: u64) -> Vec<u8> {
    let token = json::write(token);
    line(format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":0.{count:06},"message":"sayso waits for an answer"}}}}"#
    ))
}

/// The question to the client's own person.
pub(super) fn elicitation(id: &Id, params: &Node) -> Vec<u8> {
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"elicitation/create","params":{}}}"#,
        id.json(),
        json::write(params)
    ))
}

/// A result of a call that asks the client to ask its person, for clients that take it so.
pub(super) fn input_required(id: &Id, state: &str, params: &Node) -> Vec<u8> {
    let wanted = Node::map([
        ("method", Node::text("elicitation/create")),
        ("params", params.clone()),
    ]);
    let result = Node::map([
        ("resultType", Node::text("input_required")),
        ("requestState", Node::text(state)),
        ("inputRequests", Node::map([("sayso", wanted)])),
    ]);
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
        id.json(),
        json::write(&result)
    ))
}

/// What the client's person is asked: the whole question as text, and the answers there are.
pub(super) fn question(message: &str, answers: &[String], with_mode: bool) -> Node {
    let texts =
        |items: &[String]| -> Node { Value::List(items.iter().map(Node::text).collect()).into() };
    let decision = Node::map([
        ("type", Node::text("string")),
        ("title", Node::text("Your answer")),
        ("enum", texts(answers)),
    ]);
    let schema = Node::map([
        ("type", Node::text("object")),
        ("properties", Node::map([("decision", decision)])),
        ("required", Value::List(vec![Node::text("decision")]).into()),
    ]);
    let mode = with_mode.then(|| ("mode", Node::text("form")));
    Node::map(mode.into_iter().chain([
        ("message", Node::text(message)),
        ("requestedSchema", schema),
    ]))
}
