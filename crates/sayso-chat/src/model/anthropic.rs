//! The shape of Anthropic's messages.

use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use super::openai::{NO_WORDS, said};
use super::partial::{AnswerError, Partial};
use super::{Offered, Request, Told};
use crate::conversation::{Answer, Brought, Said, Wanted};

/// The version of the interface.
pub const VERSION: &str = "2023-06-01";

/// What is sent.
pub fn body(model: &str, longest: u64, request: &Request<'_>, stream: bool) -> Node {
    let mut messages: Vec<(&str, Vec<Node>)> = Vec::new();
    // Who speaks twice in a row speaks once for this interface.
    let mut add = |role: &'static str, blocks: Vec<Node>| match messages.last_mut() {
        Some((last, known)) if *last == role => known.extend(blocks),
        _ => messages.push((role, blocks)),
    };
    for said in request.said {
        match said {
            Said::Person(words) => add("user", vec![text(words)]),
            Said::Model(answer) => add("assistant", blocks(answer)),
            Said::Results(results) => add("user", results.iter().map(result).collect()),
        }
    }
    let messages = messages
        .into_iter()
        .filter(|(_, blocks)| !blocks.is_empty())
        .map(|(role, blocks)| {
            Node::map([
                ("role", Node::text(role)),
                ("content", Value::List(blocks).into()),
            ])
        });
    let mut fields = vec![
        ("model", Node::text(model)),
        ("max_tokens", Value::Number(longest.to_string()).into()),
        ("system", Node::text(request.system)),
        ("messages", Value::List(messages.collect()).into()),
        ("stream", Value::Bool(stream).into()),
    ];
    if !request.tools.is_empty() {
        fields.push((
            "tools",
            Value::List(request.tools.iter().map(tool).collect()).into(),
        ));
    }
    Node::map(fields)
}

fn text(words: &str) -> Node {
    // An empty text is refused.
    let words = if words.trim().is_empty() {
        "(nothing)"
    } else {
        words
    };
    Node::map([("type", Node::text("text")), ("text", Node::text(words))])
}

fn blocks(answer: &Answer) -> Vec<Node> {
    let mut out = Vec::new();
    if !answer.text.trim().is_empty() || answer.calls.is_empty() {
        out.push(text(&answer.text));
    }
    out.extend(answer.calls.iter().map(call));
    out
}

fn call(call: &Wanted) -> Node {
    let input = json::read(&call.arguments, &Limits::default())
        .ok()
        .filter(|node| matches!(node.value, Value::Map(_)));
    // What the model wrote was no object, and only objects are taken back.
    let input = input.unwrap_or_else(|| Node::map([("unreadable", Node::text(&call.arguments))]));
    Node::map([
        ("type", Node::text("tool_use")),
        ("id", Node::text(&call.id)),
        ("name", Node::text(&call.tool)),
        ("input", input),
    ])
}

fn result(result: &Brought) -> Node {
    let mut fields = vec![
        ("type", Node::text("tool_result")),
        ("tool_use_id", Node::text(&result.id)),
        (
            "content",
            Node::text(if result.text.is_empty() {
                "(no output)"
            } else {
                &result.text
            }),
        ),
    ];
    if result.failed {
        fields.push(("is_error", Value::Bool(true).into()));
    }
    Node::map(fields)
}

fn tool(tool: &Offered) -> Node {
    Node::map([
        ("name", Node::text(&tool.name)),
        ("description", Node::text(&tool.about)),
        ("input_schema", tool.schema.clone()),
    ])
}

/// Takes one event of a stream.
///
/// # Errors
/// What is wrong with it.
pub fn event(data: &Node, partial: &mut Partial, told: Told<'_>) -> Result<(), AnswerError> {
    let text = |node: Option<&Node>, key: &str| {
        node.and_then(|node| node.get(key))
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned()
    };
    let at = data
        .get("index")
        .and_then(Node::as_whole)
        .unwrap_or_default();
    match data.get("type").and_then(Node::as_text).unwrap_or_default() {
        "message_start" => usage(data.get("message"), partial),
        "content_block_start" => {
            let block = data.get("content_block");
            match text(block, "type").as_str() {
                "text" => partial.text(&text(block, "text"), told)?,
                "tool_use" => {
                    partial.call(at, &text(block, "id"), &text(block, "name"), "", told)?
                }
                _ => {}
            }
        }
        "content_block_delta" => {
            let delta = data.get("delta");
            match text(delta, "type").as_str() {
                "text_delta" => partial.text(&text(delta, "text"), told)?,
                "input_json_delta" => {
                    partial.call(at, "", "", &text(delta, "partial_json"), told)?
                }
                _ => {}
            }
        }
        "message_delta" => {
            usage(Some(data), partial);
            partial.is_cut |= text(data.get("delta"), "stop_reason") == "max_tokens";
        }
        "message_stop" => partial.is_over = true,
        "error" => {
            return Err(AnswerError::Reported(
                data.get("error").map_or_else(|| NO_WORDS.to_owned(), said),
            ));
        }
        _ => {}
    }
    Ok(())
}

/// Takes an answer that came at once.
///
/// # Errors
/// What is wrong with it.
pub fn whole(data: &Node, partial: &mut Partial, told: Told<'_>) -> Result<(), AnswerError> {
    if let Some(error) = data.get("error") {
        return Err(AnswerError::Reported(said(error)));
    }
    let content = data.get("content").ok_or(AnswerError::Missing("content"))?;
    for (at, block) in content.items().iter().enumerate() {
        let text = |key: &str| block.get(key).and_then(Node::as_text).unwrap_or_default();
        match text("type") {
            "text" => partial.text(text("text"), told)?,
            "tool_use" => {
                let input = block.get("input").map(json::write).unwrap_or_default();
                partial.call(at as u64, text("id"), text("name"), &input, told)?;
            }
            _ => {}
        }
    }
    usage(Some(data), partial);
    partial.is_cut = data.get("stop_reason").and_then(Node::as_text) == Some("max_tokens");
    partial.is_over = true;
    Ok(())
}

fn usage(from: Option<&Node>, partial: &mut Partial) {
    let Some(usage) = from.and_then(|from| from.get("usage")) else {
        return;
    };
    let whole = |key: &str| usage.get(key).and_then(Node::as_whole);
    let read = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ]
    .map(|key| whole(key).unwrap_or_default());
    if read.iter().any(|count| *count > 0) {
        partial.usage.input = read.iter().sum();
    }
    partial.usage.output = whole("output_tokens").unwrap_or(partial.usage.output);
}
