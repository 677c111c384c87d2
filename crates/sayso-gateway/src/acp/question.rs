//! A question of sayso's own, in the dialog that an editor has for what its agent asks.

use sayso_core::call::tool::{Kind, Role};
use sayso_core::prompt::{Prompt, Why};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{has_hidden, visible, visible_block};

/// A longer question is not for the dialog of an editor: nobody would see all of it there.
const LONGEST: usize = 64 << 10;

fn content(text: String) -> Node {
    Node::map([
        ("type", Node::text("content")),
        (
            "content",
            Node::map([("type", Node::text("text")), ("text", Node::text(text))]),
        ),
    ])
}

/// The tool call that the person is asked about; none if it is too much to be shown there.
pub(super) fn tool_call(prompt: &Prompt, id: &str) -> Option<Node> {
    let operation = &prompt.operation;
    let presentation = &prompt.presentation;
    let mut lines = vec![format!("sayso asks: {}", prompt.sentence)];
    if let Some(command) = operation.command() {
        lines.push(format!("it runs:\n{}", visible_block(command)));
        lines.push(format!("in: {}", visible(&operation.cwd())));
    }
    let word = |why: &Why| if why.is_warning { "warning" } else { "because" };
    lines.extend(
        prompt
            .why
            .iter()
            .map(|why| format!("{}: {}", word(why), why.text)),
    );
    lines.extend(
        presentation
            .details
            .iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    let text = lines.join("\n");
    let mut contents = vec![content(text.clone())];
    let path = operation.text(Role::Path);
    let mut size = text.len();
    let kind = match operation.kind() {
        Kind::Terminal => "execute",
        Kind::FileWrite => {
            let new = operation.text(Role::Content).unwrap_or_default();
            size += new.len();
            // An editor shows the text as it is, with what nobody sees in it.
            if has_hidden(new) {
                let seen = visible_block(new);
                size += seen.len();
                contents.push(content(format!(
                    "the new text, with what cannot be seen in it:\n{seen}"
                )));
            }
            contents.push(Node::map([
                ("type", Node::text("diff")),
                ("path", Node::text(path.unwrap_or_default())),
                ("oldText", Value::Null.into()),
                ("newText", Node::text(new)),
            ]));
            "edit"
        }
        Kind::FileRead => "read",
        _ => "other",
    };
    let locations = path
        .map(|path| Node::map([("path", Node::text(path))]))
        .into_iter()
        .collect();
    let title = format!("sayso: {}", prompt.sentence);
    (size <= LONGEST).then(|| {
        Node::map([
            ("toolCallId", Node::text(id)),
            ("title", Node::text(title)),
            ("kind", Node::text(kind)),
            ("status", Node::text("pending")),
            ("content", Value::List(contents).into()),
            ("locations", Value::List(locations).into()),
        ])
    })
}
