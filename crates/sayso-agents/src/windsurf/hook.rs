//! Windsurf: what its hooks bring, and how it wants to be answered, by its documentation; it was never run with sayso.
//!
//! Only a status of 2 with words on the error stream is a denial, and it takes no other answer. It names its workspace nowhere: the hook is
//! started in it.

use sayso_core::text::node::{Node, Value};

use crate::hook::agent::{Around, Moment, maybe, text};
use crate::hook::dialect::{
    Called, Dialect, Keys, Own, Part, Parts, Server, by_status, never_answered, own,
};
use crate::hook::error::PayloadError;

/// Windsurf.
pub static WINDSURF: Dialect = Dialect {
    name: "windsurf",
    title: "Windsurf",
    event,
    events: &[
        ("pre_run_command", Moment::Before),
        ("pre_write_code", Moment::Before),
        ("pre_read_code", Moment::Before),
        ("pre_mcp_tool_use", Moment::Before),
        ("post_run_command", Moment::After),
        ("post_write_code", Moment::After),
        ("post_read_code", Moment::After),
        ("post_mcp_tool_use", Moment::After),
        ("pre_user_prompt", Moment::Other),
        ("post_cascade_response", Moment::Other),
        ("post_setup_worktree", Moment::Other),
    ],
    keys: Keys {
        session: "trajectory_id",
        folder,
        tool: "agent_action_name",
        input: "tool_info",
        id: None,
        text_input: false,
    },
    tools: TOOLS,
    inner: &[],
    several,
    call,
    server,
    before: by_status,
    permission: never_answered,
    changes_arguments: false,
    has_our_tools: false,
};

const TOOLS: &[Own] = &[
    own(
        "run_command",
        "terminal",
        &[("command_line", "command"), ("cwd", "cwd")],
    ),
    own("read_code", "file_read", &[("file_path", "path")]),
];

fn event(document: &Node) -> Result<&str, PayloadError> {
    text(document, "agent_action_name")
}

fn folder<'a>(_: &'a Node, around: &'a Around) -> Result<&'a str, PayloadError> {
    around.folder.as_deref().ok_or(PayloadError::NoStartFolder)
}

/// The tool is the name of the event without its first word, so that a call is the same before and after.
fn call(document: &Node) -> Called {
    let name = event(document)?;
    let tool = name.split_once('_').map_or(name, |(_, tool)| tool);
    let object = |node: Option<&Node>, key: &'static str| match node {
        Some(node) if matches!(node.value, Value::Map(_)) => Ok(node.clone()),
        _ => Err(PayloadError::NoObject(key)),
    };
    let info = object(document.get("tool_info"), "tool_info")?;
    let input = match tool {
        "mcp_tool_use" => object(info.get("mcp_tool_arguments"), "mcp_tool_arguments")?,
        _ => info,
    };
    Ok(Some((tool.to_owned(), input)))
}

/// Several edits of one file.
fn several(tool: &str, input: &Node) -> Parts {
    if tool != "write_code" {
        return Ok(None);
    }
    let only = |node: &Node, keys: &[&str]| {
        node.entries()
            .iter()
            .all(|entry| keys.contains(&entry.key.as_str()))
    };
    let all = input.get("edits").map(Node::items).unwrap_or_default();
    // Anything beside them may mean anything.
    if !only(input, &["file_path", "edits"])
        || !all
            .iter()
            .all(|edit| only(edit, &["old_string", "new_string"]))
    {
        return Ok(None);
    }
    let path = text(input, "file_path")?;
    let edits = input
        .get("edits")
        .map(Node::items)
        .filter(|edits| !edits.is_empty())
        .ok_or_else(|| PayloadError::missing("edits"))?;
    let one = |edit: &Node| -> Result<Part, PayloadError> {
        let (old, new) = (
            maybe(edit, "old_string")?.unwrap_or_default(),
            text(edit, "new_string")?,
        );
        // Without an old text it is the whole file that is written.
        Ok(if old.is_empty() {
            (
                "file_write",
                Node::map([("path", Node::text(path)), ("content", Node::text(new))]),
            )
        } else {
            (
                "file_edit",
                Node::map([
                    ("path", Node::text(path)),
                    ("find", Node::text(old)),
                    ("replace", Node::text(new)),
                ]),
            )
        })
    };
    edits
        .iter()
        .map(one)
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

fn server(document: &Node, tool: &str) -> Result<Server, PayloadError> {
    if tool != "mcp_tool_use" {
        return Ok(None);
    }
    let info = document
        .get("tool_info")
        .ok_or_else(|| PayloadError::missing("tool_info"))?;
    Ok(Some((
        text(info, "mcp_server_name")?.to_owned(),
        text(info, "mcp_tool_name")?.to_owned(),
    )))
}
