//! The scripted model behind the interface of chat completions, which most agents can be pointed at.

use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::http::Reply;
use super::{LAST_WORDS, Script, is_streamed, list, null, number, text_of};

/// What a request is answered.
pub(super) fn reply(script: &Script, body: &Node) -> Reply {
    let offered = tools(body);
    let step = script.step(&beginning(body), results(body).len());
    let call = step
        .and_then(|(id, step)| Some((id, step.iter().find(|one| offered.contains(&one.tool))?)));
    let (reason, content, calls) = match call {
        Some((id, call)) => {
            let function = Node::map([
                ("name", Node::text(&call.tool)),
                ("arguments", Node::text(json::write(&call.input))),
            ]);
            let id = Node::text(format!("call_{id}"));
            (
                "tool_calls",
                null(),
                vec![
                    ("index", number(0)),
                    ("id", id),
                    ("type", Node::text("function")),
                    ("function", function),
                ],
            )
        }
        None => ("stop", Node::text(LAST_WORDS), Vec::new()),
    };
    let mut message = vec![("role", Node::text("assistant")), ("content", content)];
    if !calls.is_empty() {
        message.push(("tool_calls", list(vec![Node::map(calls)])));
    }
    let message = Node::map(message);
    if !is_streamed(body) {
        let choice = choice("message", message, Some(reason));
        return Reply::json(document(body, "chat.completion", vec![choice], true));
    }
    let piece =
        |choices: Vec<Node>, usage: bool| document(body, "chat.completion.chunk", choices, usage);
    Reply::pieces(&[
        piece(vec![choice("delta", message, None)], false),
        piece(
            vec![choice("delta", Node::map::<String>([]), Some(reason))],
            false,
        ),
        piece(Vec::new(), true),
    ])
}

fn choice(key: &'static str, message: Node, reason: Option<&str>) -> Node {
    Node::map([
        ("index", number(0)),
        (key, message),
        ("finish_reason", reason.map_or_else(null, Node::text)),
    ])
}

fn document(body: &Node, kind: &str, choices: Vec<Node>, usage: bool) -> Node {
    let usage = if usage {
        Node::map([
            ("prompt_tokens", number(10)),
            ("completion_tokens", number(10)),
            ("total_tokens", number(20)),
        ])
    } else {
        null()
    };
    Node::map([
        ("id", Node::text("chatcmpl-scripted")),
        ("object", Node::text(kind)),
        ("created", number(1)),
        ("model", body.get("model").cloned().unwrap_or_else(null)),
        ("choices", list(choices)),
        ("usage", usage),
    ])
}

fn messages(body: &Node) -> &[Node] {
    body.get("messages").map(Node::items).unwrap_or_default()
}

fn with_role<'a>(body: &'a Node, role: &'static str) -> impl Iterator<Item = &'a Node> {
    messages(body)
        .iter()
        .filter(move |message| message.get("role").and_then(Node::as_text) == Some(role))
}

/// What the person said: an agent puts its own words before it.
fn beginning(body: &Node) -> String {
    with_role(body, "user")
        .filter_map(|message| message.get("content"))
        .map(text_of)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names of the tools that are offered.
pub(super) fn tools(body: &Node) -> Vec<String> {
    let offered = body.get("tools").map(Node::items).unwrap_or_default();
    let name = |tool: &Node| {
        tool.get("function")?
            .get("name")?
            .as_text()
            .map(str::to_owned)
    };
    offered.iter().filter_map(name).collect()
}

/// The results of tools, each with the id of its call.
pub(super) fn results(body: &Node) -> Vec<(String, String)> {
    let result = |message: &Node| {
        let id = message
            .get("tool_call_id")
            .and_then(Node::as_text)?
            .to_owned();
        Some((id, message.get("content").map(text_of).unwrap_or_default()))
    };
    with_role(body, "tool").filter_map(result).collect()
}
