//! Why a server did not do what it was asked for.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::io::Errno;
use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::visible::visible;
use thiserror::Error;

/// Why a server did not do what it was asked for.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum McpError {
    #[error("the server has no command")]
    NoCommand,
    #[error("the server could not be started: {0}")]
    NotStarted(io::Error),
    #[error("the server could not be started")]
    ThreadEnded,
    #[error("no thread could be started: {0}")]
    NoThread(io::Error),
    #[error("the server has no input")]
    NoInput,
    #[error("the server's input cannot be set up: {0}")]
    InputNotSetUp(Errno),
    #[error("the server takes nothing any more")]
    InputClosed,
    #[error("the server takes nothing any more: {0}")]
    InputBroken(Errno),
    #[error("the server does not take its input: {0}")]
    InputNotTaken(WaitError),
    #[error("{0}")]
    Ended(ServerEnd),
    #[error("a message of the server is longer than {mib} MiB")]
    LongMessage { mib: usize },
    #[error("a message of the server is no UTF-8")]
    NotUtf8,
    #[error("a message of the server is no sound JSON: {}", visible(&.0.message))]
    NotJson(Box<Diagnostic>),
    #[error("the server speaks the revision `{}` of MCP, which sayso does not", visible(.0))]
    OtherRevision(String),
    #[error("the server answered with an error: {words} ({})", visible(.code))]
    Answered { code: String, words: String },
    #[error("the server did not answer: {0}")]
    NoAnswer(WaitError),
    #[error("{}", WaitError::Stopped)]
    Stopped,
    #[error("the server has more than {most} tools")]
    TooManyTools { most: usize },
    #[error("the list of tools has more than {most} parts")]
    TooManyParts { most: usize },
}

/// Why the wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WaitError {
    #[error("it was stopped")]
    Stopped,
    #[error("it took too long")]
    TooLong,
}

/// How a server ended.
#[derive(Clone, Debug)]
pub struct ServerEnd {
    pub(super) status: Option<ExitStatus>,
    /// The last that it wrote to its error stream.
    pub(super) words: String,
}

impl fmt::Display for ServerEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = |status: ExitStatus| (status.code(), status.signal());
        match self.status.map(status) {
            Some((Some(code), _)) => write!(out, "the server ended (status {code})")?,
            Some((_, Some(signal))) => write!(out, "the server ended (signal {signal})")?,
            _ => out.write_str("the server ended (nobody knows how)")?,
        }
        match self.words.as_str() {
            "" => Ok(()),
            words => write!(out, "; it said: {}", visible(words)),
        }
    }
}
