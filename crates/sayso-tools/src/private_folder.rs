//! The folders in which sayso keeps its own files: only their owner can read them.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::open_nofollow::shown;

/// A folder of sayso's own cannot be used.
#[derive(Debug, Error)]
#[error("the folder `{}` for backups cannot be used: {source}", shown(.path))]
#[allow(missing_docs, reason = "the messages say it")]
pub struct FolderError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Makes a folder that only this user can enter.
///
/// # Errors
/// If it cannot be made, or is open to others and cannot be closed.
pub fn make(folder: &Path) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.and_then(|()| fs::symlink_metadata(folder))
        .and_then(|metadata| match metadata.permissions().mode() & 0o077 {
            _ if !metadata.is_dir() => Err(io::Error::from(io::ErrorKind::NotADirectory)),
            0 => Ok(()),
            _ => fs::set_permissions(folder, fs::Permissions::from_mode(0o700)),
        })
        .map_err(|source| FolderError {
            path: folder.to_owned(),
            source,
        })
}
