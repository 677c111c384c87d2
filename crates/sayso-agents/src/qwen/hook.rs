//! Qwen Code: what its hooks bring, and how it wants to be answered.
//!
//! Written after version 0.24.4. It speaks as Claude Code does and has the tools of Gemini CLI under mostly the same names; but a hook cannot
//! change the arguments of a call, so nothing is handed to `sayso exec`, and its `allow` leaves its own questions to it.

use crate::hook::agent::Moment;
use crate::hook::dialect::{
    Dialect, Keys, Own, USUAL, by_keys, by_permission, hook_event_name, joined_by_two,
    never_answered, nothing_several, own,
};

/// Qwen Code.
pub static QWEN: Dialect = Dialect {
    name: "qwen",
    title: "Qwen Code",
    event: hook_event_name,
    events: EVENTS,
    keys: Keys {
        id: Some("tool_call_id"),
        ..USUAL
    },
    tools: TOOLS,
    inner: &[
        "ask_user_question",
        "enter_plan_mode",
        "exit_plan_mode",
        "get_goal",
        "list_agents",
        "task_stop",
        "todo_write",
        "tool_search",
        "update_goal",
    ],
    several: nothing_several,
    call: by_keys,
    server: joined_by_two,
    before: by_permission,
    permission: never_answered,
    changes_arguments: false,
    has_our_tools: false,
};

const EVENTS: &[(&str, Moment)] = &[
    ("PreToolUse", Moment::Before),
    ("PermissionRequest", Moment::Permission),
    ("PostToolUse", Moment::After),
    ("PostToolUseFailure", Moment::Failed),
    ("SessionStart", Moment::Started),
    ("SessionEnd", Moment::Ended),
    ("Stop", Moment::Idle),
    ("UserPromptSubmit", Moment::Idle),
    ("InstructionsLoaded", Moment::Other),
    ("MessageDisplay", Moment::Other),
    ("Notification", Moment::Other),
    ("PermissionDenied", Moment::Other),
    ("PostCompact", Moment::Other),
    ("PostToolBatch", Moment::Other),
    ("PreCompact", Moment::Other),
    ("SessionDelete", Moment::Other),
    ("StopFailure", Moment::Other),
    ("SubagentStart", Moment::Other),
    ("SubagentStop", Moment::Other),
    ("TodoCompleted", Moment::Other),
    ("TodoCreated", Moment::Other),
    ("UserPromptExpansion", Moment::Other),
];

const TOOLS: &[Own] = &[
    own(
        "run_shell_command",
        "terminal",
        &[
            ("command", "command"),
            ("description", "description"),
            ("directory", "cwd"),
            ("is_background", "background"),
            ("timeout", "timeout_ms"),
        ],
    ),
    own(
        "read_file",
        "file_read",
        &[
            ("file_path", "path"),
            ("offset", "offset"),
            ("limit", "limit"),
            ("pages", "pages"),
        ],
    ),
    own(
        "write_file",
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
        "list_directory",
        "list",
        &[("path", "path"), ("ignore", "ignore")],
    ),
    own("glob", "glob", &[("pattern", "pattern"), ("path", "path")]),
    own(
        "grep_search",
        "file_grep",
        &[
            ("pattern", "pattern"),
            ("path", "path"),
            ("glob", "glob"),
            ("limit", "limit"),
        ],
    ),
    own(
        "web_fetch",
        "webfetch",
        &[("url", "url"), ("prompt", "prompt")],
    ),
    own(
        "agent",
        "delegate",
        &[
            ("description", "description"),
            ("prompt", "prompt"),
            ("subagent_type", "agent"),
            ("run_in_background", ""),
        ],
    ),
];
