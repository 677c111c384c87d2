//! Remembers the last listing of each workspace, so that a file that did not change is not read again.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sayso_core::text::digest::Digest;
use sayso_own_files::write;

use crate::private_folder::make;

/// The folder with one small file for each workspace, which holds the digest of its last listing. Losing it costs time and nothing else.
#[derive(Debug)]
pub struct Listings {
    folder: PathBuf,
}

impl Listings {
    /// Those in a folder, which is made when it is needed.
    pub fn new(folder: PathBuf) -> Listings {
        Listings { folder }
    }

    fn path(&self, workspace: &Path) -> PathBuf {
        let name = Digest::of_bytes(workspace.as_os_str().as_bytes()).to_string();
        self.folder.join(name.trim_start_matches("sha256:"))
    }

    /// The digest of the last listing of a workspace.
    pub fn last(&self, workspace: &Path) -> Option<Digest> {
        Digest::parse(fs::read_to_string(self.path(workspace)).ok()?.trim())
    }

    /// Remembers the last listing of a workspace.
    pub fn set_last(&self, workspace: &Path, digest: &Digest) {
        if self.last(workspace).as_ref() != Some(digest) && make(&self.folder).is_ok() {
            let _ = write(&self.path(workspace), digest.to_string().as_bytes(), false);
        }
    }

    /// Forgets workspaces in which nothing changed for so many days.
    pub fn prune(&self, days: u64, now: SystemTime) {
        let before = now
            .checked_sub(Duration::from_hours(24 * days))
            .unwrap_or(SystemTime::UNIX_EPOCH);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|time| time < before)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
