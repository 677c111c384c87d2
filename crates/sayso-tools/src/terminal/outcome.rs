//! What came of a command, and how the agent is told.

use std::time::Duration;

use rustix::process::Signal;
use sayso_core::text::node::{Node, Value};
use sayso_sandbox::explain::Explained;

use crate::result::ToolResult;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Exit(i32),
    /// By this signal, which sayso did not send.
    Signal(i32),
    /// By sayso, since it ran as long as it might.
    TimeLimit(Duration),
    /// By sayso, since it was told to stop it.
    Stopped,
    /// By sayso, since it was more processes than this.
    TooMany(u64),
}

/// What came of a command that was started.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it wrote, both streams as they came; of a long output the first and the last part.
    pub output: String,
    /// How many bytes of the output are not there.
    pub left_out: u64,
    /// What was still running after the command itself had ended, and was ended.
    pub left_behind: Vec<String>,
    /// What still runs in the sandbox of the session.
    pub left_running: Vec<String>,
    /// Something still runs in the sandbox of the session, of this command or of an earlier one.
    pub is_session_alive: bool,
    /// The limit of the session that the command was ended for.
    pub limit: Option<String>,
    /// What was unusual about its sandbox.
    pub notes: Vec<String>,
    /// What could not be ended.
    pub survivors: Vec<String>,
    /// Which sandbox it ran in.
    pub bounded: Option<String>,
    /// What the sandbox refused, in words for the agent.
    pub refused: Vec<Explained>,
    /// All of it for programs, also where the command did without and ended well.
    pub refusals: Vec<Node>,
}

impl From<Outcome> for ToolResult {
    fn from(outcome: Outcome) -> ToolResult {
        let error = match outcome.end {
            End::Exit(0) => String::new(),
            End::Exit(status) => format!("exit status {status}"),
            End::Signal(number) => format!("killed by {}", signal_name(number)),
            End::TimeLimit(limit) => {
                format!(
                    "stopped after {} s, its time limit; what it did until then is done",
                    limit.as_secs_f64()
                )
            }
            End::Stopped => "stopped on request; what it did until then is done".to_owned(),
            End::TooMany(limit) => format!(
                "stopped: it was more than {limit} processes at once; what it did until then is done"
            ),
        };
        let mut output = outcome.output;
        for (names, said) in [
            (&outcome.left_behind, "ended what the command left running"),
            (
                &outcome.left_running,
                "left running in the session's sandbox",
            ),
            (&outcome.survivors, "still running, could not be ended"),
        ] {
            if !names.is_empty() {
                let line_break = if output.is_empty() || output.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                output.push_str(&format!("{line_break}[{said}: {}]\n", names.join(", ")));
            }
        }
        let limit = outcome.limit.iter();
        let limit = limit.map(|words| format!("ended by the session's sandbox: {words}"));
        for words in outcome.notes.iter().cloned().chain(limit) {
            let line_break = if output.is_empty() || output.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            output.push_str(&format!("{line_break}[{words}]\n"));
        }
        for refusal in &outcome.refused {
            let line_break = if output.is_empty() || output.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            output.push_str(&format!("{line_break}[{}]\n", refusal.line()));
        }
        let number = |number: i64| Node::from(Value::Number(number.to_string()));
        let list =
            |names: &[String]| Node::from(Value::List(names.iter().map(Node::text).collect()));
        let mut result = ToolResult {
            success: outcome.end == End::Exit(0),
            output,
            error,
            facts: Vec::new(),
        };
        result = match outcome.end {
            End::Exit(status) => result.with("exit_status", number(status.into())),
            End::Signal(signal) => result.with("signal", Node::text(signal_name(signal))),
            _ => result,
        };
        result = result.with(
            "timed_out",
            Value::Bool(matches!(outcome.end, End::TimeLimit(_))),
        );
        if outcome.left_out > 0 {
            result = result.with(
                "bytes_left_out",
                Value::Number(outcome.left_out.to_string()),
            );
        }
        if let Some(sandbox) = &outcome.bounded {
            result = result
                .with("sandboxed", Value::Bool(true))
                .with("sandbox", Node::text(sandbox));
        }
        if !outcome.refusals.is_empty() {
            result = result.with("refused", Value::List(outcome.refusals));
        }
        for (name, names) in [
            ("left_behind", &outcome.left_behind),
            ("left_running", &outcome.left_running),
            ("still_running", &outcome.survivors),
        ] {
            if !names.is_empty() {
                result = result.with(name, list(names));
            }
        }
        result
    }
}

/// The exit status that a shell gives for a command with this result; none where sayso ended it, or it was not started.
pub fn shell_status(result: &Node) -> Option<i32> {
    if let Some(status) = result.get("exit_status").and_then(Node::as_whole) {
        return i32::try_from(status).ok();
    }
    let name = result.get("signal")?.as_text()?;
    let known = SIGNALS
        .iter()
        .find(|(_, known)| *known == name)
        .map(|(signal, _)| signal.as_raw());
    Some(128 + known.or_else(|| name.strip_prefix("signal ")?.parse().ok())?)
}

const SIGNALS: [(Signal, &str); 13] = [
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::ALARM, "SIGALRM"),
    (Signal::TERM, "SIGTERM"),
];

fn signal_name(number: i32) -> String {
    let name = SIGNALS
        .iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| format!("signal {number}"))
}
