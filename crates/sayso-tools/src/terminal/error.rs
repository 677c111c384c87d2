//! Why a command was not started. Then nothing of it happened.

use std::error::Error as StdError;
use std::io;

use rustix::io::Errno;
use sayso_core::text::visible::visible;
use thiserror::Error;

use super::bash::BASH;

/// Why a command was not started.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum StartError {
    #[error("the command holds a NUL character, which no program can be given; nothing was run")]
    HoldsNul,
    #[error("`{}` cannot be the name of a variable; nothing was run", visible(.0))]
    VariableName(String),
    #[error("the value of `{}` holds a NUL character, which no variable can; nothing was run", visible(.0))]
    VariableValue(String),
    #[error(
        "the folder `{0}` is not an absolute path; give the whole path of the folder to run in"
    )]
    FolderNotAbsolute(String),
    #[error("the folder `{0}` does not exist; make it first, or run in another one")]
    FolderMissing(String),
    #[error("`{0}` is not a folder; give the folder to run in")]
    NotFolder(String),
    #[error("the folder `{path}` cannot be opened: {source}")]
    FolderClosed { path: String, source: io::Error },
    #[error(
        "the command was not started: `/dev/urandom` gave no random numbers to mark it with: {0}"
    )]
    NoMark(io::Error),
    #[error(
        "bash is at none of `{}`; install it, since commands are judged as bash reads them and run by nothing else",
        BASH.join("`, `")
    )]
    NoBash,
    #[error(
        "the command is longer than the system takes in one piece (128 KiB on Linux); put it into a script and run that"
    )]
    TooLong,
    #[error("bash could not be started: {0}; nothing was run")]
    NotStarted(io::Error),
    #[error("the command has no process number")]
    NoNumber,
    #[error("the output of the command cannot be read: {0}; it was ended")]
    NoOutput(Errno),
    /// It cannot be bounded as it has to be.
    #[error("{0}")]
    Sandbox(Box<dyn StdError + Send + Sync>),
    /// The sandbox said so when it was started.
    #[error("the sandbox could not be set up: {}; nothing was run", visible(.said))]
    NoSandbox { said: String },
}
