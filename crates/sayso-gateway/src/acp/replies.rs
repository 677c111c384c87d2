//! What the gateway says by itself, to the agent and to the editor.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::message::{Id, PERMISSION, Refused};
use super::options::Choices;

/// The number of a refusal of ours; no number that JSON-RPC or the protocol keeps for itself.
const DENIED: i32 = 20;
/// The number for a request that was taken back.
const CANCELLED: i32 = -32800;

fn line(text: String) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    bytes.push(b'\n');
    bytes
}

fn error(id: &str, code: i32, words: &str) -> Vec<u8> {
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#,
        json::quote(words)
    ))
}

/// The answer to a message that cannot be passed on.
pub(super) fn refused(refused: &Refused) -> Vec<u8> {
    let id = refused.id.as_ref().map_or("null", Id::json);
    error(
        id,
        refused.code,
        &format!("sayso: {}; it was not passed on", refused.why),
    )
}

/// A request that is denied, as an error that the agent can read.
pub(super) fn denied(id: &Id, why: &str) -> Vec<u8> {
    error(id.json(), DENIED, &format!("sayso: {why}"))
}

/// A request that was taken back.
pub(super) fn cancelled_request(id: &Id) -> Vec<u8> {
    error(
        id.json(),
        CANCELLED,
        "sayso: it was cancelled. nothing was changed",
    )
}

/// The answer to a request for permission.
fn outcome(id: &Id, outcome: Vec<(&str, Node)>, why: Option<&str>) -> Vec<u8> {
    let told = why.map(|why| {
        (
            "_meta",
            Node::map([("sayso", Node::map([("reason", Node::text(why))]))]),
        )
    });
    let result = Node::map([("outcome", Node::map(outcome))].into_iter().chain(told));
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
        id.json(),
        json::write(&result)
    ))
}

/// One of the offered answers.
pub(super) fn selected(id: &Id, option: &str, why: Option<&str>) -> Vec<u8> {
    outcome(
        id,
        vec![
            ("outcome", Node::text("selected")),
            ("optionId", Node::text(option)),
        ],
        why,
    )
}

/// None of the offered answers: the person is not asked any more.
pub(super) fn cancelled(id: &Id, why: Option<&str>) -> Vec<u8> {
    outcome(id, vec![("outcome", Node::text("cancelled"))], why)
}

/// A no, by the answers that are offered.
pub(super) fn rejected(id: &Id, choices: &Choices, why: &str) -> Vec<u8> {
    match &choices.no {
        Some(option) => selected(id, option, Some(why)),
        None => cancelled(id, Some(why)),
    }
}

/// A question of our own to the editor's person.
pub(super) fn question(id: &Id, session: &str, tool_call: Node) -> Vec<u8> {
    let option = |id: &str, kind: &str, name: &str| {
        Node::map([
            ("optionId", Node::text(id)),
            ("name", Node::text(name)),
            ("kind", Node::text(kind)),
        ])
    };
    let options = vec![
        option("sayso-once", "allow_once", "Allow once"),
        option("sayso-deny", "reject_once", "Deny"),
    ];
    let params = Node::map([
        ("sessionId", Node::text(session)),
        ("toolCall", tool_call),
        ("options", Value::List(options).into()),
    ]);
    line(format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"{PERMISSION}","params":{}}}"#,
        id.json(),
        json::write(&params)
    ))
}
