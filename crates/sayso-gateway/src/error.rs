//! Why a gateway cannot start or go on. Their words are made here, once.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use sayso_gate::error::{PortError, port_error};
use thiserror::Error as ThisError;

/// Why a gateway cannot start or go on.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "their words say it")]
pub enum GatewayError {
    #[error("no thread could be started: {0}")]
    Thread(io::Error),
    #[error("no threads could be started: {0}")]
    Threads(io::Error),
    #[error("signals cannot be caught: {0}")]
    Signals(io::Error),
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
    #[error("the folder cannot be found: {0}")]
    Folder(io::Error),
    #[error("the path of the folder is no text")]
    FolderName,
    #[error("there is no output: {0}")]
    Output(io::Error),
    #[error("there is no input: {0}")]
    Input(io::Error),
    #[error("the {0} has no input")]
    ChildInput(&'static str),
    #[error("the {0} has no output")]
    ChildOutput(&'static str),
    #[error("the {0} cannot be waited for: {1}")]
    Wait(&'static str, io::Error),
    #[error("`{0}` can be reached by others; say `--for-others` if that is wanted")]
    ForOthers(SocketAddr),
    #[error("`{0}` cannot be listened at: {1}")]
    Listen(SocketAddr, io::Error),
    #[error("the policy cannot be read, so everything is denied: {0}")]
    Policy(String),
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// Of what the gateway is made of.
    #[error("{0}")]
    Below(PortError),
}

/// Why nothing comes from a server that is somewhere else.
#[derive(Debug, ThisError)]
#[allow(missing_docs, reason = "their words say it")]
pub enum UpstreamError {
    #[error("`{0}` is no address of a server: {1}")]
    Address(String, PortError),
    #[error("a server elsewhere is reached over `https` only")]
    NotPrivate,
    #[error("`{0}` is no file of certificates: {1}")]
    Roots(PathBuf, PortError),
    #[error("`{0}` is no file of certificates: it has none, as PEM")]
    NoRoots(PathBuf),
    #[error("certificates cannot be checked: {0}")]
    Unchecked(PortError),
    #[error("the server cannot be reached: {0}")]
    Unreachable(PortError),
    #[error("the server cannot be reached: it has no name")]
    NoName,
    #[error("the server cannot be reached: it has no address")]
    NoAddress,
    #[error("the server cannot be reached")]
    Gone,
    #[error(
        "the server points to another address, where nothing would be judged; give that address to `--url` if it is right"
    )]
    PointsElsewhere,
    #[error("the server says `{0}` twice")]
    HeaderTwice(String),
    #[error("the server's answer is packed, which it was asked not to do")]
    Packed,
    #[error("the server's answer is longer than {} MiB", .0 >> 20)]
    TooLong(usize),
}

/// An error of what the gateway is made of.
pub(crate) fn below(error: impl Into<Box<dyn Error + Send + Sync>>) -> GatewayError {
    GatewayError::Below(port_error(error))
}

/// The server could not be reached, and why.
pub(crate) fn unreachable(error: impl Into<Box<dyn Error + Send + Sync>>) -> UpstreamError {
    UpstreamError::Unreachable(port_error(error))
}
