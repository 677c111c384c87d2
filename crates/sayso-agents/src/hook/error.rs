//! What goes wrong with a call of a hook. Each of these is a denial, or where nothing can be denied any more, a complaint.

use std::io;

use sayso_core::answer::runner::NoSandbox;
use sayso_core::text::diagnostic::Diagnostic;
use sayso_gate::error::{HeldError, PortError, StoreError, port_error};
use thiserror::Error as ThisError;

use super::agent::{LONGEST, shown};
use super::patch::PatchError;

/// What is wrong with the document that an agent gives its hook.
#[derive(Clone, Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum PayloadError {
    #[error("the hook was given more than {} MiB", LONGEST >> 20)]
    TooLong,
    #[error("the hook was given no UTF-8, at byte {0}")]
    NotUtf8(usize),
    #[error("the hook was given nothing")]
    Empty,
    #[error("the hook was given no sound JSON: {} (byte {})", .0.message, .0.span.start + 1)]
    NotJson(Diagnostic),
    #[error("the hook was given {0}, not an object")]
    NoDocument(&'static str),
    #[error("`{0}` is missing")]
    Missing(String),
    #[error("`{key}` is {found}, not text")]
    NotText { key: String, found: &'static str },
    #[error("`{key}` is {found}, not an object")]
    NotObject { key: String, found: &'static str },
    #[error("`{0}` is missing, or not an object")]
    NoObject(&'static str),
    #[error("`{0}` is no list, or empty")]
    NoItems(String),
    #[error("`{key}` has more than {most} items")]
    TooManyItems { key: String, most: usize },
    #[error("{item} is {found}, not text")]
    ItemNotText {
        item: &'static str,
        found: &'static str,
    },
    #[error("an edit is {0}, not an object")]
    EditNotObject(&'static str),
    #[error("`{key}`: {source}")]
    Inside {
        key: &'static str,
        source: Box<PayloadError>,
    },
    #[error("sayso does not know the event `{}` of {agent}", shown(.event))]
    UnknownEvent { event: String, agent: &'static str },
    #[error("nobody knows what this document is about")]
    NoEvent,
    #[error("sayso does not know the argument `{}` of an edit", shown(.0))]
    UnknownArgument(String),
    #[error("two arguments of `{tool}` mean the same, `{}`", shown(.argument))]
    SameArgument {
        tool: &'static str,
        argument: String,
    },
    #[error("`cwd` is not an absolute path")]
    RelativeCwd,
    #[error("`cwd` is not an absolute path: `{}`", shown(.0))]
    RelativeFolder(String),
    #[error("its folder is not an absolute path: `{}`", shown(.0))]
    RelativeWorkspace(String),
    #[error("its folder is the root of the file system, which is no workspace")]
    RootWorkspace,
    #[error("`{variable}` is not set, so nobody knows in which folder {agent} works")]
    NoProject {
        variable: &'static str,
        agent: &'static str,
    },
    #[error("`workspace_roots` names no folder")]
    NoWorkspaceRoot,
    #[error("nobody knows in which folder the hook was started")]
    NoStartFolder,
    #[error("the patch cannot be read: {0}")]
    Patch(#[from] PatchError),
}

/// Why the agent's own dialog is not enough for a question.
#[derive(Clone, Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum AskError {
    #[error("{0} cannot be told to ask")]
    NeverAsks(&'static str),
    #[error("{0} cannot be relied on to ask")]
    Unreliable(&'static str),
    #[error("nobody sits in front of this session")]
    Unattended,
    #[error("{agent} is in its mode `{}`, in which it may not ask you", shown(.mode))]
    LosesQuestions { agent: &'static str, mode: String },
    #[error("{0} does not say in which mode it is")]
    UnknownMode(&'static str),
    #[error("it takes two confirmations, and {0}'s dialog has one")]
    OneConfirmation(&'static str),
    #[error(
        "it may only run in a sandbox, which the dialog of the agent cannot promise; allow it with a rule"
    )]
    NoSandbox,
    #[error("{why}. {instead}")]
    Elsewhere {
        why: Box<AskError>,
        /// Where the person can answer, as the runtime says it.
        instead: String,
    },
}

/// Why a hook has no answer, or could not write down what happened.
#[derive(Clone, Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum HookError {
    #[error("{0}")]
    Payload(#[from] PayloadError),
    #[error(
        "nobody knows in which folder this session began; let `SessionStart` start the hook, too"
    )]
    NoBeginning,
    #[error("there is nothing to call")]
    NoCall,
    #[error("nothing was judged")]
    NotJudged,
    #[error("there is no policy")]
    NoPolicy,
    #[error("the policy cannot be read, so everything is denied: {}", .0.as_deref().unwrap_or("there is none"))]
    BrokenPolicy(Option<String>),
    #[error("the path of sayso is not UTF-8")]
    ProgramNotUtf8,
    #[error("{0}")]
    NoSandbox(NoSandbox),
    #[error("{0}")]
    NotHeld(#[from] HeldError),
    #[error("it could not be handed to `sayso exec`: {0}")]
    NotHandedOver(Box<HookError>),
    #[error("{0}")]
    NotStored(#[from] StoreError),
    /// Of the runtime, the store or the tools.
    #[error("{0}")]
    Runtime(PortError),
}

/// Why the time of a hook could not be watched.
#[derive(Debug, ThisError)]
#[error("the time cannot be watched: {0}")]
pub struct ClockError(#[from] io::Error);

impl PayloadError {
    pub(crate) fn missing(key: &str) -> PayloadError {
        let key = key.to_owned();
        PayloadError::Missing(key)
    }
}

impl HookError {
    pub(crate) fn runtime(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> HookError {
        HookError::Runtime(port_error(error))
    }
}
