//! Why a command does not run in its sandbox.

use std::io;

use sayso_sandbox::backend::BackendError;
use sayso_sandbox::derive::DeriveError;
use sayso_sandbox::workspace_scan::ScanError;
use sayso_tools::change_error::NotKept;
use sayso_tools::private_folder::FolderError;
use sayso_tools::terminal::StartError;
use thiserror::Error;

/// Why a command cannot be bounded.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum BoundError {
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Derive(#[from] DeriveError),
    #[error("the workspace cannot be looked at: {0}")]
    Workspace(#[source] io::Error),
}

/// Why what commands change in a workspace cannot be taken back.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum KeepError {
    #[error(transparent)]
    Bound(#[from] BoundError),
    #[error(transparent)]
    Workspace(#[from] io::Error),
    #[error(transparent)]
    Backup(#[from] NotKept),
}

impl From<BackendError> for KeepError {
    fn from(error: BackendError) -> Self {
        KeepError::Bound(error.into())
    }
}

/// The policy requires a sandbox that this machine does not have.
#[derive(Debug, Error)]
#[error("the policy requires an OS sandbox (`sandbox.require`), and there is none: {0}")]
pub struct NoSandboxHere(#[from] pub BackendError);

/// Why a command that has to be bounded was not run, or how it ended.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum RunError {
    #[error("it may only run in a sandbox: {0}; nothing was run")]
    NotBounded(#[from] BoundError),
    #[error("the workspace cannot be looked at: {0}; nothing was run")]
    Workspace(#[source] io::Error),
    #[error("{0}; nothing was run")]
    Scan(#[from] ScanError),
    #[error(
        "it may only run unasked where its changes can be taken back, and here they cannot: {0}; nothing was run. the person can run it, or allow it with a rule"
    )]
    NotKept(#[source] NotKept),
    #[error(transparent)]
    Start(#[from] StartError),
}
