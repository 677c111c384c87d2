//! opencode: what the plugin that sayso puts there sends, and how it is answered.
//!
//! Written after version 1.18.33. The plugin speaks the form of [`crate::generic`] and throws what is not an `allow`, which denies the call. MCP
//! tools are named `server_tool`; the plugin says which servers there are, and a name that fits several is an unknown tool.

use sayso_core::text::node::Node;

use crate::generic::hook as generic;
use crate::hook::agent::text;
use crate::hook::dialect::{Dialect, Own, Parts, Server, by_keys, never_answered, own};
use crate::hook::error::PayloadError;
use crate::hook::patch;

/// opencode.
pub static OPENCODE: Dialect = Dialect {
    name: "opencode",
    title: "opencode",
    event: generic::event,
    events: generic::EVENTS,
    keys: generic::KEYS,
    tools: TOOLS,
    inner: &[
        "invalid",
        "plan_enter",
        "plan_exit",
        "question",
        "todoread",
        "todowrite",
    ],
    several,
    call: by_keys,
    server,
    before: generic::before,
    permission: never_answered,
    changes_arguments: true,
    has_our_tools: false,
};

const TOOLS: &[Own] = &[
    own(
        "bash",
        "terminal",
        &[
            ("command", "command"),
            ("description", "description"),
            ("workdir", "cwd"),
            ("timeout", "timeout_ms"),
        ],
    ),
    own(
        "read",
        "file_read",
        &[
            ("filePath", "path"),
            ("offset", "offset"),
            ("limit", "limit"),
        ],
    ),
    own(
        "write",
        "file_write",
        &[("filePath", "path"), ("content", "content")],
    ),
    own(
        "edit",
        "file_edit",
        &[
            ("filePath", "path"),
            ("oldString", "find"),
            ("newString", "replace"),
            ("replaceAll", "replace_all"),
        ],
    ),
    own("list", "list", &[("path", "path"), ("ignore", "ignore")]),
    own("glob", "glob", &[("pattern", "pattern"), ("path", "path")]),
    own(
        "grep",
        "file_grep",
        &[
            ("pattern", "pattern"),
            ("path", "path"),
            ("include", "include"),
        ],
    ),
    own(
        "webfetch",
        "webfetch",
        &[("url", "url"), ("format", "format"), ("timeout", "timeout")],
    ),
    own(
        "task",
        "delegate",
        &[
            ("description", "description"),
            ("prompt", "prompt"),
            ("subagent_type", "agent"),
            ("task_id", ""),
            ("command", ""),
        ],
    ),
];

/// A patch changes several files.
fn several(tool: &str, input: &Node) -> Parts {
    match tool {
        "apply_patch" | "patch" => Ok(Some(patch::read(text(input, "patchText")?)?)),
        _ => Ok(None),
    }
}

/// A tool of opencode's own is that, whatever a server is called.
fn server(document: &Node, name: &str) -> Result<Server, PayloadError> {
    let plain = |text: &str| {
        text.chars()
            .map(|sign| {
                if sign.is_ascii_alphanumeric() || "_-".contains(sign) {
                    sign
                } else {
                    '_'
                }
            })
            .collect()
    };
    let servers = document
        .get("mcp_servers")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::as_text);
    let fits = |server: &str| -> Server {
        let joined: String = plain(server);
        let tool = name
            .strip_prefix(&joined)?
            .strip_prefix('_')
            .filter(|tool| !tool.is_empty())?;
        Some((server.to_owned(), tool.to_owned()))
    };
    let mut found = servers.filter_map(fits);
    Ok(match (found.next(), found.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    })
}
