//! Opens the folder a command runs in, so that what was looked at is what it runs in.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sayso_core::text::visible::visible;

use super::error::StartError;
use crate::platform;

/// A folder that is held open.
pub(super) struct Folder {
    handle: File,
    path: PathBuf,
}

impl Folder {
    /// Opens it.
    pub(super) fn open(path: &Path) -> Result<Folder, StartError> {
        let shown = || visible(&path.to_string_lossy()).into_owned();
        if !path.is_absolute() {
            return Err(StartError::FolderNotAbsolute(shown()));
        }
        let flags = i32::try_from((OFlags::DIRECTORY | OFlags::NONBLOCK).bits()).unwrap_or(0);
        match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(handle) => Ok(Folder {
                handle,
                path: path.to_owned(),
            }),
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound => StartError::FolderMissing(shown()),
                ErrorKind::NotADirectory => StartError::NotFolder(shown()),
                _ => StartError::FolderClosed {
                    path: shown(),
                    source: error,
                },
            }),
        }
    }

    /// A path to the open folder itself, good for as long as this value lives, also in a process that was just forked.
    pub(super) fn path(&self) -> PathBuf {
        platform::path_of_handle(&self.handle).unwrap_or_else(|| self.path.clone())
    }
}
