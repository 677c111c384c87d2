//! Systems that have none of what Linux offers: the plain call is made, or nothing is found.
//!
//! **It was never run**, and no test of the project builds it.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

/// What a handle gets that only marks a file and cannot read it.
pub(crate) const MARK_ONLY: OFlags = OFlags::empty();

/// Opens a folder through no link in one call; none where the system has no such call.
pub(crate) fn open_without_links(
    _: &OwnedFd,
    _: &Path,
    _: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    Ok(None)
}

/// Makes a file share the content of another one.
pub(crate) fn share_content(_: impl AsFd, _: impl AsFd) -> Result<(), Errno> {
    Err(Errno::NOTSUP)
}

/// Writes everything of a disk down.
pub(crate) fn sync_disk(_: impl AsFd) -> Result<(), Errno> {
    rustix::fs::sync();
    Ok(())
}

/// A handle that says when a process ends.
pub(crate) fn end_of_process(_: Pid) -> Option<OwnedFd> {
    None
}

/// A path to an open file itself.
pub(crate) fn path_of_handle(_: &impl AsFd) -> Option<PathBuf> {
    None
}

/// Finds the processes of a command.
pub(crate) struct Processes;

/// One of them.
pub(crate) struct Process;

impl Processes {
    pub(crate) fn of(_: i32) -> Self {
        Processes
    }

    /// Those that live, without the command itself.
    pub(crate) fn living(&mut self, _: &dyn Fn(&[u8]) -> bool) -> Vec<Process> {
        Vec::new()
    }
}

impl Process {
    /// How it is shown.
    pub(crate) fn shown(&self) -> String {
        String::new()
    }

    /// Whether it is in the group of the command.
    pub(crate) fn is_in_group(&self, _: i32) -> bool {
        false
    }

    /// Sends a signal to exactly this process and to none that got its number since.
    pub(crate) fn signal(&self, _: Signal) {}
}
