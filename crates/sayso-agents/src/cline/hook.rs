//! Cline: what the plugin that sayso puts there sends, and how it is answered.
//!
//! Written after version 3.0.65. The plugin speaks the form of [`crate::generic`]. Most of its tools do several things with one call, so one
//! that is not allowed answers for all; and it waits three seconds for a plugin, so that nobody can be asked meanwhile.

use sayso_core::text::node::{Node, Value};

use crate::generic::hook as generic;
use crate::hook::agent::{maybe, text};
use crate::hook::dialect::{Dialect, Part, Parts, by_keys, never_answered};
use crate::hook::error::PayloadError;
use crate::hook::patch;

/// Cline.
pub static CLINE: Dialect = Dialect {
    name: "cline",
    title: "Cline",
    event: generic::event,
    events: generic::EVENTS,
    keys: generic::KEYS,
    tools: &[],
    inner: &["ask_question", "submit_and_exit", "team_status"],
    several,
    call: by_keys,
    server: generic::named,
    before: generic::before,
    permission: never_answered,
    // Several commands are one call there, and only one of them could be handed over.
    changes_arguments: false,
    has_our_tools: false,
};

/// So many things one call does at most.
const MOST: usize = 200;
/// So long a command may run, in milliseconds.
const LONGEST: &str = "3600000";

fn several(tool: &str, input: &Node) -> Parts {
    let one = |part: Part| Ok(Some(vec![part]));
    match tool {
        "run_commands" => each(input, "commands", |item| {
            let command = item_text("a command", item)?;
            Ok((
                "terminal",
                Node::map([
                    ("command", Node::text(command)),
                    ("timeout_ms", Value::Number(LONGEST.to_owned()).into()),
                ]),
            ))
        }),
        "read_files" => each(input, "files", |item| {
            Ok((
                "file_read",
                Node::map([("path", Node::text(text(item, "path")?))]),
            ))
        }),
        "search_codebase" => each(input, "queries", |item| {
            let query = item_text("a query", item)?;
            Ok(("file_grep", Node::map([("pattern", Node::text(query))])))
        }),
        "fetch_web_content" => each(input, "requests", |item| {
            let prompt = maybe(item, "prompt")?.unwrap_or_default();
            Ok((
                "webfetch",
                Node::map([
                    ("url", Node::text(text(item, "url")?)),
                    ("prompt", Node::text(prompt)),
                ]),
            ))
        }),
        "editor" => one(edit(input)?),
        "apply_patch" => Ok(Some(patch::read(text(input, "input")?)?)),
        "spawn_agent" => one((
            "delegate",
            Node::map([
                ("agent", Node::text("sub-agent")),
                ("task", Node::text(text(input, "task")?)),
            ]),
        )),
        _ => Ok(None),
    }
}

fn item_text<'a>(item: &'static str, node: &'a Node) -> Result<&'a str, PayloadError> {
    let found = node.kind_word();
    node.as_text()
        .ok_or(PayloadError::ItemNotText { item, found })
}

/// A part for each item of the one list that a call consists of. Anything beside it may mean anything.
fn each(input: &Node, key: &str, part: impl Fn(&Node) -> Result<Part, PayloadError>) -> Parts {
    if input.entries().len() != 1 {
        return Ok(None);
    }
    let list = input
        .get(key)
        .filter(|list| matches!(list.value, Value::List(_)))
        .map(Node::items);
    let items = list
        .filter(|items| !items.is_empty())
        .ok_or_else(|| PayloadError::NoItems(key.to_owned()))?;
    if items.len() > MOST {
        return Err(PayloadError::TooManyItems {
            key: key.to_owned(),
            most: MOST,
        });
    }
    items
        .iter()
        .map(part)
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

/// Without an old text and a line, the whole file is written.
fn edit(input: &Node) -> Result<Part, PayloadError> {
    const KEYS: [&str; 4] = ["path", "new_text", "old_text", "insert_line"];
    if let Some(other) = input
        .entries()
        .iter()
        .find(|entry| !KEYS.contains(&entry.key.as_str()))
    {
        return Err(PayloadError::UnknownArgument(other.key.clone()));
    }
    let (path, new) = (
        Node::text(text(input, "path")?),
        Node::text(text(input, "new_text")?),
    );
    let line = input
        .get("insert_line")
        .filter(|line| !matches!(line.value, Value::Null));
    Ok(
        match (
            maybe(input, "old_text")?.filter(|old| !old.is_empty()),
            line,
        ) {
            (Some(old), _) => (
                "file_edit",
                Node::map([("path", path), ("find", Node::text(old)), ("replace", new)]),
            ),
            (None, Some(line)) => (
                "file_insert_before",
                Node::map([("path", path), ("content", new), ("line", line.clone())]),
            ),
            (None, None) => ("file_write", Node::map([("path", path), ("content", new)])),
        },
    )
}
