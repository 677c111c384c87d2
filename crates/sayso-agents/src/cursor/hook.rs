//! Cursor: what its hooks bring, and how it wants to be answered, by its documentation; it was never run with sayso.
//!
//! The same call may come by several events, and each is judged. Where a hook that fails is a denial (`failClosed`), nothing at all counts as
//! one that failed, so there is always an answer in words.

use sayso_core::text::node::{Node, Value};

use crate::hook::agent::{self, Around, Moment, Reply, Said, maybe, text};
use crate::hook::dialect::{
    CANNOT_ASK, Called, Dialect, Keys, Own, Server, because, hook_event_name, never_answered,
    nothing_several, own, says,
};
use crate::hook::error::PayloadError;

/// Cursor.
pub static CURSOR: Dialect = Dialect {
    name: "cursor",
    title: "Cursor",
    event: hook_event_name,
    events: &[
        ("preToolUse", Moment::Before),
        ("beforeShellExecution", Moment::Before),
        ("beforeMCPExecution", Moment::Before),
        ("beforeReadFile", Moment::Before),
        ("postToolUse", Moment::After),
        ("postToolUseFailure", Moment::Failed),
        ("sessionStart", Moment::Started),
        ("sessionEnd", Moment::Ended),
        ("stop", Moment::Idle),
        ("afterFileEdit", Moment::Other),
        ("afterMCPExecution", Moment::Other),
        ("afterShellExecution", Moment::Other),
    ],
    keys: Keys {
        session: "conversation_id",
        folder,
        tool: "tool_name",
        input: "tool_input",
        id: Some("tool_use_id"),
        text_input: true,
    },
    tools: TOOLS,
    inner: &["TodoWrite"],
    several: nothing_several,
    call,
    server,
    before,
    permission: never_answered,
    changes_arguments: false,
    has_our_tools: false,
};

const TOOLS: &[Own] = &[
    own(
        "Shell",
        "terminal",
        &[
            ("command", "command"),
            ("description", "description"),
            ("cwd", "cwd"),
            ("working_directory", "cwd"),
            ("timeout", "timeout_ms"),
        ],
    ),
    own(
        "Read",
        "file_read",
        &[
            ("file_path", "path"),
            ("path", "path"),
            ("offset", "offset"),
            ("limit", "limit"),
        ],
    ),
    own(
        "Write",
        "file_write",
        &[
            ("file_path", "path"),
            ("path", "path"),
            ("content", "content"),
            ("contents", "content"),
        ],
    ),
    own(
        "Delete",
        "file_delete",
        &[("file_path", "path"), ("path", "path")],
    ),
    own(
        "Grep",
        "file_grep",
        &[("pattern", "pattern"), ("path", "path"), ("glob", "glob")],
    ),
    own(
        "Task",
        "delegate",
        &[
            ("subagent_type", "agent"),
            ("prompt", "prompt"),
            ("description", "description"),
            ("task", "task"),
        ],
    ),
];

/// The workspace is its first folder: where it has several, what lies in the others is outside.
fn folder<'a>(document: &'a Node, _: &'a Around) -> Result<&'a str, PayloadError> {
    let first = document
        .get("workspace_roots")
        .map(Node::items)
        .unwrap_or_default()
        .first();
    first
        .and_then(Node::as_text)
        .ok_or(PayloadError::NoWorkspaceRoot)
}

/// What the events for one kind of call say without naming a tool.
fn call(document: &Node) -> Called {
    match hook_event_name(document)? {
        "beforeShellExecution" => {
            // Its shell may still be where an earlier command went: where it does not say, that is not in the workspace.
            let cwd = maybe(document, "cwd")?
                .filter(|cwd| !cwd.is_empty())
                .unwrap_or("/");
            let input = [
                ("command", Node::text(text(document, "command")?)),
                ("cwd", Node::text(cwd)),
            ];
            Ok(Some(("Shell".to_owned(), Node::map(input))))
        }
        "beforeReadFile" => Ok(Some((
            "Read".to_owned(),
            Node::map([("file_path", Node::text(text(document, "file_path")?))]),
        ))),
        // A server may call a tool as Cursor calls one of its own.
        "beforeMCPExecution" => {
            let input = match document.get("tool_input").map(|node| (node, &node.value)) {
                Some((node, Value::Map(_))) => node.clone(),
                Some((_, Value::Text(inner))) => {
                    agent::document(inner.as_bytes()).map_err(|source| PayloadError::Inside {
                        key: "tool_input",
                        source: Box::new(source),
                    })?
                }
                _ => return Err(PayloadError::NoObject("tool_input")),
            };
            Ok(Some((
                format!("MCP:{}", text(document, "tool_name")?),
                input,
            )))
        }
        _ => Ok(None),
    }
}

/// A tool of a server is named without it: whose it is, nobody knows, so it is an unknown tool.
fn server(_: &Node, _: &str) -> Result<Server, PayloadError> {
    Ok(None)
}

fn before(reply: &Reply) -> Said {
    match reply {
        Reply::Allow(_) | Reply::Nothing => says(vec![("permission", Node::text("allow"))]),
        Reply::Deny(why) => says(vec![
            ("permission", Node::text("deny")),
            because("user_message", why),
            because("agent_message", why),
        ]),
        Reply::AllowAs(..) | Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => {
            before(&Reply::Deny(CANNOT_ASK.to_owned()))
        }
    }
}
