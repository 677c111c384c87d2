//! The folders in which sayso keeps its own files: nobody else can look into them, and a file is there whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
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

// bridge: until every caller is typed
impl From<FolderError> for String {
    fn from(error: FolderError) -> String {
        error.to_string()
    }
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

/// Letters and digits that nobody can guess.
pub fn random() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}", part() ^ part().rotate_left(32))
}

/// A new file under a name that nobody else has.
///
/// # Errors
/// If it cannot be made.
pub fn fresh(folder: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let path = folder.join(format!(".{}.tmp", random()));
        match OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (file, path)),
        }
    }
}

/// Writes a file whole: after a crash it is there with all of its bytes or not at all.
///
/// # Errors
/// If it cannot be written; then nothing is left of it.
pub fn write(path: &Path, bytes: &[u8], sync: bool) -> io::Result<File> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let (mut file, temp) = fresh(folder)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| settle(&file, &temp, path, sync));
    if written.is_err() {
        let _ = fs::remove_file(&temp);
    }
    written.map(|()| file)
}

/// Gives a finished file its name.
///
/// # Errors
/// If the disk says no.
pub fn settle(file: &File, temp: &Path, path: &Path, sync: bool) -> io::Result<()> {
    if sync {
        file.sync_all()?;
    }
    fs::rename(temp, path)?;
    if sync {
        sync_folder(path.parent());
    }
    Ok(())
}

/// Makes the names of a folder last. A file system that cannot do this loses nothing but that.
pub fn sync_folder(folder: Option<&Path>) {
    if let Some(open) = folder.and_then(|folder| File::open(folder).ok()) {
        let _ = open.sync_all();
    }
}
