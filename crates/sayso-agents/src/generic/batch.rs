//! Reads a batch of tool calls: a JSON array, JSON lines, or YAML; calls as `{"type", "id", …}` or as `{"tool", "args", …}`.
//!
//! What a batch says of itself is not believed: who calls, in which session and in which workspace is said by whoever starts sayso.

use std::collections::HashMap;

use sayso_core::call::operation::{Agent, Call};
use sayso_core::call::tool;
use sayso_core::paths::join;
use sayso_core::text::diagnostic::{Diagnostic, Source};
use sayso_core::text::node::{Entry, Node, Span, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json, yaml};
use thiserror::Error as ThisError;

use crate::install::finding::FileFinding;

/// A batch has no more calls than this.
const MOST_CALLS: usize = 100_000;

/// So many calls of a batch are one question.
const MOST_GROUPED: usize = 10;

/// The longest batch that is read, in bytes. Each call of it has its own, smaller limit.
pub const LONGEST: usize = 64 << 20;

/// What the door knows of every call.
#[derive(Clone, Debug)]
pub struct Around {
    /// The workspace, absolute; calls run there unless they name another folder.
    pub workspace: String,
    /// Who calls.
    pub agent: String,
    /// The session.
    pub session: String,
}

/// How a batch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// One JSON value.
    Json,
    /// A JSON value a line.
    Lines,
    /// YAML.
    Yaml,
}

impl Written {
    /// By the name of the file, or by how it starts.
    pub fn of(name: &str, text: &str) -> Written {
        match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("json") => Written::Json,
            Some("jsonl" | "ndjson") => Written::Lines,
            Some("yaml" | "yml") => Written::Yaml,
            _ => match text.trim_start().chars().next() {
                Some('[') => Written::Json,
                Some('{') => Written::Lines,
                _ => Written::Yaml,
            },
        }
    }
}

/// What is wrong with a batch. Its message is whole lines, with place and hint.
#[derive(Debug, ThisError)]
pub enum BatchError {
    /// A part of it cannot be read, or is not a call.
    #[error("{0}")]
    BadPlace(Box<FileFinding>),
    /// It has too many calls.
    #[error("{}: error: {count} calls are more than the {MOST_CALLS} of a batch\n", visible(.name))]
    TooManyCalls {
        /// The batch.
        name: String,
        /// How many.
        count: usize,
    },
}

/// The calls of a batch. Nothing of a batch that cannot be read whole is run.
pub fn read(name: &str, text: &str, around: &Around) -> Result<Vec<Call>, BatchError> {
    let source = Source { name, text };
    let limits = Limits {
        bytes: LONGEST,
        ..Limits::default()
    };
    let at = |start: usize| {
        move |finding: Diagnostic| {
            let (from, to) = (
                finding.span.start as usize + start,
                finding.span.end as usize + start,
            );
            let span = Span::new(from, to);
            BatchError::BadPlace(FileFinding::new(source, Diagnostic { span, ..finding }))
        }
    };
    // Each call with where the text starts that it was read from.
    let nodes: Vec<(usize, Node)> = match Written::of(name, text) {
        Written::Json => list(json::read(text, &limits).map_err(at(0))?),
        Written::Yaml => list(yaml::read(text, &limits).map_err(at(0))?),
        Written::Lines => {
            let mut out = Vec::new();
            for (start, line) in lines(text) {
                out.push((start, json::read(line, &limits).map_err(at(start))?));
            }
            out
        }
    };
    if nodes.len() > MOST_CALLS {
        return Err(BatchError::TooManyCalls {
            name: name.to_owned(),
            count: nodes.len(),
        });
    }
    let calls = nodes
        .iter()
        .enumerate()
        .map(|(index, (start, node))| call(node, index, around).map_err(at(*start)));
    let mut calls = calls.collect::<Result<Vec<Call>, BatchError>>()?;
    part_groups(&mut calls);
    Ok(calls)
}

/// Parts long groups. Who writes a batch also writes its groups, and nobody reads a question about a thousand calls: what stood first has
/// scrolled away.
fn part_groups(calls: &mut [Call]) {
    let mut sizes: HashMap<String, usize> = HashMap::new();
    for group in calls.iter_mut().filter_map(|call| call.group.as_mut()) {
        let size = sizes.entry(group.clone()).or_default();
        // No group of a batch can hold this sign, so no other one is meant.
        group.push_str(&format!("\u{1f}{}", *size / MOST_GROUPED));
        *size += 1;
    }
}

/// A list of calls, or a single one.
fn list(node: Node) -> Vec<(usize, Node)> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| (0, item.clone())).collect(),
        Value::Null => Vec::new(),
        _ => vec![(0, node)],
    }
}

/// The lines that hold something, each with where it starts.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = next;
        next += line.len();
        (start, line.trim_end())
    });
    lines.filter(|(_, line)| !line.trim().is_empty())
}

/// Keys of a call in the native shape, beside `tool` and `args`.
const BESIDE: &[&str] = &[
    "id",
    "tool",
    "args",
    "cwd",
    "group",
    "group_id",
    "workspace",
    "agent",
    "session",
];

/// A name that the batch gives: people read it and type it, so it is one line and not without end.
fn named(key: &str, text: &str, span: Span) -> Result<String, Diagnostic> {
    const LONGEST: usize = 256;
    let wrong = match text {
        _ if text.len() > LONGEST => format!("`{key}` is longer than {LONGEST} bytes"),
        _ if visible(text) != text => {
            format!("`{key}` holds characters that are not plainly visible (`{text}`)")
        }
        _ => return Ok(text.to_owned()),
    };
    Err(Diagnostic::error(span, wrong)
        .hint("give it a short name, such as `edit_0`, or leave it out"))
}

/// One call of a batch.
pub fn call(node: &Node, index: usize, around: &Around) -> Result<Call, Diagnostic> {
    let Value::Map(entries) = &node.value else {
        return Err(Diagnostic::error(
            node.span,
            format!("a call is an object, and this is {}", node.kind_word()),
        ));
    };
    let text = |key: &str| match node.get(key) {
        None => Ok(None),
        Some(value) => match &value.value {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text.as_str())),
            _ => Err(Diagnostic::error(
                value.span,
                format!("`{key}` is {}, not text", value.kind_word()),
            )),
        },
    };
    // A tool of an MCP server has an argument of the name `tool`.
    let native = node.get("type").is_none();
    let Some(tool) = text(if native { "tool" } else { "type" })? else {
        return Err(Diagnostic::error(node.span, "the call names no tool")
            .hint("give it a `type` (or `tool` and `args`), such as `{\"type\": \"file_read\", \"file\": \"a.txt\"}`"));
    };
    // Beside `type` stand the arguments, and some tools have one of these names: another agent is whom `delegate` is for.
    let is_argument = |key: &str| {
        !native
            && tool::find(tool).is_none_or(|row| {
                row.arguments
                    .iter()
                    .any(|argument| argument.names.contains(&key))
            })
    };
    for (key, said) in [
        ("workspace", &around.workspace),
        ("agent", &around.agent),
        ("session", &around.session),
    ] {
        if is_argument(key) {
            continue;
        }
        if let Some(given) = text(key)?.filter(|given| given != said) {
            let span = node.get(key).map_or(node.span, |value| value.span);
            let hint = if key == "agent" {
                "say `--agent NAME`"
            } else {
                "leave it out; the folder is said with `-C DIR`"
            };
            return Err(Diagnostic::error(
                span,
                format!("a batch cannot say its own `{key}` (`{given}`)"),
            )
            .hint(hint));
        }
    }
    let args = if native {
        if let Some(unknown) = entries
            .iter()
            .find(|entry| !BESIDE.contains(&entry.key.as_str()))
        {
            let hint = "arguments of the tool stand in `args`";
            return Err(Diagnostic::error(
                unknown.node.span,
                format!("a call has no key `{}`", unknown.key),
            )
            .hint(hint));
        }
        node.get("args")
            .cloned()
            .unwrap_or_else(|| Value::Null.into())
    } else {
        let is_given = |entry: &&Entry| match entry.key.as_str() {
            "type" | "id" | "group_id" => false,
            key @ ("workspace" | "agent" | "session") => is_argument(key),
            _ => true,
        };
        Value::Map(entries.iter().filter(is_given).cloned().collect()).into()
    };
    let id = match node.get("id").map(|node| (node.span, &node.value)) {
        Some((span, Value::Text(text) | Value::Number(text))) => named("id", text, span)?,
        _ => format!("{tool}_{index}"),
    };
    let cwd = if native {
        text("cwd")?.map(|folder| join(&around.workspace, folder))
    } else {
        None
    };
    let group = text("group_id")?.or(if native { text("group")? } else { None });
    let group = group
        .map(|group| named("group_id", group, node.span))
        .transpose()?;
    Ok(Call {
        id,
        cwd: cwd.unwrap_or_else(|| around.workspace.clone()),
        agent: Agent {
            name: around.agent.clone(),
            parents: Vec::new(),
        },
        session: around.session.clone(),
        group,
        ..Call::new(tool, args, around.workspace.clone())
    })
}
