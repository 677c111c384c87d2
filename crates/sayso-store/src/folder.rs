//! The state folder: only its owner can write in it or replace it, and nothing in it is opened through a link.
//!
//! The folder is made with 0700 and its files with 0600. It is refused when it belongs to somebody else or others can write in it, and when
//! others can write in a folder above it: whoever can rename a folder can put another in its place. A folder like `/tmp`, where only owners
//! can rename, may stand above it. So may a folder that only the person's own group can write (many systems give each person a group of the
//! same number and make every folder like that), and a link that belongs to the person or to the system.

use std::fmt;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, Mode, OFlags, Stat};
use rustix::io::Errno;
use sayso_core::text::visible::visible;
use sayso_own_files::Place;
pub use sayso_own_files::WriteError;
use thiserror::Error as ThisError;

/// A folder of the person's own, held open: what is opened in it is opened in this very folder, whatever its path becomes.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: File,
}

/// What could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as they are called")]
pub enum Action {
    CutOff,
    List,
    Lock,
    LookAt,
    Make,
    MakeFolder,
    Open,
    OpenFolder,
    PutAside,
    Read,
    ReadKey,
    Remove,
    Rename,
    Unlock,
    Write,
    WriteKey,
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Action::CutOff => "cut off",
            Action::List => "list",
            Action::Lock => "lock",
            Action::LookAt => "look at",
            Action::Make => "make",
            Action::MakeFolder => "make the folder",
            Action::Open => "open",
            Action::OpenFolder => "open the folder",
            Action::PutAside => "put aside",
            Action::Read => "read",
            Action::ReadKey => "read the key",
            Action::Remove => "remove",
            Action::Rename => "rename",
            Action::Unlock => "unlock",
            Action::Write => "write",
            Action::WriteKey => "write the key",
        })
    }
}

/// Why a folder of the person's own, or a file in it, cannot be used.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum FolderError {
    #[error("could not {action} {}: {source}", shown(.path))]
    Io {
        action: Action,
        path: PathBuf,
        source: io::Error,
    },
    #[error("could not write the folder {} to the disk: {source}", shown(.path))]
    Sync { path: PathBuf, source: io::Error },
    #[error("{} is missing", shown(.0))]
    Missing(PathBuf),
    #[error("{} is there already; remove it", shown(.0))]
    Exists(PathBuf),
    #[error("the folder {} was taken away as soon as it was made", shown(.0))]
    TakenAway(PathBuf),
    #[error("{} is a link or no folder; remove it", shown(.0))]
    NotAFolder(PathBuf),
    #[error("{} is a link; remove it", shown(.0))]
    Link(PathBuf),
    #[error("{} is not a regular file", shown(.0))]
    NotAFile(PathBuf),
    #[error("{} belongs to somebody else", shown(.0))]
    NotOwn(PathBuf),
    #[error("{} can be written by others: look at what is in it, then run `chmod go-rwx` on it", shown(.0))]
    WritableByOthers(PathBuf),
    #[error("the state folder {} must be an absolute path without `..`", shown(.0))]
    NotAbsolute(PathBuf),
    #[error("the link {} above the state folder belongs to somebody else", shown(.0))]
    LinkAboveNotOwn(PathBuf),
    #[error("{} above the state folder belongs to somebody else", shown(.0))]
    FolderAboveNotOwn(PathBuf),
    #[error("others can write in {}, and so replace the state folder below it: run `chmod go-w` on it", shown(.0))]
    FolderAboveWritable(PathBuf),
}

impl FolderError {
    pub(crate) fn io(action: Action, path: &Path, source: impl Into<io::Error>) -> FolderError {
        FolderError::Io {
            action,
            path: path.to_owned(),
            source: source.into(),
        }
    }
}

const FOLDER: Mode = Mode::RWXU;
const FILE: Mode = Mode::RUSR.union(Mode::WUSR);
/// The bits by which a group or everybody can write.
const OTHERS_WRITE: u32 = 0o022;
const GROUP_WRITES: u32 = 0o020;
const STICKY: u32 = 0o1000;

impl Folder {
    /// Opens the folder, and makes it and what is missing above it.
    ///
    /// # Errors
    /// When the path is not absolute, or the folder cannot be made, opened or relied on.
    pub fn open(path: &Path) -> Result<Folder, FolderError> {
        if let Some(folder) = Folder::open_existing(path)? {
            return Ok(folder);
        }
        // Nothing is made where others could replace it.
        if let Some(there) = path
            .ancestors()
            .find(|above| fs::symlink_metadata(above).is_ok())
        {
            check_down_to(there)?;
        }
        make(path)?;
        Folder::open_existing(path)?.ok_or_else(|| FolderError::TakenAway(path.to_owned()))
    }

    /// Opens the folder, and makes nothing; none if it is missing.
    ///
    /// # Errors
    /// When the path is not absolute, or the folder cannot be opened or relied on.
    pub fn open_existing(path: &Path) -> Result<Option<Folder>, FolderError> {
        check_spelling(path)?;
        if fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        if let Some(parent) = path.parent() {
            check_down_to(parent)?;
        }
        let failed = |error| match error {
            Errno::NOTDIR | Errno::LOOP => FolderError::NotAFolder(path.to_owned()),
            _ => FolderError::io(Action::OpenFolder, path, error),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
        let folder = Folder {
            path: path.to_owned(),
            handle: File::from(handle),
        };
        folder.check_own(&folder.path, &folder.handle)?;
        Ok(Some(folder))
    }

    /// A folder in this one, made if it is missing and `make` says so; none if it is missing.
    ///
    /// # Errors
    /// When it cannot be made, opened or relied on.
    pub fn inner(&self, name: &str, make: bool) -> Result<Option<Folder>, FolderError> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || rustix::fs::openat(&self.handle, name, flags, Mode::empty());
        let handle = match open() {
            Err(Errno::NOENT) if !make => return Ok(None),
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&self.handle, name, FOLDER) {
                    Err(Errno::EXIST) | Ok(()) => {}
                    Err(error) => return Err(FolderError::io(Action::MakeFolder, &path, error)),
                }
                open()
            }
            other => other,
        };
        let failed = |error| FolderError::io(Action::OpenFolder, &path, error);
        let handle = File::from(handle.map_err(failed)?);
        self.check_own(&path, &handle)?;
        Ok(Some(Folder { path, handle }))
    }

    /// Opens a file for reading; none if it is missing.
    ///
    /// # Errors
    /// When it cannot be opened or relied on.
    pub fn read(&self, name: &str) -> Result<Option<File>, FolderError> {
        match self.open_file(name, OFlags::RDONLY) {
            Err(FolderError::Missing(_)) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Opens a file for reading, and for writing at its end; makes it if it is missing.
    ///
    /// # Errors
    /// When it cannot be made, opened or relied on.
    pub fn append(&self, name: &str) -> Result<File, FolderError> {
        self.open_file(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    /// Opens a file for reading, and for writing anywhere; makes it if it is missing.
    ///
    /// # Errors
    /// When it cannot be made, opened or relied on.
    pub fn write(&self, name: &str) -> Result<File, FolderError> {
        self.open_file(name, OFlags::RDWR | OFlags::CREATE)
    }

    /// Makes a file that must not be there yet; none if it is.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create_new(&self, name: &str) -> Result<Option<File>, FolderError> {
        let flags = OFlags::RDWR
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::CLOEXEC
            | OFlags::NOFOLLOW;
        match rustix::fs::openat(&self.handle, name, flags, FILE) {
            Ok(handle) => Ok(Some(File::from(handle))),
            Err(Errno::EXIST) => Ok(None),
            Err(error) => Err(self.failed(Action::Make, name, error)),
        }
    }

    /// Writes a whole file in place of any that has this name. With `sync` it outlasts a loss of power.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, name: &str, bytes: &[u8], sync: bool) -> Result<(), WriteError> {
        self.place().write(name, bytes, sync).map(drop)
    }

    /// This folder, to write a file of several pieces in it.
    pub fn place(&self) -> Place<'_> {
        Place::held(&self.handle, &self.path)
    }

    /// Gives a file another name, in place of any file that has it.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), FolderError> {
        let renamed = rustix::fs::renameat(&self.handle, from, &self.handle, to);
        renamed.map_err(|error| self.failed(Action::Rename, from, error))
    }

    /// Removes a file; nothing happens if it is missing.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), FolderError> {
        match rustix::fs::unlinkat(&self.handle, name, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed(Action::Remove, name, error)),
        }
    }

    /// What stands under a name now; none if nothing does. A link is not followed.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn look(&self, name: &str) -> Result<Option<Stat>, FolderError> {
        match rustix::fs::statat(&self.handle, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(self.failed(Action::LookAt, name, error)),
        }
    }

    /// The names of everything in it, in no order; a name that is no text is left out.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn names(&self) -> Result<Vec<String>, FolderError> {
        let failed = |error: Errno| FolderError::io(Action::List, &self.path, error);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(failed)? {
            names.extend(
                entry
                    .map_err(failed)?
                    .file_name()
                    .to_str()
                    .ok()
                    .map(str::to_owned),
            );
        }
        Ok(names)
    }

    /// Makes new and removed names last through a loss of power.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn sync(&self) -> Result<(), FolderError> {
        self.handle.sync_all().map_err(|source| FolderError::Sync {
            path: self.path.clone(),
            source,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, action: Action, name: &str, error: Errno) -> FolderError {
        FolderError::io(action, &self.path.join(name), error)
    }

    fn open_file(&self, name: &str, flags: OFlags) -> Result<File, FolderError> {
        let path = self.path.join(name);
        // Without waiting on a pipe, should one stand there.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.handle, name, flags, FILE) {
            Ok(handle) => File::from(handle),
            Err(Errno::NOENT) => return Err(FolderError::Missing(path)),
            Err(Errno::LOOP) => return Err(FolderError::Link(path)),
            Err(error) => return Err(FolderError::io(Action::Open, &path, error)),
        };
        self.check_own(&path, &file)?;
        match file.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(file),
            _ => Err(FolderError::NotAFile(path)),
        }
    }

    /// Refuses what belongs to somebody else or can be written by others, and hides from others what they could read.
    fn check_own(&self, path: &Path, handle: &File) -> Result<(), FolderError> {
        let metadata = handle
            .metadata()
            .map_err(|error| FolderError::io(Action::LookAt, path, error))?;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(FolderError::NotOwn(path.to_owned()));
        }
        if metadata.mode() & OTHERS_WRITE != 0 {
            return Err(FolderError::WritableByOthers(path.to_owned()));
        }
        if metadata.mode() & 0o077 != 0 {
            let mode = if metadata.is_dir() { FOLDER } else { FILE };
            // On a file system that cannot be written, the mode stays: nothing is written there either.
            let _kept = rustix::fs::fchmod(handle, mode);
        }
        Ok(())
    }
}

/// The path as a message shows it.
pub(crate) fn shown(path: &Path) -> String {
    format!("`{}`", visible(&path.to_string_lossy()))
}

fn check_spelling(path: &Path) -> Result<(), FolderError> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !path.is_absolute() || !plain || path.parent().is_none() {
        return Err(FolderError::NotAbsolute(path.to_owned()));
    }
    Ok(())
}

fn make(path: &Path) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| FolderError::io(Action::MakeFolder, path, error))
}

/// Looks at a folder and every one above it, by the path as it is written and as it is without links.
fn check_down_to(folder: &Path) -> Result<(), FolderError> {
    for above in folder.ancestors() {
        check_folder(above)?;
    }
    let real = fs::canonicalize(folder)
        .map_err(|error| FolderError::io(Action::OpenFolder, folder, error))?;
    if real != folder {
        for above in real.ancestors() {
            check_folder(above)?;
        }
    }
    Ok(())
}

fn check_folder(path: &Path) -> Result<(), FolderError> {
    let failed = |error| FolderError::io(Action::LookAt, path, error);
    let me = rustix::process::geteuid().as_raw();
    let mut metadata = fs::symlink_metadata(path).map_err(failed)?;
    if metadata.is_symlink() {
        if ![0, me].contains(&metadata.uid()) {
            return Err(FolderError::LinkAboveNotOwn(path.to_owned()));
        }
        metadata = fs::metadata(path).map_err(failed)?;
    }
    if ![0, me].contains(&metadata.uid()) {
        return Err(FolderError::FolderAboveNotOwn(path.to_owned()));
    }
    let mode = metadata.mode();
    let own_group = metadata.gid() == me && rustix::process::getegid().as_raw() == me;
    let writers = if own_group {
        OTHERS_WRITE & !GROUP_WRITES
    } else {
        OTHERS_WRITE
    };
    if mode & writers != 0 && mode & STICKY == 0 {
        return Err(FolderError::FolderAboveWritable(path.to_owned()));
    }
    Ok(())
}
