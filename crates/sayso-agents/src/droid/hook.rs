//! Droid of Factory: what its hooks bring, and how it wants to be answered, by its documentation; it was never run with sayso.
//!
//! It speaks as Claude Code does, with names of its own for its tools. That its `updatedInput` counts is not said, so it is not relied on.

use sayso_core::text::node::Node;

use crate::hook::agent::{Moment, text};
use crate::hook::dialect::{
    Dialect, Own, Parts, USUAL, by_keys, by_permission, hook_event_name, joined_by_two,
    never_answered, own,
};
use crate::hook::patch;

/// Droid.
pub static DROID: Dialect = Dialect {
    name: "droid",
    title: "Droid",
    event: hook_event_name,
    events: &[
        ("PreToolUse", Moment::Before),
        ("PostToolUse", Moment::After),
        ("SessionStart", Moment::Started),
        ("SessionEnd", Moment::Ended),
        ("Stop", Moment::Idle),
        ("UserPromptSubmit", Moment::Idle),
        ("Notification", Moment::Other),
        ("PreCompact", Moment::Other),
        ("SubagentStop", Moment::Other),
    ],
    keys: USUAL,
    tools: TOOLS,
    inner: &["ExitSpecMode", "TodoWrite"],
    several,
    call: by_keys,
    server: joined_by_two,
    before: by_permission,
    permission: never_answered,
    changes_arguments: false,
    has_our_tools: false,
};

const TOOLS: &[Own] = &[
    own(
        "Execute",
        "terminal",
        &[
            ("command", "command"),
            ("timeout", "timeout"),
            ("riskLevel", ""),
            ("riskLevelReason", ""),
        ],
    ),
    own(
        "Read",
        "file_read",
        &[
            ("file_path", "path"),
            ("offset", "offset"),
            ("limit", "limit"),
        ],
    ),
    own(
        "Create",
        "file_write",
        &[("file_path", "path"), ("content", "content")],
    ),
    own(
        "Edit",
        "file_edit",
        &[
            ("file_path", "path"),
            ("old_str", "find"),
            ("new_str", "replace"),
            ("old_string", "find"),
            ("new_string", "replace"),
            ("change_all", "all"),
        ],
    ),
    own(
        "LS",
        "list",
        &[("directory_path", "path"), ("ignorePatterns", "ignore")],
    ),
    own(
        "Grep",
        "file_grep",
        &[
            ("pattern", "pattern"),
            ("path", "path"),
            ("glob_pattern", "glob"),
            ("output_mode", "output_mode"),
        ],
    ),
    own("FetchUrl", "webfetch", &[("url", "url")]),
    own(
        "Task",
        "delegate",
        &[
            ("subagent_type", "agent"),
            ("prompt", "prompt"),
            ("description", "description"),
        ],
    ),
];

fn several(tool: &str, input: &Node) -> Parts {
    if tool == "ApplyPatch" {
        Ok(Some(patch::read(text(input, "input")?)?))
    } else {
        Ok(None)
    }
}
