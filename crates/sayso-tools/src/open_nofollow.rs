//! Opens the very path that was judged: no link on the way, whoever puts one there meanwhile (H-21, H-22).
//!
//! A path that was judged has no link left in it. It is opened from the root by the kernel's own rule against links, or name by name
//! where that rule is missing; from there on everything is done below the handle of the folder, never again by the path.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use sayso_core::text::visible::visible;
use thiserror::Error;

use crate::platform;

/// Why a path cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PathError {
    #[error("`{}` does not exist", shown(.0))]
    Missing(PathBuf),
    /// It was not there when the path was judged.
    #[error("a link was put in the way of `{}` after it was judged", shown(.0))]
    Link(PathBuf),
    #[error("`{}` is not a folder", shown(.0))]
    NotFolder(PathBuf),
    /// The word says what it is.
    #[error("`{}` is {}, not a file", shown(.0), .1)]
    Special(PathBuf, &'static str),
    #[error("`{}` is a folder, not a file", shown(.0))]
    Folder(PathBuf),
    #[error("`{}`: {}", shown(.0), reason(*.1))]
    System(PathBuf, Errno),
}

/// A place in a folder that is held open: what is done there is done in this folder, wherever its path leads by then.
#[derive(Debug)]
pub struct Spot {
    /// The folder.
    pub folder: OwnedFd,
    /// The name in it.
    pub name: OsString,
    /// The whole path, for messages.
    pub path: PathBuf,
}

/// How folders are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the kernel's rule against links, or name by name where it has none.
    Best,
    /// Name by name.
    ByName,
}

impl Spot {
    /// The place of an absolute path without links. Its folder must be there; the last name need not.
    ///
    /// # Errors
    /// If the folder is not there, or is reached through a link.
    pub fn of(path: &Path) -> Result<Spot, PathError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(PathError::Folder(path.to_owned()));
        };
        Ok(Spot {
            folder: folder(parent, Way::Best)?,
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }

    /// The same place, which messages call by another path.
    ///
    /// # Errors
    /// If there are too many open handles.
    pub fn named(&self, path: &Path) -> Result<Spot, PathError> {
        let system = |_| PathError::System(path.to_owned(), Errno::MFILE);
        Ok(Spot {
            folder: self.folder.try_clone().map_err(system)?,
            name: self.name.clone(),
            path: path.to_owned(),
        })
    }

    /// What stands there, the link itself if it is one; none if nothing does.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub fn stat(&self) -> Result<Option<Stat>, PathError> {
        stat(&self.folder, &self.name).map_err(|error| PathError::System(self.path.clone(), error))
    }

    /// Whether the path still leads to the folder that is held open.
    pub fn is_still_there(&self) -> bool {
        let now = self
            .path
            .parent()
            .and_then(|parent| folder(parent, Way::Best).ok());
        let same =
            |one: Stat, other: Stat| one.st_dev == other.st_dev && one.st_ino == other.st_ino;
        now.and_then(|now| Some(same(fstat(&now).ok()?, fstat(&self.folder).ok()?)))
            .unwrap_or(false)
    }
}

/// The flags of a handle that only marks a folder.
fn marks() -> OFlags {
    OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | platform::MARK_ONLY
}

/// Opens a folder by its absolute path, through no link.
///
/// # Errors
/// If it is not there, is no folder, or a link stands on the way.
pub fn folder(path: &Path, way: Way) -> Result<OwnedFd, PathError> {
    if !path.is_absolute() {
        return Err(PathError::Missing(path.to_owned()));
    }
    let root = openat(CWD, "/", marks(), Mode::empty())
        .map_err(|error| PathError::System(PathBuf::from("/"), error))?;
    let rest = path.strip_prefix("/").unwrap_or(path);
    below(root, Path::new("/"), rest, way)
}

/// Opens a folder below one that is held open, through no link.
///
/// # Errors
/// As [`folder`].
pub fn below(start: OwnedFd, shown: &Path, rest: &Path, way: Way) -> Result<OwnedFd, PathError> {
    if rest.as_os_str().is_empty() {
        return Ok(start);
    }
    if rest
        .components()
        .any(|part| !matches!(part, Component::Normal(_)))
    {
        return Err(PathError::Missing(shown.join(rest)));
    }
    if way == Way::Best {
        match platform::open_without_links(&start, rest, marks()) {
            Ok(Some(folder)) => return Ok(folder),
            Ok(None) => {}
            Err(error) => return Err(PathError::System(shown.join(rest), error)),
        }
    }
    by_name(start, shown, rest)
}

fn by_name(start: OwnedFd, shown: &Path, rest: &Path) -> Result<OwnedFd, PathError> {
    let (mut open, mut at) = (start, shown.to_owned());
    for name in rest {
        at.push(name);
        open = match openat(&open, name, marks(), Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Err(PathError::Missing(at)),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let is_link = stat(&open, name)
                    .ok()
                    .flatten()
                    .is_some_and(|found| kind(&found) == FileType::Symlink);
                return Err(if is_link {
                    PathError::Link(at)
                } else {
                    PathError::NotFolder(at)
                });
            }
            Err(error) => return Err(PathError::System(at, error)),
        };
    }
    Ok(open)
}

/// The deepest folder of a path that is there, and the names that are missing below it. The path itself may be there whole.
///
/// # Errors
/// If a link or a file stands on the way.
pub fn deepest(path: &Path) -> Result<(OwnedFd, PathBuf, Vec<OsString>), PathError> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        match folder(at, Way::Best) {
            Ok(open) => {
                missing.reverse();
                return Ok((open, at.to_owned(), missing));
            }
            Err(PathError::Missing(_)) => match (at.parent(), at.file_name()) {
                (Some(parent), Some(name)) => {
                    missing.push(name.to_owned());
                    at = parent;
                }
                _ => return Err(PathError::Missing(path.to_owned())),
            },
            Err(other) => return Err(other),
        }
    }
}

/// What stands under a name of a folder, the link itself if it is one.
///
/// # Errors
/// If it cannot be looked at.
pub fn stat(folder: impl AsFd, name: &OsStr) -> Result<Option<Stat>, Errno> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What kind of thing it is.
pub fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The permission bits.
#[allow(
    clippy::useless_conversion,
    reason = "the bits of a mode are a shorter number on some systems"
)]
pub fn mode(stat: &Stat) -> u32 {
    u32::from(stat.st_mode) & 0o7777
}

/// Opens a regular file for reading. Nothing is waited for and no device is touched.
///
/// # Errors
/// If it is missing, or anything else than a regular file.
pub fn file(folder: impl AsFd, name: &OsStr, shown: &Path) -> Result<(File, Stat), PathError> {
    let system = |error| PathError::System(shown.to_owned(), error);
    let regular = |stat: &Stat| match kind(stat) {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(PathError::Link(shown.to_owned())),
        FileType::Directory => Err(PathError::Folder(shown.to_owned())),
        other => Err(PathError::Special(shown.to_owned(), word(other))),
    };
    // Opening a device can do something by itself, so it is looked at first, and then at what was opened.
    regular(
        &stat(&folder, name)
            .map_err(system)?
            .ok_or_else(|| PathError::Missing(shown.to_owned()))?,
    )?;
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let open = openat(&folder, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP => PathError::Link(shown.to_owned()),
        Errno::NOENT => PathError::Missing(shown.to_owned()),
        error => system(error),
    })?;
    let found = fstat(&open).map_err(system)?;
    regular(&found)?;
    Ok((File::from(open), found))
}

/// Opens a folder under a name of another one, to read the names in it.
///
/// # Errors
/// If it is no folder.
pub fn inner(folder: impl AsFd, name: &OsStr, shown: &Path) -> Result<OwnedFd, PathError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(&folder, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::NOENT => PathError::Missing(shown.to_owned()),
        Errno::LOOP | Errno::NOTDIR => match stat(&folder, name) {
            Ok(Some(found)) if kind(&found) == FileType::Symlink => {
                PathError::Link(shown.to_owned())
            }
            _ => PathError::NotFolder(shown.to_owned()),
        },
        error => PathError::System(shown.to_owned(), error),
    })
}

/// Opens a folder by its absolute path, through no link, to read the names in it.
///
/// # Errors
/// As [`folder`].
pub fn names_of(path: &Path) -> Result<OwnedFd, PathError> {
    inner(folder(path, Way::Best)?, OsStr::new("."), path)
}

/// Opens a folder below an open one through no link, to read the names in it; an empty path is the folder itself.
///
/// # Errors
/// As [`inner`].
pub fn names_below(top: &OwnedFd, path: &Path, shown: &Path) -> Result<OwnedFd, PathError> {
    if path.as_os_str().is_empty() {
        return inner(top, OsStr::new("."), shown);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match platform::open_without_links(top, path, flags) {
        Ok(Some(open)) => Ok(open),
        Ok(None) => inner_of(top, path),
        Err(error) => Err(PathError::System(shown.to_owned(), error)),
    }
}

/// Opens a folder below an open one, to set its permissions or read the names in it.
///
/// # Errors
/// As [`inner`].
pub fn inner_of(top: &OwnedFd, path: &Path) -> Result<OwnedFd, PathError> {
    let name = path
        .file_name()
        .ok_or_else(|| PathError::Missing(path.to_owned()))?;
    let start = top
        .try_clone()
        .map_err(|_| PathError::System(path.to_owned(), Errno::MFILE))?;
    inner(
        below(
            start,
            Path::new(""),
            path.parent().unwrap_or(Path::new("")),
            Way::Best,
        )?,
        name,
        path,
    )
}

/// What a special file is called.
pub fn word(kind: FileType) -> &'static str {
    match kind {
        FileType::RegularFile => "a file",
        FileType::Directory => "a folder",
        FileType::Symlink => "a link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something unknown",
    }
}

/// A path for a message.
pub fn shown(path: &Path) -> String {
    visible(&String::from_utf8_lossy(path.as_os_str().as_bytes())).into_owned()
}

/// An error of the system in a few words.
pub fn reason(error: Errno) -> String {
    match error {
        Errno::ACCESS | Errno::PERM => "permission denied".to_owned(),
        Errno::NOSPC | Errno::DQUOT => "the disk is full".to_owned(),
        Errno::ROFS => "the disk is read-only".to_owned(),
        Errno::NAMETOOLONG => "the name is too long".to_owned(),
        Errno::FBIG => "the file would be larger than the system allows".to_owned(),
        other => std::io::Error::from(other).to_string(),
    }
}
