//! Copilot CLI: what its hooks bring, and how it wants to be answered.
//!
//! Written after version 1.0.102. Its documents do not name their event, so that is seen by what stands in them; its calls have no ids; older
//! versions write the arguments as a text with JSON in it. Any status but 0 is a denial.

use sayso_core::text::node::Node;

use crate::hook::agent::{Moment, Reply, Said, allowed_by, run_by_sayso, text};
use crate::hook::dialect::{
    CANNOT_ASK, Dialect, Keys, Own, Server, because, by_keys, cwd, never_answered, nothing_several,
    own, says,
};
use crate::hook::error::PayloadError;

/// Copilot CLI.
pub static COPILOT: Dialect = Dialect {
    name: "copilot",
    title: "Copilot CLI",
    event,
    events: &[
        ("preToolUse", Moment::Before),
        ("postToolUse", Moment::After),
        ("postToolUseFailure", Moment::Failed),
        ("sessionStart", Moment::Started),
        ("sessionEnd", Moment::Ended),
        ("userPromptSubmitted", Moment::Idle),
        ("agentStop", Moment::Idle),
        ("permissionRequest", Moment::Other),
        ("notification", Moment::Other),
    ],
    keys: Keys {
        session: "sessionId",
        folder: cwd,
        tool: "toolName",
        input: "toolArgs",
        id: None,
        text_input: true,
    },
    tools: TOOLS,
    inner: &[
        "list_agents",
        "list_bash",
        "read_agent",
        "read_bash",
        "report_intent",
        "stop_bash",
        "update_todo",
    ],
    several: nothing_several,
    call: by_keys,
    server,
    before,
    permission: never_answered,
    changes_arguments: true,
    has_our_tools: false,
};

/// An argument such as `shellId` is not here: what runs in a shell that is open already may run in another folder.
const TOOLS: &[Own] = &[
    own(
        "bash",
        "terminal",
        &[
            ("command", "command"),
            ("description", "description"),
            ("mode", ""),
            ("detach", "background"),
            ("initial_wait", ""),
        ],
    ),
    own(
        "view",
        "file_read",
        &[
            ("path", "path"),
            ("view_range", "lines"),
            ("forceReadLargeFiles", ""),
        ],
    ),
    own(
        "create",
        "file_write",
        &[("path", "path"), ("file_text", "content")],
    ),
    own(
        "edit",
        "file_edit",
        &[
            ("path", "path"),
            ("old_str", "find"),
            ("new_str", "replace"),
        ],
    ),
    own(
        "web_fetch",
        "webfetch",
        &[
            ("url", "url"),
            ("max_length", ""),
            ("start_index", ""),
            ("raw", ""),
        ],
    ),
    own(
        "task",
        "delegate",
        &[
            ("description", "description"),
            ("prompt", "prompt"),
            ("agent_type", "agent"),
            ("name", ""),
            ("model", ""),
            ("mode", ""),
        ],
    ),
    own(
        "grep",
        "file_grep",
        &[
            ("pattern", "pattern"),
            ("paths", "path"),
            ("output_mode", "output_mode"),
            ("glob", "glob"),
            ("type", "type"),
            ("-i", "-i"),
            ("-A", "-A"),
            ("-B", "-B"),
            ("-C", "-C"),
            ("-n", "-n"),
            ("head_limit", "head_limit"),
            ("multiline", "multiline"),
        ],
    ),
    own("glob", "glob", &[("pattern", "pattern"), ("paths", "path")]),
];

/// The event by its name, where there is one, or by what only that event has.
fn event(document: &Node) -> Result<&str, PayloadError> {
    for key in ["hookName", "hookEventName", "hook_event_name"] {
        if document.get(key).is_some() {
            return text(document, key);
        }
    }
    let has = |key: &str| document.get(key).is_some();
    match () {
        () if has("toolName") && has("error") => Ok("postToolUseFailure"),
        () if has("toolName") && has("toolResult") => Ok("postToolUse"),
        () if has("toolName") || has("toolArgs") => Ok("preToolUse"),
        () if has("prompt") => Ok("userPromptSubmitted"),
        () if has("source") => Ok("sessionStart"),
        () if has("stopReason") || has("transcriptPath") => Ok("agentStop"),
        () if has("reason") => Ok("sessionEnd"),
        () => Err(PayloadError::NoEvent),
    }
}

/// Its names of MCP tools are joined by a `-` that servers and tools have in them, too, so they are unknown tools.
fn server(_: &Node, _: &str) -> Result<Server, PayloadError> {
    Ok(None)
}

fn before(reply: &Reply) -> Said {
    let answer = |decision: &str, why: &str| {
        vec![
            ("permissionDecision", Node::text(decision)),
            because("permissionDecisionReason", why),
        ]
    };
    match reply {
        Reply::Allow(by) => says(answer("allow", &allowed_by(by))),
        Reply::AllowAs(by, input) => {
            let mut fields = answer("allow", &run_by_sayso(by));
            fields.push(("modifiedArgs", input.clone()));
            says(fields)
        }
        Reply::Deny(why) => says(answer("deny", why)),
        Reply::Ask(_) | Reply::AskAs(..) | Reply::Defer(_) => says(answer("deny", CANNOT_ASK)),
        Reply::Nothing => Said::nothing(),
    }
}
