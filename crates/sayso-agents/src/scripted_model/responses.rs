//! The scripted model behind OpenAI's Responses interface.

use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::http::Reply;
use super::{LAST_WORDS, Script, Use, is_streamed, list, null, number, text_of};

/// What a request is answered.
pub(super) fn reply(script: &Script, body: &Node) -> Reply {
    let step = script.step(&beginning(body), results(body).len());
    let call = step.and_then(|(id, step)| step.iter().find_map(|one| call(body, &id, one)));
    let item = call.unwrap_or_else(|| {
        let content = Node::map([
            ("type", Node::text("output_text")),
            ("text", Node::text(LAST_WORDS)),
            ("annotations", list(Vec::new())),
        ]);
        Node::map([
            ("type", Node::text("message")),
            ("id", Node::text("msg_scripted")),
            ("role", Node::text("assistant")),
            ("status", Node::text("completed")),
            ("content", list(vec![content])),
        ])
    });
    if !is_streamed(body) {
        return Reply::json(response(body, "completed", vec![item]));
    }
    let event = |name: &str, fields: Vec<(&'static str, Node)>| {
        Node::map(std::iter::once(("type", Node::text(name))).chain(fields))
    };
    let with_item = |name: &str| {
        event(
            name,
            vec![("output_index", number(0)), ("item", item.clone())],
        )
    };
    Reply::events(&[
        event(
            "response.created",
            vec![("response", response(body, "in_progress", Vec::new()))],
        ),
        with_item("response.output_item.added"),
        with_item("response.output_item.done"),
        event(
            "response.completed",
            vec![("response", response(body, "completed", vec![item.clone()]))],
        ),
    ])
}

/// No model has a name here.
pub(super) fn models() -> Node {
    Node::map([
        ("object", Node::text("list")),
        ("data", list(Vec::new())),
        ("models", list(Vec::new())),
    ])
}

fn response(body: &Node, status: &str, output: Vec<Node>) -> Node {
    let usage = Node::map([
        ("input_tokens", number(10)),
        ("input_tokens_details", null()),
        ("output_tokens", number(10)),
        ("output_tokens_details", null()),
        ("total_tokens", number(20)),
    ]);
    Node::map([
        ("id", Node::text("resp_scripted")),
        ("object", Node::text("response")),
        ("created_at", number(1)),
        ("status", Node::text(status)),
        ("model", body.get("model").cloned().unwrap_or_else(null)),
        ("output", list(output)),
        ("usage", usage),
    ])
}

/// The call of a tool in the form that it was offered in; none if it was not.
fn call(body: &Node, id: &str, wanted: &Use) -> Option<Node> {
    let (namespace, tool) = offered(body)
        .into_iter()
        .find(|(_, tool)| name(tool) == Some(wanted.tool.as_str()))?;
    let mut fields = vec![
        ("call_id", Node::text(format!("call_{id}"))),
        ("name", Node::text(&wanted.tool)),
        ("status", Node::text("completed")),
    ];
    fields.extend(namespace.map(|name| ("namespace", Node::text(name))));
    let text = wanted.input.as_text();
    if tool.get("type").and_then(Node::as_text) == Some("custom") {
        fields.extend([
            ("type", Node::text("custom_tool_call")),
            ("id", Node::text(format!("ctc_{id}"))),
            ("input", Node::text(text?)),
        ]);
    } else {
        let arguments = Node::text(json::write(&wanted.input));
        fields.extend([
            ("type", Node::text("function_call")),
            ("id", Node::text(format!("fc_{id}"))),
            ("arguments", arguments),
        ]);
    }
    Some(Node::map(fields))
}

fn name(tool: &Node) -> Option<&str> {
    tool.get("name").and_then(Node::as_text)
}

/// The tools that are offered, each with the space its name stands in: at the top, and in the conversation where newer models get them.
/// (The other interface has no `type` in most of its tools.)
fn offered(body: &Node) -> Vec<(Option<&str>, &Node)> {
    let later = items(body)
        .iter()
        .filter(|item| item.get("type").and_then(Node::as_text) == Some("additional_tools"));
    let mut all = Vec::new();
    for tool in std::iter::once(body)
        .chain(later)
        .filter_map(|holder| holder.get("tools"))
        .flat_map(Node::items)
    {
        match tool.get("tools").map(Node::items) {
            Some(inner) => all.extend(inner.iter().map(|one| (name(tool), one))),
            None => all.push((None, tool)),
        }
    }
    all
}

/// The names of the tools that are offered.
pub(super) fn tools(body: &Node) -> Vec<String> {
    offered(body)
        .into_iter()
        .filter_map(|(_, tool)| name(tool))
        .map(str::to_owned)
        .collect()
}

fn items(body: &Node) -> &[Node] {
    body.get("input").map(Node::items).unwrap_or_default()
}

/// What the person said: an agent puts its own words before it.
fn beginning(body: &Node) -> String {
    let of_person = items(body)
        .iter()
        .filter(|item| item.get("role").and_then(Node::as_text) == Some("user"));
    of_person
        .filter_map(|item| item.get("content"))
        .map(text_of)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The results of tools, each with the id of its call.
pub(super) fn results(body: &Node) -> Vec<(String, String)> {
    let kind = |item: &Node| {
        item.get("type")
            .and_then(Node::as_text)
            .is_some_and(|kind| kind.ends_with("_call_output"))
    };
    let result = |item: &Node| {
        let id = item.get("call_id").and_then(Node::as_text)?.to_owned();
        let output = item.get("output")?;
        let text = text_of(output);
        Some((
            id,
            if text.is_empty() {
                json::write(output)
            } else {
                text
            },
        ))
    };
    items(body)
        .iter()
        .filter(|item| kind(item))
        .filter_map(result)
        .collect()
}
