//! The result of a call as text for an agent: all that is text, and a word for everything else.

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use crate::result::ToolResult;
use crate::terminal::MOST_OUTPUT;

/// What a tool brought.
pub(super) fn result(result: &Node) -> ToolResult {
    match result.get("resultType").map(Node::as_text) {
        None | Some(Some("complete")) => {}
        Some(_) => {
            return ToolResult::failed(
                "the server wants to be told more before it goes on, which sayso does not do for servers",
            );
        }
    }
    let parts = result.get("content").map_or(&[][..], Node::items);
    let mut text = parts.iter().map(part).collect::<Vec<_>>().join("\n");
    let structured = result.get("structuredContent");
    if let (true, Some(structured)) = (text.is_empty(), structured) {
        text = json::write(structured);
    }
    let text = cut(text);
    match result.get("isError").and_then(Node::as_bool) {
        Some(true) => ToolResult {
            output: text.clone(),
            ..ToolResult::failed(if text.is_empty() {
                "the tool failed".to_owned()
            } else {
                text
            })
        },
        _ => ToolResult::done(text),
    }
}

fn part(part: &Node) -> String {
    let text = |key: &str| part.get(key).and_then(Node::as_text);
    let size = |key: &str| text(key).map_or(0, str::len);
    match text("type") {
        Some("text") => text("text").unwrap_or_default().to_owned(),
        Some("resource") => {
            let inner = part.get("resource");
            let inner_text = |key: &str| {
                inner
                    .and_then(|inner| inner.get(key))
                    .and_then(Node::as_text)
            };
            let name = inner_text("uri").unwrap_or_default();
            inner_text("text").map_or_else(
                || format!("[resource {name}]"),
                |body| format!("[resource {name}]\n{body}"),
            )
        }
        Some("resource_link") => format!("[resource {}]", text("uri").unwrap_or_default()),
        Some(kind @ ("image" | "audio")) => {
            format!(
                "[{kind} {}, {} characters of base64]",
                text("mimeType").unwrap_or_default(),
                size("data")
            )
        }
        _ => match &part.value {
            Value::Map(_) => json::write(part),
            _ => String::new(),
        },
    }
}

/// No more than an agent can take.
fn cut(mut text: String) -> String {
    if text.len() > MOST_OUTPUT {
        let all = text.len();
        let mut end = MOST_OUTPUT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str(&format!("\n[{} more bytes are left out]", all - end));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use sayso_core::text::Limits;

    fn of(text: &str) -> ToolResult {
        result(&json::read(text, &Limits::default()).unwrap())
    }

    #[test]
    fn all_that_is_text_comes_through_and_the_rest_is_named() {
        let done = of(
            r#"{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"new","x":1}]}"#,
        );
        assert_eq!(
            done.output,
            "a\n[image image/png, 4 characters of base64]\n{\"type\":\"new\",\"x\":1}"
        );
        assert!(done.success);
        assert_eq!(of(r#"{"structuredContent":{"n":1}}"#).output, r#"{"n":1}"#);
        let failed = of(r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#);
        assert!(!failed.success && failed.error == "no");
        assert!(
            !of(r#"{"resultType":"input_required"}"#).success && !of(r#"{"resultType":1}"#).success
        );
        assert!(of("[]").success && of("{}").output.is_empty());
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = of(&format!(
            r#"{{"content":[{{"type":"text","text":"x{}"}}]}}"#,
            "é".repeat(MOST_OUTPUT)
        ));
        assert!(
            long.output.len() < MOST_OUTPUT + 100
                && long.output.ends_with("more bytes are left out]")
        );
    }
}
