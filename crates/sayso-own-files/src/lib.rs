//! Writes files of sayso's own, such as settings, records, snapshots and backups: a file is there whole or not at all.
//!
//! The bytes go into a temporary file beside it, which only its owner can read, and which then takes the name. A link that has the name is
//! replaced, not followed. Journals are not written here: they only grow.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use sayso_core::text::visible::visible;
use thiserror::Error;

/// Why a file was not written. The one before is still there, except where only the folder could not be synced.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WriteError {
    #[error("could not make {}: {source}", shown(.path))]
    Make { path: PathBuf, source: io::Error },
    #[error("could not write {}: {source}", shown(.path))]
    Write { path: PathBuf, source: io::Error },
    #[error("could not rename {}: {source}", shown(.path))]
    Rename { path: PathBuf, source: io::Error },
    #[error("could not write the folder {} to the disk: {source}", shown(.path))]
    Folder { path: PathBuf, source: io::Error },
}

impl WriteError {
    /// The same for a person; where the bytes could not be written, in these words.
    pub fn told(&self, words: &str) -> String {
        match self {
            WriteError::Write { source, .. } => format!("{words}: {source}"),
            other => other.to_string(),
        }
    }
}

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> io::Error {
        match error {
            WriteError::Make { source, .. }
            | WriteError::Write { source, .. }
            | WriteError::Rename { source, .. }
            | WriteError::Folder { source, .. } => source,
        }
    }
}

fn shown(path: &Path) -> String {
    format!("`{}`", visible(&path.to_string_lossy()))
}

/// Random letters and digits that cannot be guessed.
pub fn random() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}", part() ^ part().rotate_left(32))
}

/// Whether this is the name of a temporary file; one that is old was left by a process that was killed.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

/// Writes a whole file in place of any that has this path. With `sync` it outlasts a loss of power.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, bytes: &[u8], sync: bool) -> Result<File, WriteError> {
    let folder = Place::at(path.parent().unwrap_or(Path::new("/")));
    folder.write(path.file_name().unwrap_or_default(), bytes, sync)
}

/// A folder in which files are written.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Its handle; none where it is found by its path.
    handle: Option<BorrowedFd<'a>>,
    path: &'a Path,
}

impl<'a> Place<'a> {
    /// The folder that has this path when a file is written.
    pub fn at(path: &'a Path) -> Place<'a> {
        Place { handle: None, path }
    }

    /// A folder that is held open; the path is for messages.
    pub fn held(handle: &'a impl AsFd, path: &'a Path) -> Place<'a> {
        Place {
            handle: Some(handle.as_fd()),
            path,
        }
    }

    /// Writes a whole file in place of any that has this name. With `sync` it outlasts a loss of power.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        self,
        name: impl AsRef<OsStr>,
        bytes: &[u8],
        sync: bool,
    ) -> Result<File, WriteError> {
        let mut fresh = self.fresh(&name)?;
        fresh.add(bytes)?;
        fresh.settle(Path::new(&name), sync)
    }

    /// A temporary file for what is to have this name, which may not be known yet.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn fresh(self, name: impl AsRef<OsStr>) -> Result<Fresh<'a>, WriteError> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let mut temp = OsString::from(".");
            if let Some(name) = Path::new(&name).file_name() {
                temp.push(name);
                temp.push(".");
            }
            temp.push(format!("{}.tmp", random()));
            match openat(
                self.fd(),
                self.below_fd(&temp),
                flags,
                Mode::RUSR | Mode::WUSR,
            ) {
                Ok(handle) => {
                    return Ok(Fresh {
                        file: File::from(handle),
                        left: Left {
                            place: self,
                            temp: Some(temp),
                        },
                    });
                }
                Err(Errno::EXIST) => {}
                Err(error) => {
                    return Err(WriteError::Make {
                        path: self.path.join(&temp),
                        source: error.into(),
                    });
                }
            }
        }
    }

    fn fd(&self) -> BorrowedFd<'a> {
        self.handle.unwrap_or(CWD)
    }

    /// How a name in it is reached from [`Place::fd`].
    fn below_fd(&self, name: impl AsRef<Path>) -> PathBuf {
        match self.handle {
            Some(_) => name.as_ref().to_owned(),
            None => self.path.join(name),
        }
    }

    /// Makes a name last, or the names beside a path below the folder. A file system that cannot do this loses nothing but that.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn sync_folder_of(&self, name: &Path) -> Result<(), WriteError> {
        let inner = name.parent().unwrap_or(Path::new(""));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let at = match self.below_fd(inner) {
            path if path.as_os_str().is_empty() => PathBuf::from("."),
            path => path,
        };
        let synced =
            openat(self.fd(), at, flags, Mode::empty()).and_then(|open| rustix::fs::fsync(&open));
        match synced {
            Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            Err(error) => Err(WriteError::Folder {
                path: self.path.join(inner),
                source: error.into(),
            }),
        }
    }
}

/// A temporary file. It is removed unless it gets a name.
#[derive(Debug)]
pub struct Fresh<'a> {
    /// The file, with what was written to it so far.
    pub file: File,
    left: Left<'a>,
}

impl Fresh<'_> {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let added = self.file.write_all(bytes);
        added.map_err(|source| self.left.not_written(source))
    }

    /// Gives the file its name, or its path below the folder. With `sync` it outlasts a loss of power.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn settle(mut self, name: impl AsRef<Path>, sync: bool) -> Result<File, WriteError> {
        let (place, name) = (self.left.place, name.as_ref());
        if sync {
            let synced = self.file.sync_all();
            synced.map_err(|source| self.left.not_written(source))?;
        }
        let Some(temp) = &self.left.temp else {
            return Ok(self.file);
        };
        let (from, to) = (place.below_fd(temp), place.below_fd(name));
        renameat(place.fd(), from, place.fd(), to).map_err(|error| WriteError::Rename {
            path: place.path.join(temp),
            source: error.into(),
        })?;
        self.left.temp = None;
        if sync {
            place.sync_folder_of(name)?;
        }
        Ok(self.file)
    }
}

/// The name of a temporary file, until it has another one.
#[derive(Debug)]
struct Left<'a> {
    place: Place<'a>,
    temp: Option<OsString>,
}

impl Left<'_> {
    fn not_written(&self, source: io::Error) -> WriteError {
        let temp = self.temp.as_deref().unwrap_or_default();
        WriteError::Write {
            path: self.place.path.join(temp),
            source,
        }
    }
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if let Some(temp) = self.temp.take() {
            let path = self.place.below_fd(temp);
            let _ = unlinkat(self.place.fd(), path, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_and_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let handle = File::open(folder.path()).unwrap();
        for (place, sync) in [
            (Place::at(folder.path()), false),
            (Place::at(folder.path()), true),
            (Place::held(&handle, folder.path()), false),
            (Place::held(&handle, folder.path()), true),
        ] {
            for text in ["one", "longer", ""] {
                place.write("a", text.as_bytes(), sync).unwrap();
                assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), text);
            }
            let mode = fs::metadata(folder.path().join("a")).unwrap().mode();
            assert_eq!(mode & 0o7777, 0o600);
        }
        write(&folder.path().join("b"), b"b", true).unwrap();
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (other, link) = (folder.path().join("other"), folder.path().join("link"));
        fs::write(&other, "mine").unwrap();
        symlink(&other, &link).unwrap();
        write(&link, b"new", false).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
    }

    #[test]
    fn nothing_is_left_of_what_gets_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(folder.path());
        let mut fresh = place.fresh("a").unwrap();
        fresh.add(b"part").unwrap();
        let temporary = names(folder.path());
        assert!(temporary.len() == 1 && is_temporary(&temporary[0]));
        drop(fresh);
        fs::create_dir(folder.path().join("folder")).unwrap();
        for name in ["folder", "missing/a"] {
            let refused = place.write(name, b"x", true);
            assert!(matches!(refused, Err(WriteError::Rename { .. })), "{name}");
        }
        assert_eq!(names(folder.path()), ["folder"]);
        let missing = folder.path().join("missing");
        let refused = write(&missing.join("a"), b"x", true);
        assert!(matches!(refused, Err(WriteError::Make { .. })));
        // A file can go into a folder below.
        place.fresh("").unwrap().settle("folder/b", true).unwrap();
        assert_eq!(names(&folder.path().join("folder")), ["b"]);
    }
}
