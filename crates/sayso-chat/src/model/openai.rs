//! The shape of chat completions, as OpenAI's interface has it and many others copy it.

use sayso_core::text::node::{Node, Value};

use super::partial::{AnswerError, Partial};
use super::{Offered, Request, Told, Usage};
use crate::conversation::{Brought, Said, Wanted};

/// What is sent. `counted` asks for the number of tokens, which not every endpoint knows to tell of a stream.
pub fn body(model: &str, request: &Request<'_>, stream: bool, counted: bool) -> Node {
    let mut messages = vec![message("system", request.system)];
    for said in request.said {
        match said {
            Said::Person(text) => messages.push(message("user", text)),
            Said::Model(answer) => {
                let mut fields = vec![("role", Node::text("assistant"))];
                // With calls, the words may be missing; without, they may not.
                let text = if answer.text.is_empty() && !answer.calls.is_empty() {
                    Value::Null.into()
                } else {
                    Node::text(&answer.text)
                };
                fields.push(("content", text));
                if !answer.calls.is_empty() {
                    fields.push(("tool_calls", list(answer.calls.iter().map(call).collect())));
                }
                messages.push(Node::map(fields));
            }
            Said::Results(results) => messages.extend(results.iter().map(result)),
        }
    }
    let mut fields = vec![
        ("model", Node::text(model)),
        ("messages", list(messages)),
        ("stream", Value::Bool(stream).into()),
    ];
    if !request.tools.is_empty() {
        fields.push(("tools", list(request.tools.iter().map(tool).collect())));
    }
    if stream && counted {
        fields.push((
            "stream_options",
            Node::map([("include_usage", Value::Bool(true).into())]),
        ));
    }
    Node::map(fields)
}

fn list(items: Vec<Node>) -> Node {
    Value::List(items).into()
}

fn message(role: &str, text: &str) -> Node {
    Node::map([("role", Node::text(role)), ("content", Node::text(text))])
}

fn call(call: &Wanted) -> Node {
    let function = Node::map([
        ("name", Node::text(&call.tool)),
        ("arguments", Node::text(&call.arguments)),
    ]);
    Node::map([
        ("id", Node::text(&call.id)),
        ("type", Node::text("function")),
        ("function", function),
    ])
}

fn result(result: &Brought) -> Node {
    Node::map([
        ("role", Node::text("tool")),
        ("tool_call_id", Node::text(&result.id)),
        ("content", Node::text(&result.text)),
    ])
}

fn tool(tool: &Offered) -> Node {
    let function = Node::map([
        ("name", Node::text(&tool.name)),
        ("description", Node::text(&tool.about)),
        ("parameters", tool.schema.clone()),
    ]);
    Node::map([("type", Node::text("function")), ("function", function)])
}

/// Takes one event of a stream.
///
/// # Errors
/// What is wrong with it.
pub fn event(data: &Node, partial: &mut Partial, told: Told<'_>) -> Result<(), AnswerError> {
    problem(data)?;
    usage(data, partial);
    let Some(choice) = data
        .get("choices")
        .and_then(|choices| choices.items().first())
    else {
        return Ok(());
    };
    if let Some(delta) = choice.get("delta") {
        take(delta, partial, told)?;
    }
    ended(choice, partial);
    Ok(())
}

/// Takes an answer that came at once.
///
/// # Errors
/// What is wrong with it.
pub fn whole(data: &Node, partial: &mut Partial, told: Told<'_>) -> Result<(), AnswerError> {
    problem(data)?;
    usage(data, partial);
    let choice = data
        .get("choices")
        .and_then(|choices| choices.items().first())
        .ok_or(AnswerError::Missing("choices"))?;
    take(
        choice
            .get("message")
            .ok_or(AnswerError::Missing("message"))?,
        partial,
        told,
    )?;
    ended(choice, partial);
    partial.is_over = true;
    Ok(())
}

fn take(from: &Node, partial: &mut Partial, told: Told<'_>) -> Result<(), AnswerError> {
    if let Some(text) = from.get("content").and_then(Node::as_text) {
        partial.text(text, told)?;
    }
    for (place, call) in from
        .get("tool_calls")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        let text =
            |node: Option<&Node>| node.and_then(Node::as_text).unwrap_or_default().to_owned();
        let function = call.get("function");
        let at = call
            .get("index")
            .and_then(Node::as_whole)
            .unwrap_or(place as u64);
        let name = text(function.and_then(|function| function.get("name")));
        let arguments = text(function.and_then(|function| function.get("arguments")));
        partial.call(at, &text(call.get("id")), &name, &arguments, told)?;
    }
    Ok(())
}

fn ended(choice: &Node, partial: &mut Partial) {
    if let Some(reason) = choice.get("finish_reason").and_then(Node::as_text) {
        partial.is_cut |= reason == "length";
        partial.is_over = true;
    }
}

fn usage(data: &Node, partial: &mut Partial) {
    let Some(usage) = data
        .get("usage")
        .filter(|usage| !usage.entries().is_empty())
    else {
        return;
    };
    let whole = |key: &str| usage.get(key).and_then(Node::as_whole).unwrap_or_default();
    let cost = match usage.get("cost").map(|node| &node.value) {
        Some(Value::Number(text)) => text.parse().ok(),
        _ => None,
    };
    partial.usage = Usage {
        input: whole("prompt_tokens"),
        output: whole("completion_tokens"),
        cost,
    };
}

fn problem(data: &Node) -> Result<(), AnswerError> {
    match data
        .get("error")
        .filter(|error| !matches!(error.value, Value::Null))
    {
        None => Ok(()),
        Some(error) => Err(AnswerError::Reported(said(error))),
    }
}

/// An error without words.
pub const NO_WORDS: &str = "it says that something went wrong";

/// The words of an error.
pub fn said(error: &Node) -> String {
    let message = error
        .get("message")
        .and_then(Node::as_text)
        .or_else(|| error.as_text());
    message.unwrap_or(NO_WORDS).to_owned()
}
