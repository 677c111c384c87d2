//! Crush: what its hooks bring, and how it wants to be answered, by its source; it was never run with sayso.
//!
//! Its calls have no ids, its answer changes single arguments, and its sub-agents start no hook.

use sayso_core::text::node::Node;

use crate::hook::agent::{Moment, Reply, Said, text};
use crate::hook::dialect::{
    CANNOT_ASK, Dialect, Keys, Own, Server, USUAL, because, by_keys, never_answered,
    nothing_several, own, says,
};
use crate::hook::error::PayloadError;

/// Crush.
pub static CRUSH: Dialect = Dialect {
    name: "crush",
    title: "Crush",
    event,
    events: &[("PreToolUse", Moment::Before)],
    keys: Keys { id: None, ..USUAL },
    tools: TOOLS,
    inner: &["todos"],
    several: nothing_several,
    call: by_keys,
    server,
    before,
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
            ("working_dir", "cwd"),
            ("run_in_background", "background"),
        ],
    ),
    own(
        "view",
        "file_read",
        &[
            ("file_path", "path"),
            ("offset", "offset"),
            ("limit", "limit"),
        ],
    ),
    own(
        "write",
        "file_write",
        &[("file_path", "path"), ("content", "content")],
    ),
    own(
        "edit",
        "file_edit",
        &[
            ("file_path", "path"),
            ("old_string", "find"),
            ("new_string", "replace"),
            ("replace_all", "replace_all"),
        ],
    ),
    own(
        "ls",
        "list",
        &[("path", "path"), ("ignore", "ignore"), ("depth", "depth")],
    ),
    own("glob", "glob", &[("pattern", "pattern"), ("path", "path")]),
    own(
        "grep",
        "file_grep",
        &[
            ("pattern", "pattern"),
            ("path", "path"),
            ("include", "include"),
            ("literal_text", ""),
        ],
    ),
    own(
        "fetch",
        "webfetch",
        &[("url", "url"), ("format", "format"), ("timeout", "timeout")],
    ),
];

fn event(document: &Node) -> Result<&str, PayloadError> {
    text(document, "event")
}

/// Its names of MCP tools, `mcp_server_tool`, can be read in several ways, so they are unknown tools.
fn server(_: &Node, _: &str) -> Result<Server, PayloadError> {
    Ok(None)
}

fn before(reply: &Reply) -> Said {
    match reply {
        Reply::Allow(_) => says(vec![("decision", Node::text("allow"))]),
        Reply::AllowAs(_, input) => says(vec![
            ("decision", Node::text("allow")),
            ("updated_input", input.clone()),
        ]),
        Reply::Deny(why) => says(vec![
            ("decision", Node::text("deny")),
            because("reason", why),
        ]),
        Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => {
            before(&Reply::Deny(CANNOT_ASK.to_owned()))
        }
        Reply::Nothing => Said::nothing(),
    }
}
