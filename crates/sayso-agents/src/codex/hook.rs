//! Codex: what its hooks bring, and how it wants to be answered.
//!
//! Written after version 0.166.0. It knows no `ask`, and runs the tool if it gets one; it takes an `allow` only with other arguments, and
//! runs the tool if it stands alone; and a denial without a reason is none. So silence is its yes, and its own questions are answered apart.
//! The folder in its documents is the one that the model chose for the command; the workspace is the folder that the session began in.

use std::io::{BufRead as _, Read as _};

use sayso_core::call::operation::{Call, ToolSays};
use sayso_core::paths::join;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};

use crate::hook::agent::{
    Agent, Around, Event, Named, Reply, Said, Session, Wanted, decision, foreign, maybe, numbered,
    own_names, reason, text, with, without,
};
use crate::hook::error::{AskError, PayloadError};
use crate::hook::patch;
use sayso_runtime::mcp_servers::name::split_mcp;

/// Codex.
pub struct Codex;

/// Its own business.
const INNER: &[&str] = &[
    "close_agent",
    "create_goal",
    "get_goal",
    "interrupt_agent",
    "list_agents",
    "request_user_input",
    "update_goal",
    "update_plan",
    "wait_agent",
];

/// Its tools for agents that it started; what those do is asked about by itself.
const OF_AGENTS: &[&str] = &[
    "close_agent",
    "followup_task",
    "interrupt_agent",
    "list_agents",
    "resume_agent",
    "send_input",
    "send_message",
    "spawn_agent",
    "wait_agent",
];

/// Events that nothing depends on.
const OTHER: &[&str] = &[
    "Interrupt",
    "Notification",
    "PostCompact",
    "PostModelRequest",
    "PreCompact",
    "PreModelRequest",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
];

/// How the reason begins with which it asks about a connection that a running command wants to make.
const CONNECTION: &str = "network-access";

/// So much of its record of a session is read.
const MOST_OF_RECORD: u64 = 1 << 20;

/// So long a command may run that sayso runs; Codex ends it before that where it wants to.
const LONGEST: &str = "3600000";

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn read(&self, document: &Node, _: &Around) -> Result<Event, PayloadError> {
        let event = text(document, "hook_event_name")?;
        if OTHER.contains(&event) {
            return Ok(Event::Other);
        }
        let session = Session {
            id: text(document, "session_id")?.to_owned(),
            workspace: join("/", text(document, "cwd")?),
        };
        if !text(document, "cwd")?.starts_with('/') {
            return Err(PayloadError::RelativeCwd);
        }
        let wanted = || wanted(document, &session);
        match event {
            "SessionStart" => Ok(Event::Started(session)),
            "SessionEnd" => Ok(Event::Ended(session)),
            "PreToolUse" => Ok(Event::Before(wanted()?)),
            "PermissionRequest" => Ok(Event::Permission(wanted()?)),
            // It says so only of what went well, as far as it can tell.
            "PostToolUse" => Ok(Event::After {
                wanted: wanted()?,
                succeeded: true,
                milliseconds: 0,
            }),
            other => Err(PayloadError::UnknownEvent {
                event: other.to_owned(),
                agent: self.title(),
            }),
        }
    }

    fn before(&self, reply: &Reply) -> Said {
        let answer = |fields: Vec<(&str, Node)>| {
            let fields = std::iter::once(("hookEventName", Node::text("PreToolUse"))).chain(fields);
            Said::json(&Node::map([("hookSpecificOutput", Node::map(fields))]))
        };
        let says = |word: &str| ("permissionDecision", Node::text(word));
        let why = |why: &str| ("permissionDecisionReason", Node::text(reason(why)));
        match reply {
            Reply::Allow(_) | Reply::Nothing => Said::nothing(),
            Reply::AllowAs(_, input) => {
                answer(vec![says("allow"), ("updatedInput", input.clone())])
            }
            Reply::Deny(words) => answer(vec![says("deny"), why(words)]),
            // Nobody gets here: it cannot be told to ask, and silence would run the tool.
            Reply::Ask(words) | Reply::AskAs(words, _) | Reply::Defer(words) => {
                answer(vec![says("deny"), why(words)])
            }
        }
    }

    /// It takes no other arguments here.
    fn permission(&self, reply: &Reply) -> Said {
        decision(reply, false)
    }

    fn can_ask(&self, _: &Around) -> Result<(), AskError> {
        Err(AskError::NeverAsks(self.title()))
    }

    fn can_defer(&self, _: &Around) -> bool {
        false
    }

    fn asks_about_what_runs(&self) -> bool {
        false
    }

    fn has_rules_for_commands(&self, _: &Around, _: &str) -> bool {
        false
    }

    fn answers_questions(&self) -> bool {
        true
    }

    fn folder_is_of_the_call(&self) -> bool {
        true
    }

    /// The first line of its own record of the session says where it began.
    fn workspace_by_itself(&self, document: &Node) -> Option<String> {
        let file = std::fs::File::open(text(document, "transcript_path").ok()?).ok()?;
        let mut line = String::new();
        std::io::BufReader::new(file.take(MOST_OF_RECORD))
            .read_line(&mut line)
            .ok()?;
        let first = json::read(&line, &Limits::default()).ok()?;
        let session = first
            .get("payload")
            .filter(|_| first.get("type").and_then(Node::as_text) == Some("session_meta"))?;
        let of = |key: &str| session.get(key).and_then(Node::as_text);
        let named = document.get("session_id").and_then(Node::as_text)?;
        let same = [of("id"), of("session_id")].contains(&Some(named));
        of("cwd")
            .filter(|folder| same && folder.starts_with('/'))
            .map(|folder| join("/", folder))
    }
}

/// Codex writes the group of its tools for agents in front of their names: `multi_agent_v1wait_agent`.
fn of_agents(name: &str) -> &str {
    let own = name
        .strip_prefix("multi_agent_v")
        .map(|rest| rest.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    own.filter(|own| OF_AGENTS.contains(own)).unwrap_or(name)
}

fn wanted(document: &Node, session: &Session) -> Result<Wanted, PayloadError> {
    let named = Named::read(document, "codex", session)?;
    let (name, input) = (named.tool, named.input);
    let call = |tool: &str, args: Node| named.call(tool, args, &session.workspace);
    let own = of_agents(name);
    let is_inner = INNER.contains(&own);
    let calls = match own {
        _ if is_inner => vec![Call {
            says: ToolSays::PreApproved,
            ..call(name, input.clone())
        }],
        // It asks about the connection there, and names the command that wants it.
        "Bash"
            if maybe(input, "description")?.is_some_and(|words| words.starts_with(CONNECTION)) =>
        {
            vec![call(&format!("codex:{CONNECTION}"), input.clone())]
        }
        "Bash" => {
            let own = own_names("codex", name, input, &["command"]);
            vec![call(
                name,
                with(&own, "timeout_ms", Value::Number(LONGEST.to_owned()).into()),
            )]
        }
        "apply_patch" => patch::read(text(input, "command")?)?
            .into_iter()
            .map(|(tool, args)| call(tool, args))
            .collect(),
        "view_image" => vec![call(
            "file_read",
            own_names("codex", "file_read", input, &["path"]),
        )],
        "spawn_agent" => {
            let agent = maybe(input, "agent_type")?.unwrap_or("default");
            vec![call(
                "delegate",
                with(
                    &without(input, &["agent_type", "model"]),
                    "agent",
                    Node::text(agent),
                ),
            )]
        }
        // What is said to an agent that works already is work for it, too.
        "send_input" | "send_message" | "followup_task" | "resume_agent" => {
            let agent = ["target", "id", "agent_id", "task_name"]
                .iter()
                .find_map(|key| input.get(key).and_then(Node::as_text));
            vec![call(
                "delegate",
                with(input, "agent", Node::text(agent.unwrap_or("default"))),
            )]
        }
        _ => {
            let (tool, args) = foreign("codex", name, split_mcp(name), input);
            vec![call(&tool, args)]
        }
    };
    Ok(Wanted {
        calls: numbered(calls),
        input: input.clone(),
        is_inner,
        key: None,
        ask_is_lost: None,
    })
}
