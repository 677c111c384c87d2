//! Goose: what its hooks bring, and how it wants to be answered, by the specification that it follows; it was never run with sayso.
//!
//! What it takes for a denial besides a status of 2 with words on the error stream is not known, so nothing else is said.

use sayso_core::text::node::Node;

use crate::hook::agent::{Moment, text};
use crate::hook::dialect::{
    Dialect, Own, Parts, Server, USUAL, by_keys, by_status, hook_event_name, never_answered, own,
};
use crate::hook::error::PayloadError;
use sayso_runtime::mcp_servers::name::split_mcp;

/// Goose.
pub static GOOSE: Dialect = Dialect {
    name: "goose",
    title: "Goose",
    event: hook_event_name,
    events: &[
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("PostToolUseFailure", Moment::Failed),
        ("SessionStart", Moment::Started),
        ("SessionEnd", Moment::Ended),
        ("Stop", Moment::Idle),
        ("UserPromptSubmit", Moment::Idle),
    ],
    keys: USUAL,
    tools: TOOLS,
    inner: &[],
    several,
    call: by_keys,
    server: joined_extension,
    before: by_status,
    permission: never_answered,
    changes_arguments: false,
    has_our_tools: false,
};

const TOOLS: &[Own] = &[own(
    "developer__shell",
    "terminal",
    &[("command", "command")],
)];

/// Its editor does several things, by a word in its arguments.
fn several(tool: &str, input: &Node) -> Parts {
    if tool != "developer__text_editor" {
        return Ok(None);
    }
    let path = || text(input, "path").map(|path| ("path", Node::text(path)));
    let of =
        |ours: &'static str, key: &str| text(input, key).map(|value| (ours, Node::text(value)));
    // With a `diff` it does something else than the other arguments say, and what comes later may, too.
    let only = |keys: &[&str]| {
        input
            .entries()
            .iter()
            .all(|entry| keys.contains(&entry.key.as_str()))
    };
    let part = match text(input, "command")? {
        "view" if only(&["command", "path", "view_range"]) => ("file_read", Node::map([path()?])),
        "write" if only(&["command", "path", "file_text"]) => (
            "file_write",
            Node::map([path()?, of("content", "file_text")?]),
        ),
        "str_replace" if only(&["command", "path", "old_str", "new_str"]) => (
            "file_edit",
            Node::map([path()?, of("find", "old_str")?, of("replace", "new_str")?]),
        ),
        // What else it does is not known well enough.
        _ => return Ok(None),
    };
    Ok(Some(vec![part]))
}

/// The extension of a joined name `extension__tool`, which is a server of tools.
fn joined_extension(_: &Node, name: &str) -> Result<Server, PayloadError> {
    let joined = format!("mcp__{name}");
    let server = split_mcp(&joined).filter(|(server, _)| *server != "developer");
    Ok(server.map(|(server, tool)| (server.to_owned(), tool.to_owned())))
}
