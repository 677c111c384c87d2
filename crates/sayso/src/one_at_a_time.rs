//! Bounded commands of one workspace run one after the other.
//!
//! A sandbox is made of mounts by name. A command that runs meanwhile could turn a folder into a link between the look at it and the mount,
//! and the next command would see what is behind the link.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use sayso_core::digest::Digest;
use sayso_tools::private_folder;

/// How often it is looked whether the other command has ended.
const TICK: Duration = Duration::from_millis(20);

/// The turn of one command; it ends with the value, or with the process.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "the lock goes with it")] File);

impl Turn {
    /// Waits until no other command runs bounded in this workspace, whose path has no links in it.
    ///
    /// # Errors
    /// If that takes longer than `most`, or it is to stop.
    pub fn wait(state: &Path, workspace: &Path, most: Duration, is_stopped: &dyn Fn() -> bool) -> Result<Turn, String> {
        let trouble = |error: std::io::Error| format!("the sandbox could not be set up: its turn: {error}; nothing was run");
        let folder = state.join("sandbox");
        private_folder::make(&folder)?;
        let name = Digest::of_bytes(workspace.as_os_str().as_bytes()).to_string();
        let name = name.strip_prefix("sha256:").unwrap_or(&name).get(..32).unwrap_or_default().to_owned();
        let path = folder.join(format!("{name}.running"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path).map_err(trouble)?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Turn(file)),
                Err(TryLockError::Error(error)) => return Err(trouble(error)),
                Err(TryLockError::WouldBlock) if is_stopped() || started.elapsed() >= most => {
                    return Err(
                        "another command runs in a sandbox in this workspace, and they run one after the other; nothing was run".to_owned()
                    );
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(TICK),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_waits_for_the_other_in_the_same_workspace_only() {
        let state = tempfile::tempdir().unwrap();
        let turn = |name: &str| Turn::wait(state.path(), Path::new(name), Duration::ZERO, &|| false);
        let first = turn("/a").unwrap();
        assert!(turn("/a").unwrap_err().contains("one after the other"));
        assert!(turn("/b").is_ok());
        drop(first);
        assert!(turn("/a").is_ok());
    }
}
