//! Opens the folder a command runs in, so that what was looked at is what it runs in.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sayso_core::text::visible::visible;

use crate::platform;

/// A folder that is held open.
pub(super) struct Folder {
    handle: File,
    path: PathBuf,
}

impl Folder {
    /// Opens it, or says in a sentence why not.
    pub(super) fn open(path: &Path) -> Result<Folder, String> {
        let shown = path.to_string_lossy();
        let shown = visible(&shown);
        if !path.is_absolute() {
            return Err(format!(
                "the folder `{shown}` is not an absolute path; give the whole path of the folder to run in"
            ));
        }
        let flags = i32::try_from((OFlags::DIRECTORY | OFlags::NONBLOCK).bits()).unwrap_or(0);
        match OpenOptions::new().read(true).custom_flags(flags).open(path) {
            Ok(handle) => Ok(Folder {
                handle,
                path: path.to_owned(),
            }),
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound => format!(
                    "the folder `{shown}` does not exist; make it first, or run in another one"
                ),
                ErrorKind::NotADirectory => {
                    format!("`{shown}` is not a folder; give the folder to run in")
                }
                _ => format!("the folder `{shown}` cannot be opened: {error}"),
            }),
        }
    }

    /// A path to the open folder itself, good for as long as this value lives, also in a process that was just forked.
    pub(super) fn path(&self) -> PathBuf {
        platform::path_of_handle(&self.handle).unwrap_or_else(|| self.path.clone())
    }
}
