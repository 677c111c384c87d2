//! What goes wrong with the inbox itself. What is wrong with a request is a [`Problem`](super::problem::Problem).

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The error of what another crate does.
pub(super) type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// The system has no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes: {0}")]
pub struct RandomError(#[from] getrandom::Error);

/// Why the inbox does not serve.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// With the process that serves it, where that is known.
    #[error("the inbox is open already{}", .0.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    OpenAlready(Option<u32>),
    #[error("the inbox cannot be started: {0}")]
    Start(io::Error),
    #[error("the socket `{}` cannot be made: {}", .0.display(), .1)]
    Socket(PathBuf, io::Error),
    #[error("nothing can be served at `{0}`: {1}")]
    Bind(SocketAddr, io::Error),
    #[error(
        "`{0}` is not of this machine, and what goes there is not encrypted\nhint: use `ssh -L PORT:127.0.0.1:PORT` from the other machine, or forward the unix socket"
    )]
    NotLocal(SocketAddr),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Random(#[from] RandomError),
    /// The folder of the inbox.
    #[error("{0}")]
    Home(SourceError),
}

/// Why a PIN is not set.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    #[error("a PIN has 4 to 64 characters")]
    Length,
    #[error(transparent)]
    Random(#[from] RandomError),
    /// The folder of the inbox.
    #[error("{0}")]
    Home(SourceError),
}
