//! Gemini CLI: what its hooks bring, and how it wants to be answered.
//!
//! Written after version 0.61.0. Its calls have no ids; other arguments replace all of them on one way through it and are merged on another,
//! so all are given back; an `ask` waits for ever where nobody sits in front of it; and its `allow` leaves its own questions to it.

use sayso_core::text::node::Node;

use crate::hook::agent::{Moment, Reply, Said, text};
use crate::hook::dialect::{
    CANNOT_ASK, Dialect, Keys, Own, Server, USUAL, because, by_keys, hook_event_name,
    never_answered, nothing_several, own, says,
};
use crate::hook::error::PayloadError;

/// Gemini CLI.
pub static GEMINI: Dialect = Dialect {
    name: "gemini",
    title: "Gemini CLI",
    event: hook_event_name,
    events: &[
        ("BeforeTool", Moment::Before),
        ("AfterTool", Moment::After),
        ("SessionStart", Moment::Started),
        ("SessionEnd", Moment::Ended),
        ("AfterAgent", Moment::Idle),
        ("BeforeAgent", Moment::Idle),
        ("AfterModel", Moment::Other),
        ("BeforeModel", Moment::Other),
        ("BeforeToolSelection", Moment::Other),
        ("Notification", Moment::Other),
        ("PreCompress", Moment::Other),
    ],
    keys: Keys { id: None, ..USUAL },
    tools: TOOLS,
    inner: &[
        "ask_user",
        "complete_task",
        "enter_plan_mode",
        "exit_plan_mode",
        "get_internal_docs",
        "list_background_processes",
        "read_background_output",
        "tracker_add_dependency",
        "tracker_create_task",
        "tracker_get_task",
        "tracker_list_tasks",
        "tracker_update_task",
        "tracker_visualize",
        "update_topic",
        "write_todos",
    ],
    several: nothing_several,
    call: by_keys,
    server,
    before,
    permission: never_answered,
    changes_arguments: true,
    has_our_tools: false,
};

/// What Qwen Code, which grew from it, calls them as well.
pub const TOOLS: &[Own] = &[
    own(
        "run_shell_command",
        "terminal",
        &[
            ("command", "command"),
            ("description", "description"),
            ("dir_path", "cwd"),
            ("is_background", "background"),
            ("delay_ms", ""),
            WAIT,
        ],
    ),
    own(
        "read_file",
        "file_read",
        &[
            ("file_path", "path"),
            ("start_line", "start_line"),
            ("end_line", "end_line"),
            WAIT,
        ],
    ),
    own(
        "write_file",
        "file_write",
        &[("file_path", "path"), ("content", "content"), WAIT],
    ),
    own(
        "replace",
        "file_edit",
        &[
            ("file_path", "path"),
            ("old_string", "find"),
            ("new_string", "replace"),
            ("instruction", "instruction"),
            ("allow_multiple", "replace_all"),
            ("expected_replacements", "expected_replacements"),
            WAIT,
        ],
    ),
    own(
        "list_directory",
        "list",
        &[("dir_path", "path"), ("ignore", "ignore"), WAIT],
    ),
    own(
        "glob",
        "glob",
        &[
            ("pattern", "pattern"),
            ("dir_path", "path"),
            ("case_sensitive", "case_sensitive"),
            ("respect_git_ignore", "respect_git_ignore"),
            ("respect_gemini_ignore", ""),
            WAIT,
        ],
    ),
    own("grep_search", "file_grep", GREP),
    own("search_file_content", "file_grep", GREP),
    own(
        "invoke_agent",
        "delegate",
        &[("agent_name", "agent"), ("prompt", "prompt"), WAIT],
    ),
];

/// Whether a call waits for the one before it.
const WAIT: (&str, &str) = ("wait_for_previous", "");

const GREP: &[(&str, &str)] = &[
    ("pattern", "pattern"),
    ("dir_path", "path"),
    ("include_pattern", "include"),
    ("exclude_pattern", "exclude"),
    ("case_sensitive", "case_sensitive"),
    ("context", "context"),
    ("after", "-A"),
    ("before", "-B"),
    ("fixed_strings", ""),
    ("names_only", ""),
    ("max_matches_per_file", ""),
    ("total_max_matches", "max_results"),
    WAIT,
];

/// What it says of the server of a call; a name alone can be read in several ways.
fn server(document: &Node, _: &str) -> Result<Server, PayloadError> {
    let Some(context) = document.get("mcp_context") else {
        return Ok(None);
    };
    Ok(Some((
        text(context, "server_name")?.to_owned(),
        text(context, "tool_name")?.to_owned(),
    )))
}

fn before(reply: &Reply) -> Said {
    match reply {
        Reply::Allow(_) => says(vec![("decision", Node::text("allow"))]),
        Reply::AllowAs(_, input) => {
            let changed = Node::map([
                ("hookEventName", Node::text("BeforeTool")),
                ("tool_input", input.clone()),
            ]);
            says(vec![
                ("decision", Node::text("allow")),
                ("hookSpecificOutput", changed),
            ])
        }
        Reply::Deny(why) => says(vec![
            ("decision", Node::text("deny")),
            because("reason", why),
        ]),
        Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => says(vec![
            ("decision", Node::text("deny")),
            because("reason", CANNOT_ASK),
        ]),
        Reply::Nothing => Said::nothing(),
    }
}
