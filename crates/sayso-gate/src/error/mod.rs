//! What goes wrong at the gate and at its ports. Control matches on these; their words are made here, once.

mod present;

use std::error::Error;
use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Malformed;
use sayso_core::policy::profile::PROFILES;
use sayso_core::prompt::patterns::TypedPatternError;
use sayso_core::text::count as nouns;
use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::visible::visible;
use thiserror::Error as ThisError;

use crate::finished::Finished;

pub use present::PresentError;

/// The error of what is behind a port. The gate tells its words and never looks into it.
pub type PortError = Arc<dyn Error + Send + Sync>;

/// Makes the error of a port out of an error of what is behind it.
pub fn port_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> PortError {
    Arc::from(error.into())
}

/// Why a store did not keep something or write it down.
#[derive(Clone, Debug, ThisError)]
pub enum StoreError {
    /// It tried and failed.
    #[error("{0}")]
    Failed(PortError),
    /// It keeps no answers.
    #[error("nothing is kept here")]
    KeepsNothing,
    /// It panicked, with these words.
    #[error("the store broke: {0}")]
    Panicked(String),
}

impl StoreError {
    /// The store's own error.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        StoreError::Failed(port_error(error))
    }
}

/// Why the content of a file could not be read for a person to look at.
#[derive(Clone, Debug, ThisError)]
pub enum ContentError {
    /// This world reads no files.
    #[error("`{path}` cannot be read here")]
    Unreadable {
        /// The file.
        path: String,
    },
    /// It tried and failed.
    #[error("{0}")]
    Failed(PortError),
    /// It panicked, with these words.
    #[error("{0}")]
    Panicked(String),
}

impl ContentError {
    /// The world's own error.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        ContentError::Failed(port_error(error))
    }
}

/// Why a call ended without a decision of the policy or of a person. Each of these is a denial.
#[derive(Clone, Debug, ThisError)]
pub enum CallError {
    /// It is no call that can be judged.
    #[error("{}", .0.0)]
    Malformed(Malformed),
    /// The gate panicked, with these words.
    #[error("the gate broke: {0}")]
    Panicked(String),
    /// No entry, no run.
    #[error("it could not be recorded: {0}")]
    Unrecorded(StoreError),
    /// The answer could not be kept as the person wanted it.
    #[error("{0}")]
    NotKept(StoreError),
    /// Its files could not be sealed.
    #[error("what it is about could not be looked at, or is too much to be bound to")]
    Unsealable,
    /// No prompt could be made of it.
    #[error("it could not be shown: {0}")]
    NotShown(PresentError),
    /// Calls like it were denied too often, or too many prompts are open.
    #[error("{0}")]
    Flooded(FloodError),
    /// The prompt was lost, with these words of who asked.
    #[error("{0}")]
    PromptFailed(String),
    /// The answer was to another prompt, or to another call.
    #[error("the answer was to another question")]
    OtherQuestion,
    /// The prompt had no such answer.
    #[error("the answer was not offered")]
    NotOffered,
    /// The answer cannot be kept.
    #[error("{0}")]
    Unkeepable(TypedPatternError),
    /// The scope is wider than the call has a place for.
    #[error("that cannot be kept for so long")]
    ScopeTooWide,
    /// Each time it was asked about, it had changed before the answer came.
    #[error("it kept changing while it was asked about")]
    KeptChanging,
    /// Other calls used up each grant and rule that allowed it.
    #[error("what allowed it was used up meanwhile")]
    UsedUp,
    /// A delegation by hook brings files along.
    #[error("files cannot go along with a delegation here")]
    Attachments,
    /// A file that goes along with a delegation was refused.
    #[error("the attachment {path} was not shared: {why}")]
    AttachmentRefused {
        /// The file, fit to be shown.
        path: String,
        /// What the agent is told of it.
        why: String,
    },
    /// A person has to be asked, and the host cannot.
    #[error("a person has to be asked: {}; and {why}", first_reason(.asked))]
    CannotAsk {
        /// What says that a person has to be asked.
        asked: Arc<Verdict>,
        /// Why the host cannot.
        why: PortError,
    },
    /// A held call is not run.
    #[error("it was not run: {0}")]
    Held(HeldError),
}

/// Why calls are denied without a prompt for a while.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum FloodError {
    /// Too many prompts of one session are open.
    #[error("{count} questions of this session are open already")]
    TooManyOpen {
        /// How many.
        count: usize,
    },
    /// Calls like it were denied in a row.
    #[error("the last {count} calls like this were denied; asking again is paused for {}", nouns::count(*.seconds_left, "second"))]
    Paused {
        /// How many.
        count: u32,
        /// For how long.
        seconds_left: i64,
    },
}

/// Why a call is not held, or a held call not run.
#[derive(Clone, Debug, ThisError)]
pub enum HeldError {
    /// It is no command.
    #[error("only commands can be held")]
    NotACommand,
    /// It has parts that no text keeps.
    #[error("a tool of the host says more of it than can be written down")]
    HasHostParts,
    /// What would be read back is another call.
    #[error("it cannot be written down so that it is the same again")]
    NotTheSameAgain,
    /// Its files could not be sealed.
    #[error("what it is about could not be looked at, or is too much to be bound to")]
    Unsealable,
    /// The text is not JSON, or too large.
    #[error("{}", .0.message)]
    Unreadable(Diagnostic),
    /// Another version of sayso wrote the text, or nobody did.
    #[error("it is not written as this version of sayso writes it")]
    OtherFormat,
    /// Another call has its digest.
    #[error("it is not what was approved")]
    OtherCall,
    /// The policy or a plugin denies it now.
    #[error("it is denied by now ({})", first_reason(.0))]
    Denied(Arc<Verdict>),
    /// It takes an answer that was not given.
    #[error("it has to be asked about by now ({})", first_reason(.0))]
    MustAsk(Arc<Verdict>),
    /// The person took the grant back.
    #[error("the answer that allowed it was taken back")]
    GrantRevoked,
    /// A file is not what was shown.
    #[error("a file that it is about changed after it was approved")]
    Changed,
    /// No entry, no run.
    #[error("it could not be recorded: {0}")]
    Unrecorded(StoreError),
    /// The place that keeps held calls failed.
    #[error("{0}")]
    NotStored(PortError),
}

/// The first reason of a verdict, fit to be shown.
fn first_reason(verdict: &Verdict) -> String {
    let first = verdict.reasons.first();
    first
        .map(|reason| visible(&reason.text()).into_owned())
        .unwrap_or_default()
}

/// Why gated tools were not built.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
pub enum BuildError {
    /// No profile has this name.
    #[error("there is no profile `{name}`\nhint: there are {}", profile_names())]
    UnknownProfile {
        /// The name.
        name: String,
    },
    /// A policy text has mistakes.
    #[error("{}", .errors.concat())]
    Policy {
        /// Each with its place.
        errors: Vec<String>,
    },
    /// A path has to be absolute.
    #[error("the {what} is not an absolute path")]
    NotAbsolute {
        /// Which one.
        what: &'static str,
    },
    /// Two tools have one name.
    #[error("there are two tools with the name `{tool}`")]
    SameName {
        /// The name.
        tool: String,
    },
}

fn profile_names() -> String {
    let names: Vec<&str> = PROFILES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Why a call of a gated tool has no result.
#[derive(Clone, Debug, ThisError)]
pub enum GatedError {
    /// It did not run, and [`Finished::outcome`] says why: denied, blocked, timed out, stopped, nobody to ask, or a dry run.
    #[error("{}", .0.message)]
    Refused(Box<Finished>),
    /// It was approved, and the tool failed or was not started.
    #[error("{}", .0.message)]
    Failed(Box<Finished>),
    /// The host's answer came too late.
    #[error("denied: what it is about has changed since it was asked. nothing was changed")]
    Changed,
    /// The host's answer was lost.
    #[error("denied: the answer did not arrive. nothing was changed")]
    AnswerLost,
}

impl GatedError {
    /// How the call ended.
    pub fn outcome(&self) -> Outcome {
        match self {
            GatedError::Refused(finished) | GatedError::Failed(finished) => finished.outcome,
            GatedError::Changed | GatedError::AnswerLost => Outcome::Blocked,
        }
    }
}
