//! The scripted model behind Anthropic's Messages interface.

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
    let (reason, blocks) = match call {
        Some((id, call)) => {
            let id = Node::text(format!("toolu_{id}"));
            let fields = [
                ("type", Node::text("tool_use")),
                ("id", id),
                ("name", Node::text(&call.tool)),
                ("input", call.input.clone()),
            ];
            (
                "tool_use",
                vec![text_block("One moment."), Node::map(fields)],
            )
        }
        None => ("end_turn", vec![text_block(LAST_WORDS)]),
    };
    if is_streamed(body) {
        Reply::events(&events(body, reason, &blocks))
    } else {
        Reply::json(message(body, Some(reason), blocks))
    }
}

/// How many tokens there are; nobody looks.
pub(super) fn count() -> Node {
    Node::map([("input_tokens", number(100))])
}

fn text_block(text: &str) -> Node {
    Node::map([("type", Node::text("text")), ("text", Node::text(text))])
}

fn message(body: &Node, reason: Option<&str>, blocks: Vec<Node>) -> Node {
    let model = body
        .get("model")
        .and_then(Node::as_text)
        .unwrap_or("scripted");
    Node::map([
        ("id", Node::text("msg_scripted")),
        ("type", Node::text("message")),
        ("role", Node::text("assistant")),
        ("model", Node::text(model)),
        ("content", list(blocks)),
        ("stop_reason", reason.map_or_else(null, Node::text)),
        ("stop_sequence", null()),
        ("usage", usage()),
    ])
}

fn usage() -> Node {
    Node::map([("input_tokens", number(10)), ("output_tokens", number(10))])
}

/// The same in pieces.
fn events(body: &Node, reason: &str, blocks: &[Node]) -> Vec<Node> {
    let event = |name: &str, fields: Vec<(&'static str, Node)>| {
        Node::map(std::iter::once(("type", Node::text(name))).chain(fields))
    };
    let mut all = vec![event(
        "message_start",
        vec![("message", message(body, None, Vec::new()))],
    )];
    for (index, block) in (0_u32..).zip(blocks) {
        let (empty, delta) = match block.get("text") {
            Some(text) => (
                text_block(""),
                Node::map([("type", Node::text("text_delta")), ("text", text.clone())]),
            ),
            None => {
                let input = block.get("input").map(json::write).unwrap_or_default();
                let delta = Node::map([
                    ("type", Node::text("input_json_delta")),
                    ("partial_json", Node::text(input)),
                ]);
                let fields = block
                    .entries()
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.clone()));
                (
                    Node::map(fields.chain([("input".to_owned(), Node::map::<String>([]))])),
                    delta,
                )
            }
        };
        all.push(event(
            "content_block_start",
            vec![("index", number(index)), ("content_block", empty)],
        ));
        all.push(event(
            "content_block_delta",
            vec![("index", number(index)), ("delta", delta)],
        ));
        all.push(event("content_block_stop", vec![("index", number(index))]));
    }
    let delta = Node::map([
        ("stop_reason", Node::text(reason)),
        ("stop_sequence", null()),
    ]);
    all.push(event(
        "message_delta",
        vec![("delta", delta), ("usage", usage())],
    ));
    all.push(event("message_stop", Vec::new()));
    all
}

fn messages(body: &Node) -> &[Node] {
    body.get("messages").map(Node::items).unwrap_or_default()
}

/// What the conversation began with.
fn beginning(body: &Node) -> String {
    messages(body)
        .first()
        .and_then(|message| message.get("content"))
        .map(text_of)
        .unwrap_or_default()
}

/// The names of the tools that are offered.
pub(super) fn tools(body: &Node) -> Vec<String> {
    let offered = body.get("tools").map(Node::items).unwrap_or_default();
    offered
        .iter()
        .filter_map(|tool| tool.get("name").and_then(Node::as_text))
        .map(str::to_owned)
        .collect()
}

/// The results of tools, each with the id of its call.
pub(super) fn results(body: &Node) -> Vec<(String, String)> {
    let blocks = messages(body)
        .iter()
        .filter_map(|message| message.get("content"))
        .flat_map(Node::items);
    let results =
        blocks.filter(|block| block.get("type").and_then(Node::as_text) == Some("tool_result"));
    let result = |block: &Node| {
        let id = block.get("tool_use_id").and_then(Node::as_text)?.to_owned();
        Some((id, block.get("content").map(text_of).unwrap_or_default()))
    };
    results.filter_map(result).collect()
}
