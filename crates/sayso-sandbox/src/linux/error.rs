//! Why a sandbox is not set up. Nothing was run then.

use std::io;
use std::path::PathBuf;

use thiserror::Error as ThisError;

use super::landlock::LandlockError;
use super::seccomp::FilterError;
use crate::workspace_scan::shown;

/// Why a command cannot be bounded. Nothing was run.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum SetupError {
    #[error(transparent)]
    Landlock(#[from] LandlockError),
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error("the sandbox could not be set up: {0}; nothing was run")]
    Io(#[from] io::Error),
    #[error("the sandbox could not be set up: its list: {0}; nothing was run")]
    List(#[source] io::Error),
    #[error("the sandbox could not be set up: its lock: {0}; nothing was run")]
    Lock(#[source] io::Error),
    #[error("the sandbox could not be set up: `{}`: {source}; nothing was run", shown(.path))]
    Place { path: PathBuf, source: io::Error },
    #[error("the sandbox could not be set up: no folder for temporary files: {0}")]
    Scratch(#[source] io::Error),
    #[error(
        "the sandbox could not be set up: `/proc/self/mountinfo` does not tell what is mounted"
    )]
    Mounts,
    #[error("the sandbox could not be set up: `{}` is not what sayso made", .0.display())]
    NotOurs(PathBuf),
    #[error("`{}` has changed while the sandbox was set up; nothing was run", shown(.0))]
    Changed(PathBuf),
    #[error("chosen hosts cannot be reached from here; nothing was run")]
    NoHosts,
    #[error("this kernel has no Landlock; nothing was run")]
    NoLandlock,
    #[error("there is no command")]
    NoCommand,
}
