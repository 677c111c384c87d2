//! Why a gateway cannot start or go on. Their words are made here, once.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use sayso_gate::error::{PortError, port_error};
use thiserror::Error as ThisError;

use crate::mcp::UpstreamError;

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

/// An error of what the gateway is made of.
pub(crate) fn below(error: impl Into<Box<dyn Error + Send + Sync>>) -> GatewayError {
    GatewayError::Below(port_error(error))
}

// bridge: until every caller is typed
impl From<GatewayError> for String {
    fn from(error: GatewayError) -> String {
        error.to_string()
    }
}
