//! The scripted model behind Gemini's interface, `generateContent`.

use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::http::Reply;
use super::{LAST_WORDS, Script, list, number};

/// What is wanted of a model by the last part of a path: `/v1beta/models/NAME:generateContent`.
pub(super) fn verb(path: &str) -> Option<&str> {
    path.strip_prefix("/v1beta/models/")
        .and_then(|rest| rest.rsplit_once(':'))
        .map(|(_, verb)| verb)
}

/// What a request is answered; none if nobody knows what is wanted.
pub(super) fn reply(script: &Script, verb: &str, body: &Node) -> Option<Reply> {
    match verb {
        "countTokens" => Some(Reply::json(Node::map([("totalTokens", number(10))]))),
        "generateContent" => Some(Reply::json(response(script, body))),
        "streamGenerateContent" => Some(Reply::last_piece(&response(script, body))),
        _ => None,
    }
}

fn response(script: &Script, body: &Node) -> Node {
    let offered = tools(body);
    let step = script.step(&beginning(body), results(body).len());
    let call = step
        .and_then(|(id, step)| Some((id, step.iter().find(|one| offered.contains(&one.tool))?)));
    let part = match call {
        Some((id, call)) => {
            let fields = [
                ("id", Node::text(format!("call_{id}"))),
                ("name", Node::text(&call.tool)),
                ("args", call.input.clone()),
            ];
            ("functionCall", Node::map(fields))
        }
        None => ("text", Node::text(LAST_WORDS)),
    };
    let content = Node::map([
        ("role", Node::text("model")),
        ("parts", list(vec![Node::map([part])])),
    ]);
    let candidate = Node::map([
        ("content", content),
        ("finishReason", Node::text("STOP")),
        ("index", number(0)),
    ]);
    let usage = Node::map([
        ("promptTokenCount", number(10)),
        ("candidatesTokenCount", number(10)),
        ("totalTokenCount", number(20)),
    ]);
    Node::map([
        ("candidates", list(vec![candidate])),
        ("usageMetadata", usage),
        ("modelVersion", Node::text("scripted")),
    ])
}

/// All parts of what was said, each with the role of whoever said it.
fn parts(body: &Node) -> impl Iterator<Item = &Node> {
    let contents = body.get("contents").map(Node::items).unwrap_or_default();
    contents
        .iter()
        .filter_map(|content| content.get("parts"))
        .flat_map(Node::items)
}

/// All text that the conversation has.
fn beginning(body: &Node) -> String {
    parts(body)
        .filter_map(|part| part.get("text").and_then(Node::as_text))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names of the tools that are offered.
pub(super) fn tools(body: &Node) -> Vec<String> {
    let offered = body.get("tools").map(Node::items).unwrap_or_default();
    let functions = offered
        .iter()
        .filter_map(|tool| tool.get("functionDeclarations"))
        .flat_map(Node::items);
    functions
        .filter_map(|function| function.get("name").and_then(Node::as_text))
        .map(str::to_owned)
        .collect()
}

/// The results of tools, each with the id of its call.
pub(super) fn results(body: &Node) -> Vec<(String, String)> {
    let result = |(number, answer): (usize, &Node)| {
        // Whoever leaves the ids out gives the results in their order.
        let id = answer
            .get("id")
            .and_then(Node::as_text)
            .map_or_else(|| format!("call_0_{number}"), str::to_owned);
        let response = answer.get("response")?;
        let text = ["output", "error"]
            .iter()
            .find_map(|key| response.get(key).and_then(Node::as_text));
        Some((
            id,
            text.map_or_else(|| json::write(response), str::to_owned),
        ))
    };
    parts(body)
        .filter_map(|part| part.get("functionResponse"))
        .enumerate()
        .filter_map(result)
        .collect()
}
