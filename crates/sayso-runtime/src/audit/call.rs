//! A call of the record: its fields as JSON, what it was about, and the word and sign of its outcome.

use sayso_core::text::node::{Node, Value};
use sayso_store::index::calls::Listed;

use super::decided_by;
use super::rfc3339;

/// What it is about; the name of the tool has a place of its own.
pub fn about(listed: &Listed) -> String {
    let what = listed.what.as_deref().unwrap_or_default();
    let inside = listed.tool.as_deref().and_then(|tool| {
        what.strip_prefix(tool)?
            .strip_prefix('(')?
            .strip_suffix(')')
    });
    inside.unwrap_or(what).to_owned()
}

/// An outcome for people.
pub fn words(outcome: &str) -> &str {
    if outcome == "nobody" {
        "no one to ask"
    } else {
        outcome
    }
}

/// The sign of an outcome.
pub fn sign(outcome: &str) -> char {
    match outcome {
        "approved" | "auto_approved" => '✓',
        "dry_run" => '·',
        _ => '✗',
    }
}

/// The entry as a value; what it does not say is null.
pub fn as_node(listed: &Listed) -> Node {
    let text = |text: &Option<String>| text.as_ref().map_or_else(null, Node::text);
    let time = |at: Option<i64>| at.map_or_else(null, |at| Node::text(rfc3339(at)));
    Node::map([
        ("number", number(listed.number)),
        ("time", time(Some(listed.at))),
        ("kind", Node::text(&listed.kind)),
        ("call", text(&listed.call)),
        ("session", text(&listed.session)),
        ("agent", text(&listed.agent)),
        ("tool", text(&listed.tool)),
        ("decision", text(&listed.decision)),
        ("outcome", text(&listed.outcome)),
        ("risk", text(&listed.risk)),
        ("rule", text(&listed.rule)),
        ("source", text(&listed.source)),
        ("by", text(&listed.by)),
        ("by_words", text(&decided_by::of_call(listed))),
        ("user_response", text(&listed.user_response)),
        ("user_response_word", text(&listed.user_response_word)),
        ("what", text(&listed.what)),
        ("asked", time(listed.asked)),
        ("ended", time(listed.ended)),
        (
            "succeeded",
            listed
                .succeeded
                .map_or_else(null, |succeeded| Value::Bool(succeeded).into()),
        ),
        (
            "milliseconds",
            listed.milliseconds.map_or_else(null, number),
        ),
        ("undone", time(listed.undone)),
    ])
}

/// Nothing.
pub fn null() -> Node {
    Value::Null.into()
}

/// A number.
pub fn number(number: impl std::fmt::Display) -> Node {
    Value::Number(number.to_string()).into()
}
