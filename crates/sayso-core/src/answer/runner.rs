//! What the runner of a call can do: whether commands can be put into a sandbox there, and whether one can stand in for a question.
//!
//! Each door says it once, at its port for running. The judge reads it from the case; nothing else decides by it.

use std::fmt;

/// What the runner of a call can do.
#[derive(Clone, Copy, Debug)]
pub struct RunnerCapabilities<'a> {
    /// Why a command cannot be put into a sandbox here; none where it can.
    pub no_sandbox: Option<&'a NoSandbox>,
    /// The same for tools that are not sayso's own, such as functions of a host.
    pub no_sandbox_for_tools: Option<&'a NoSandbox>,
    /// Whether commands can run contained, without a question. Finding out may take time, so it is asked only where it matters.
    pub containment: &'a dyn Containment,
}

/// Whether commands can run contained: a sandbox bounds them, and what they change can be taken back.
pub trait Containment: fmt::Debug {
    /// Whether that is so now.
    fn is_available(&self) -> bool;
}

impl Containment for bool {
    fn is_available(&self) -> bool {
        *self
    }
}

impl RunnerCapabilities<'static> {
    /// For judging alone: a runner that can do what the policy requires, and contains nothing.
    pub const JUDGE_ONLY: RunnerCapabilities<'static> = RunnerCapabilities {
        no_sandbox: None,
        no_sandbox_for_tools: None,
        containment: &false,
    };
}

impl<'a> RunnerCapabilities<'a> {
    /// A runner that cannot put commands into a sandbox.
    pub const fn without_sandbox(why: &'a NoSandbox) -> Self {
        RunnerCapabilities {
            no_sandbox: Some(why),
            no_sandbox_for_tools: None,
            containment: &false,
        }
    }

    /// The same runner, where commands can run contained.
    pub fn containing(self, containment: &'a dyn Containment) -> Self {
        RunnerCapabilities {
            containment,
            ..self
        }
    }
}

/// Why a runner cannot put a call into a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSandbox {
    /// An operation comes over HTTP, and its sender runs it.
    Submitter,
    /// A script asks and runs the call itself.
    Caller,
    /// An agent and its editor run it (ACP).
    AgentAndEditor,
    /// A host runs its own functions.
    Host,
    /// The policy forbids that sayso runs commands of hooks (`hooks.exec: never`).
    HooksExecNever,
    /// The hooks of this agent cannot put another command in the place of one.
    FixedCommand {
        /// The agent's name for people.
        agent: String,
    },
}

impl NoSandbox {
    /// The word in the record.
    pub fn word(&self) -> &'static str {
        match self {
            NoSandbox::Submitter => "submitter",
            NoSandbox::Caller => "caller",
            NoSandbox::AgentAndEditor => "editor",
            NoSandbox::Host => "host",
            NoSandbox::HooksExecNever => "hooks-exec",
            NoSandbox::FixedCommand { .. } => "fixed-command",
        }
    }

    /// What the record's word means. The name of the agent is not kept.
    pub fn from_word(word: &str) -> Option<NoSandbox> {
        match word {
            "submitter" => Some(NoSandbox::Submitter),
            "caller" => Some(NoSandbox::Caller),
            "editor" => Some(NoSandbox::AgentAndEditor),
            "host" => Some(NoSandbox::Host),
            "hooks-exec" => Some(NoSandbox::HooksExecNever),
            "fixed-command" => Some(NoSandbox::FixedCommand {
                agent: "the agent".to_owned(),
            }),
            _ => None,
        }
    }
}

impl fmt::Display for NoSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it may only run in a sandbox, ")?;
        match self {
            NoSandbox::Submitter => f.write_str("which whoever submits it cannot promise"),
            NoSandbox::Caller => f.write_str("which the caller cannot promise"),
            NoSandbox::AgentAndEditor => {
                f.write_str("which neither the agent nor the editor can promise")
            }
            NoSandbox::Host => f.write_str("and this host has none"),
            NoSandbox::HooksExecNever => {
                f.write_str("and `hooks.exec: never` forbids that sayso runs it")
            }
            NoSandbox::FixedCommand { agent } => write!(
                f,
                "and {agent} lets no hook put another command in its place"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for one in [
            NoSandbox::Submitter,
            NoSandbox::Caller,
            NoSandbox::AgentAndEditor,
            NoSandbox::Host,
            NoSandbox::HooksExecNever,
            NoSandbox::FixedCommand {
                agent: "the agent".to_owned(),
            },
        ] {
            assert_eq!(NoSandbox::from_word(one.word()), Some(one));
        }
        assert_eq!(NoSandbox::from_word("other"), None);
    }
}
