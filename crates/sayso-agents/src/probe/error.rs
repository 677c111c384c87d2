//! Why something about an agent could not be proved.

use std::io;
use std::path::PathBuf;

use sayso_core::text::visible::visible;
use sayso_gate::error::{PortError, port_error};
use thiserror::Error as ThisError;

use super::agent_process::Ended;
use super::{Broken, short};
use crate::scripted_model::ModelError;

/// Why something could not be proved, or what was seen instead.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum ProbeError {
    // What is needed for a try.
    #[error("the path of sayso is not UTF-8")]
    ProgramNotUtf8,
    #[error("the folder of the canary is not UTF-8")]
    FolderNotUtf8,
    #[error("the system gives no random bytes: {0}")]
    NoRandom(getrandom::Error),
    #[error("no folder could be made in `{}`: {source}", visible(&.base.display().to_string()))]
    NoFolder { base: PathBuf, source: io::Error },
    #[error("a file of the canary cannot be written: {0}")]
    FileNotWritten(io::Error),
    #[error("the settings of the canary cannot be written: {0}")]
    SettingsNotWritten(io::Error),
    #[error("the program of the canary cannot be made: {0}")]
    ProgramNotMade(io::Error),
    #[error("it has no plugin")]
    NoPlugin,
    #[error("the agent could not be started: {0}")]
    NotStarted(io::Error),
    #[error("{0}")]
    Model(#[from] ModelError),
    /// Of the record.
    #[error("{0}")]
    Record(PortError),

    // What was seen.
    #[error("nothing is proved: the agent did not talk to the scripted model{}; {}", tried(.elsewhere), .ended.words())]
    SilentAgent {
        elsewhere: Vec<String>,
        ended: Ended,
    },
    #[error("the agent did not try what the model wanted; {}", .0.words())]
    NotTried(Ended),
    #[error("the hook does not fire: what every agent is denied did run")]
    Ran,
    #[error("the hook does not fire: what stopped the call was not sayso (`{}`)", short(.0))]
    OtherDenial(String),
    #[error("the call was denied, and that is not in this record (`{}`)", short(.0))]
    NotRecorded(String),
    #[error("whether it fails closed could not be tried: the agent did not go on; {}", .0.words())]
    Stopped(Ended),
    #[error(
        "whether it fails closed could not be tried: the call did not run without a broken hook either"
    )]
    NeverRuns,
    #[error("does not fail closed: with a copy of its settings whose hook {}, the call ran", .0.words())]
    FailsOpen(Broken),
}

impl ProbeError {
    pub(crate) fn record(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ProbeError {
        ProbeError::Record(port_error(error))
    }
}

fn tried(elsewhere: &[String]) -> String {
    let shown: Vec<_> = elsewhere.iter().map(|one| visible(one)).collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!(", but tried to reach {}", shown.join(", "))
    }
}
