//! Claude Code: what its hooks bring, and how it wants to be answered.
//!
//! Written after version 2.1.325. Three things are easy to get wrong: output that is no JSON lets the tool run, whatever `onFailure` says;
//! `updatedInput` replaces all arguments, so all of them are given back; and an `ask` is only shown where somebody sits in front of it.

use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::paths::join;
use sayso_core::text::node::{Node, Value};

use super::rules;
use crate::hook::agent::{
    Agent, Around, Event, Named, Reply, Said, Session, Wanted, allowed_by, decision, foreign,
    maybe, numbered, own_names, reason, run_by_sayso, text, variable, with, without,
};
use crate::hook::error::{AskError, PayloadError};
use sayso_runtime::mcp_servers::name::split_mcp;

/// Claude Code.
pub struct Claude;

/// Its own business: these touch nothing but its conversation and its own background tasks.
const INNER: &[&str] = &[
    "AskUserQuestion",
    "BashOutput",
    "CronList",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillBash",
    "KillShell",
    "ListAgents",
    "ReportFindings",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
];

/// Tools that our registry has under the same names, with the same arguments.
const SAME: &[&str] = &["Edit", "Glob", "Grep", "LS", "Read", "WebFetch", "Write"];

/// What its tools call the arguments that mean something.
const NAMES: &[&str] = &[
    "command",
    "content",
    "file_path",
    "new_string",
    "old_string",
    "path",
    "pattern",
    "timeout",
    "url",
];

/// Events that nothing depends on.
const OTHER: &[&str] = &[
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PostCompact",
    "PostModelSwitch",
    "PostToolBatch",
    "PreCompact",
    "PreModelSwitch",
    "Setup",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// Events behind which none of its dialogs is open. After a no in one it says nothing, and waits for what the person says next.
const IDLE: &[&str] = &["Stop", "UserPromptSubmit"];

/// The longest that Claude Code waits for a command, and for one in the background: it ends them itself before that.
const LONGEST_WAIT: &str = "600000";
const LONGEST_BACKGROUND: &str = "3600000";

impl Agent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn around(&self) -> Around {
        let home = variable("HOME").map(|home| join(&home, ".claude"));
        Around {
            project: variable("CLAUDE_PROJECT_DIR"),
            attended: variable("CLAUDE_CODE_SESSION_ATTENDED"),
            settings_folders: variable("CLAUDE_CONFIG_DIR")
                .into_iter()
                .chain(home)
                .collect(),
            ..Around::from_environment()
        }
    }

    fn read(&self, document: &Node, around: &Around) -> Result<Event, PayloadError> {
        let event = text(document, "hook_event_name")?;
        if OTHER.contains(&event) {
            return Ok(Event::Other);
        }
        if IDLE.contains(&event) {
            return Ok(idle(document, around).map_or(Event::Other, Event::Idle));
        }
        let id = text(document, "session_id")?.to_owned();
        let cwd = text(document, "cwd")?;
        if !cwd.starts_with('/') {
            return Err(PayloadError::RelativeFolder(cwd.to_owned()));
        }
        // It may have gone into another folder since it was started, where the model wanted it to; the project is where it was.
        let workspace = around
            .project
            .as_deref()
            .filter(|project| project.starts_with('/'));
        let workspace = workspace.ok_or(PayloadError::NoProject {
            variable: "CLAUDE_PROJECT_DIR",
            agent: self.title(),
        })?;
        let session = Session {
            id,
            workspace: join("/", workspace),
        };
        match event {
            "SessionStart" => return Ok(Event::Started(session)),
            "SessionEnd" => return Ok(Event::Ended(session)),
            _ => {}
        }
        let wanted = || wanted(document, &session, cwd);
        match event {
            "PreToolUse" => Ok(Event::Before(wanted()?)),
            "PermissionRequest" => Ok(Event::Permission(wanted()?)),
            "PostToolUse" | "PostToolUseFailure" => Ok(Event::After {
                wanted: wanted()?,
                succeeded: event == "PostToolUse",
                milliseconds: document
                    .get("duration_ms")
                    .and_then(Node::as_whole)
                    .unwrap_or(0),
            }),
            other => Err(PayloadError::UnknownEvent {
                event: other.to_owned(),
                agent: self.title(),
            }),
        }
    }

    fn before(&self, reply: &Reply) -> Said {
        let fields = |decision: &str, why: Option<&str>, input: Option<&Node>| {
            let mut fields = vec![
                ("hookEventName", Node::text("PreToolUse")),
                ("permissionDecision", Node::text(decision)),
            ];
            fields.extend(why.map(|why| ("permissionDecisionReason", Node::text(reason(why)))));
            fields.extend(input.map(|input| ("updatedInput", input.clone())));
            ("hookSpecificOutput", Node::map(fields))
        };
        let answer = |decision: &str, why: Option<&str>, input: Option<&Node>| {
            Said::json(&Node::map([fields(decision, why, input)]))
        };
        match reply {
            Reply::Allow(by) => answer("allow", Some(&allowed_by(by)), None),
            Reply::AllowAs(by, input) => answer("allow", Some(&run_by_sayso(by)), Some(input)),
            Reply::Deny(why) => answer("deny", Some(why), None),
            Reply::Ask(why) => {
                // Its dialogs for files show no reason; a message of the hook it shows beside every dialog.
                Said::json(&Node::map([
                    fields("ask", Some(why), None),
                    ("systemMessage", Node::text(reason(why))),
                ]))
            }
            Reply::AskAs(why, input) => answer("ask", Some(why), Some(input)),
            Reply::Defer(why) => answer("defer", Some(why), None),
            Reply::Nothing => Said::nothing(),
        }
    }

    fn permission(&self, reply: &Reply) -> Said {
        decision(reply, true)
    }

    fn can_ask(&self, around: &Around) -> Result<(), AskError> {
        match around.attended.as_deref() {
            Some("0") => Err(AskError::Unattended),
            _ => Ok(()),
        }
    }

    /// Only where nobody sits in front of it.
    fn can_defer(&self, around: &Around) -> bool {
        around.attended.as_deref() == Some("0")
    }

    fn how_to_go_on(&self) -> &'static str {
        "The run waits: allow or deny it with a rule (`sayso rules add`), then go on with `claude -p --resume`"
    }

    /// It shows the new command in full, and the old one above.
    fn asks_about_what_runs(&self) -> bool {
        true
    }

    fn has_rules_for_commands(&self, around: &Around, workspace: &str) -> bool {
        rules::are_there(&around.settings_folders, workspace)
    }

    /// Its `allow` before a call has skipped its own question already; one that is asked all the same is one that the person wants.
    fn answers_questions(&self) -> bool {
        false
    }

    /// It says by a variable where it was started.
    fn folder_is_of_the_call(&self) -> bool {
        false
    }

    fn workspace_by_itself(&self, _: &Node) -> Option<String> {
        None
    }
}

/// The session that waits. Nothing can be denied there, least of all what the person says.
fn idle(document: &Node, around: &Around) -> Option<Session> {
    let workspace = around
        .project
        .as_deref()
        .filter(|project| project.starts_with('/'))?;
    Some(Session {
        id: text(document, "session_id").ok()?.to_owned(),
        workspace: join("/", workspace),
    })
}

fn wanted(document: &Node, session: &Session, cwd: &str) -> Result<Wanted, PayloadError> {
    let named = Named::read(document, "claude", session)?;
    let (name, input) = (named.tool, named.input);
    let call = |tool: &str, args: Node| Call {
        cwd: join("/", cwd),
        ..named.call(tool, args, &session.workspace)
    };
    // A tool of a server is that, whatever it is called.
    let is_of_server = document
        .get("mcp_server")
        .is_some_and(|node| !matches!(node.value, Value::Null));
    let is_inner = INNER.contains(&name) && !is_of_server;
    let other = |name: &str| -> Result<Vec<Call>, PayloadError> {
        let server = mcp(document, name)?;
        let (tool, args) = foreign(
            "claude",
            name,
            server
                .as_ref()
                .map(|(server, tool)| (server.as_str(), tool.as_str())),
            input,
        );
        Ok(vec![call(&tool, args)])
    };
    let calls = match name {
        name if is_of_server => other(name)?,
        _ if is_inner => vec![Call {
            says: ToolSays::PreApproved,
            ..call(name, input.clone())
        }],
        "Bash" => vec![call(name, command(input))],
        "Monitor" if input.get("command").is_some() => vec![call("Bash", command(input))],
        "MultiEdit" => edits(input)?
            .into_iter()
            .map(|args| call("Edit", own_names("claude", "Edit", &args, NAMES)))
            .collect(),
        "NotebookEdit" => vec![call("file_append", notebook(input)?)],
        "NotebookRead" => {
            vec![call(
                "file_read",
                renamed(
                    &own_names("claude", "file_read", input, &[]),
                    "notebook_path",
                    "path",
                ),
            )]
        }
        "Agent" | "Task" => vec![call("delegate", delegation(input)?)],
        name if SAME.contains(&name) => vec![call(name, own_names("claude", name, input, NAMES))],
        name => other(name)?,
    };
    let calls = numbered(calls);
    Ok(Wanted {
        calls,
        input: input.clone(),
        is_inner,
        key: None,
        ask_is_lost: ask_is_lost(document),
    })
}

/// Modes in which a question of a hook comes to the person, as a dialog; with `bypassPermissions`, too.
const ASKS: [&str; 4] = ["default", "acceptEdits", "plan", "bypassPermissions"];

/// In its mode `auto` a classifier may answer in place of the person, and in `dontAsk` every question is a no. A mode that sayso does not
/// know may do either.
fn ask_is_lost(document: &Node) -> Option<AskError> {
    let mode = document
        .get("permission_mode")
        .filter(|node| !matches!(node.value, Value::Null))?;
    match mode.as_text() {
        Some(mode) if ASKS.contains(&mode) => None,
        Some(mode) => Some(AskError::LosesQuestions {
            agent: Claude.title(),
            mode: mode.to_owned(),
        }),
        None => Some(AskError::UnknownMode(Claude.title())),
    }
}

/// The server and the tool of an MCP call: by what Claude Code says of the server, or by a name that can be read in one way only.
fn mcp(document: &Node, name: &str) -> Result<Option<(String, String)>, PayloadError> {
    let owned = |(server, tool): (&str, &str)| (server.to_owned(), tool.to_owned());
    let Some(server) = document
        .get("mcp_server")
        .filter(|node| !matches!(node.value, Value::Null))
    else {
        return Ok(split_mcp(name).map(owned));
    };
    let server = text(server, "name")?;
    let plain = |sign: char| {
        if sign.is_ascii_alphanumeric() || sign == '-' || sign == '_' {
            sign
        } else {
            '_'
        }
    };
    let joined: String = format!("mcp__{}__", server.chars().map(plain).collect::<String>());
    Ok(name
        .strip_prefix(&joined)
        .filter(|tool| !tool.is_empty())
        .map(|tool| owned((server, tool))))
}

/// A command: times are milliseconds here, and a parameter that only says `false` says nothing.
fn command(input: &Node) -> Node {
    let input = &own_names("claude", "Bash", input, NAMES);
    let is_false = |key: &str| input.get(key).and_then(Node::as_bool) == Some(false);
    let idle: Vec<&str> = ["dangerouslyDisableSandbox", "run_in_background"]
        .into_iter()
        .filter(|key| is_false(key))
        .collect();
    let background =
        input.get("run_in_background").is_some() && !idle.contains(&"run_in_background");
    let usual = if background {
        LONGEST_BACKGROUND
    } else {
        LONGEST_WAIT
    };
    let given = input
        .get("timeout")
        .filter(|node| !matches!(node.value, Value::Null))
        .filter(|_| !background)
        .cloned();
    let limit = given.unwrap_or_else(|| Value::Number(usual.to_owned()).into());
    let rest = without(input, &[idle.as_slice(), &["timeout"]].concat());
    with(&rest, "timeout_ms", limit)
}

/// The edits of a `MultiEdit`, each as one of its own.
fn edits(input: &Node) -> Result<Vec<Node>, PayloadError> {
    let path = text(input, "file_path")?;
    let list = input
        .get("edits")
        .map(Node::items)
        .filter(|items| !items.is_empty())
        .ok_or_else(|| PayloadError::missing("edits"))?;
    let rest = without(input, &["edits"]);
    list.iter()
        .map(|edit| match &edit.value {
            Value::Map(_) => {
                let own = edit
                    .entries()
                    .iter()
                    .filter(|entry| entry.key != "file_path")
                    .map(|entry| (entry.key.clone(), entry.node.clone()));
                let beside = rest
                    .entries()
                    .iter()
                    .filter(|entry| entry.key != "file_path")
                    .map(|entry| (entry.key.clone(), entry.node.clone()));
                Ok(Node::map(
                    std::iter::once(("file_path".to_owned(), Node::text(path)))
                        .chain(own)
                        .chain(beside),
                ))
            }
            _ => Err(PayloadError::EditNotObject(edit.kind_word())),
        })
        .collect()
}

/// A change of one cell of a notebook: which file, and what is new in it.
fn notebook(input: &Node) -> Result<Node, PayloadError> {
    let path = text(input, "notebook_path")?;
    let (mode, cell) = (
        maybe(input, "edit_mode")?.unwrap_or("replace"),
        maybe(input, "cell_id")?.unwrap_or("the first"),
    );
    let source = maybe(input, "new_source")?.unwrap_or_default();
    let words = format!("{mode} the cell {cell}");
    Ok(Node::map([
        ("path", Node::text(path)),
        ("content", Node::text(source)),
        ("description", Node::text(words)),
    ]))
}

/// Work for another agent. Which model does it and whether in the background changes nothing of what it may do.
fn delegation(input: &Node) -> Result<Node, PayloadError> {
    let agent = maybe(input, "subagent_type")?.unwrap_or("general-purpose");
    let rest = without(input, &["model", "run_in_background", "subagent_type"]);
    Ok(with(&rest, "agent", Node::text(agent)))
}

fn renamed(input: &Node, from: &str, to: &str) -> Node {
    let name = |key: &str| {
        if key == from {
            to.to_owned()
        } else {
            key.to_owned()
        }
    };
    Node::map(
        input
            .entries()
            .iter()
            .map(|entry| (name(&entry.key), entry.node.clone())),
    )
}
