//! Looks at and takes away what stands under a name of an open folder, with everything below it and through no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fchmod, openat, readlinkat, unlinkat};
use rustix::io::Errno;

use crate::attributes::Attributes;
use crate::backups::{Backups, Kept, digest};
use crate::change_error::ChangeError;
use crate::listing::Identity;
use crate::open_nofollow::{self, PathError, Spot, kind, mode};
use crate::path_state::State;

/// The most files and folders that one change of a tool may hold.
const MOST_ENTRIES: usize = 50_000;
/// The most that are looked at to compare them.
const MAX_LOOKED_AT: usize = 500_000;
/// The deepest folder in a folder.
const DEEPEST: usize = 128;

/// How large something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The largest file in it.
    pub largest: u64,
    /// All files together.
    pub total: u64,
    /// How many names.
    pub entries: usize,
}

/// How something is looked at.
#[derive(Clone, Copy)]
pub struct Looking<'a> {
    /// Where the backups are.
    pub backups: &'a Backups,
    /// Whether what is seen is kept; the caller flushes the backups then.
    pub keep: bool,
    /// Files up to this size are read for their digest.
    pub read: u64,
}

impl<'a> Looking<'a> {
    /// Nothing is kept, and what is small enough to be kept is read.
    pub fn only(backups: &'a Backups) -> Looking<'a> {
        let (keep, read) = (false, backups.limits().file);
        Looking {
            backups,
            keep,
            read,
        }
    }
}

/// The names in an open folder, in order.
///
/// # Errors
/// If it cannot be read.
pub fn names(folder: impl AsFd) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// How large what stands at a place is, without reading any file.
///
/// # Errors
/// If a folder cannot be read or there is too much in it.
pub fn measure(spot: &Spot) -> Result<Measured, ChangeError> {
    let mut measured = Measured::default();
    measure_below(
        spot.folder.as_fd(),
        &spot.name,
        &spot.path,
        &mut measured,
        0,
    )?;
    Ok(measured)
}

fn measure_below(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
    sum: &mut Measured,
    depth: usize,
) -> Result<(), ChangeError> {
    let Some(found) = stat(folder, name, path)? else {
        return Ok(());
    };
    sum.entries += 1;
    check_size(sum.entries, MOST_ENTRIES, depth, path)?;
    match kind(&found) {
        FileType::RegularFile => {
            let size = u64::try_from(found.st_size).unwrap_or(0);
            sum.largest = sum.largest.max(size);
            sum.total = sum.total.saturating_add(size);
        }
        FileType::Directory => {
            let open = open_nofollow::inner(folder, name, path)?;
            for inner in names(&open).map_err(|error| PathError::System(path.to_owned(), error))? {
                measure_below(open.as_fd(), &inner, &path.join(&inner), sum, depth + 1)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn check_size(entries: usize, most: usize, depth: usize, path: &Path) -> Result<(), ChangeError> {
    if entries > most {
        return Err(ChangeError::TooMany { most });
    }
    if depth > DEEPEST {
        return Err(ChangeError::TooDeep {
            path: path.to_owned(),
            most: DEEPEST,
        });
    }
    Ok(())
}

fn stat(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
) -> Result<Option<rustix::fs::Stat>, PathError> {
    open_nofollow::stat(folder, name).map_err(|error| PathError::System(path.to_owned(), error))
}

/// What stands at a place, whole.
///
/// # Errors
/// If something in it cannot be read or kept.
pub fn look(spot: &Spot, looking: Looking<'_>) -> Result<State, ChangeError> {
    look_at(spot.folder.as_fd(), &spot.name, &spot.path, looking)
}

/// What stands at a place, as far as that is needed to compare it with what is expected there: of a folder that only moves or gets other
/// permissions only itself, and of one that can be rebuilt only which one it is.
///
/// # Errors
/// As [`look`].
pub fn look_for(expected: &State, spot: &Spot, looking: Looking<'_>) -> Result<State, ChangeError> {
    match expected {
        State::Folder { inside: None, .. } => Ok(shallow(spot)?),
        State::Rebuildable { .. } => match spot.stat()? {
            Some(found) if kind(&found) == FileType::Directory => Ok(State::Rebuildable {
                inode: Identity::of(&found).inode,
            }),
            _ => look(spot, looking),
        },
        _ => look(spot, looking),
    }
}

/// What stands at a place, of a folder only itself.
///
/// # Errors
/// If it cannot be looked at.
pub fn shallow(spot: &Spot) -> Result<State, PathError> {
    match spot.stat()? {
        None => Ok(State::Absent),
        Some(found) if kind(&found) == FileType::Directory => Ok(State::Folder {
            mode: mode(&found),
            inside: None,
            attributes: open_nofollow::inner(&spot.folder, &spot.name, &spot.path)
                .ok()
                .and_then(|open| Attributes::of(&open).ok())
                .unwrap_or_default(),
        }),
        Some(_) => Ok(State::Special),
    }
}

/// What stands under a name of an open folder, whole.
///
/// # Errors
/// As [`look`].
pub fn look_at(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
    looking: Looking<'_>,
) -> Result<State, ChangeError> {
    let mut state = one(folder, name, path, looking)?;
    if let State::Folder { mode, .. } = state {
        let mut below = Vec::new();
        let open = open_nofollow::inner(folder, name, path)?;
        look_below(&open, Path::new(""), path, looking, &mut below, 1)?;
        state = State::Folder {
            mode,
            inside: Some(below),
            attributes: attributes(&open, path)?,
        };
    }
    Ok(state)
}

fn look_below(
    folder: &OwnedFd,
    at: &Path,
    top: &Path,
    looking: Looking<'_>,
    inside: &mut Vec<(PathBuf, State)>,
    depth: usize,
) -> Result<(), ChangeError> {
    for name in names(folder).map_err(|error| PathError::System(top.join(at), error))? {
        let path = at.join(&name);
        let whole = top.join(&path);
        check_size(inside.len() + 1, MAX_LOOKED_AT, depth, &whole)?;
        let state = one(folder.as_fd(), &name, &whole, looking)?;
        let State::Folder { mode, .. } = state else {
            inside.push((path, state));
            continue;
        };
        let open = open_nofollow::inner(folder, &name, &whole)?;
        let state = State::Folder {
            mode,
            inside: None,
            attributes: attributes(&open, &whole)?,
        };
        inside.push((path.clone(), state));
        look_below(&open, &path, top, looking, inside, depth + 1)?;
    }
    Ok(())
}

fn attributes(open: impl AsFd, path: &Path) -> Result<Attributes, PathError> {
    Attributes::of(open).map_err(|error| PathError::System(path.to_owned(), error))
}

/// What stands under a name, of a folder only itself.
fn one(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
    looking: Looking<'_>,
) -> Result<State, ChangeError> {
    let Some(found) = stat(folder, name, path)? else {
        return Ok(State::Absent);
    };
    match kind(&found) {
        FileType::Directory => Ok(State::Folder {
            mode: mode(&found),
            inside: None,
            attributes: Attributes::default(),
        }),
        FileType::Symlink => {
            let target = readlinkat(folder, name, Vec::new())
                .map_err(|error| PathError::System(path.to_owned(), error))?;
            Ok(State::Link {
                target: OsString::from_vec(target.into_bytes()),
            })
        }
        FileType::RegularFile => {
            let unread = State::File {
                digest: None,
                size: u64::try_from(found.st_size).unwrap_or(0),
                mode: mode(&found),
                attributes: Attributes::default(),
            };
            if u64::try_from(found.st_size).unwrap_or(0) > looking.read {
                return Ok(unread);
            }
            let (mut file, found) = open_nofollow::file(folder, name, path)?;
            let cannot = |source| ChangeError::Unreadable {
                path: path.to_owned(),
                source,
            };
            let seen = match looking.keep {
                true => match looking.backups.keep_file(&mut file)? {
                    Kept::Yes(digest, size) => Some((digest, size)),
                    Kept::TooLarge(_) => None,
                },
                false => digest(&mut file, looking.read).map_err(cannot)?,
            };
            let (digest, size) = match seen {
                Some((digest, size)) => (Some(digest), size),
                None => (None, u64::try_from(found.st_size).unwrap_or(0)),
            };
            Ok(State::File {
                digest,
                size,
                mode: mode(&found),
                attributes: attributes(&file, path)?,
            })
        }
        _ => Ok(State::Special),
    }
}

/// Takes away what stands under a name, with everything below it. Nothing there is fine.
///
/// # Errors
/// If something cannot be removed; the rest stays.
pub fn remove(folder: impl AsFd, name: &OsStr) -> Result<(), Errno> {
    let found = match open_nofollow::stat(&folder, name)? {
        Some(found) if kind(&found) == FileType::Directory => found,
        Some(_) => return ignore_missing(unlinkat(&folder, name, AtFlags::empty())),
        None => return Ok(()),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = openat(&folder, name, flags, Mode::empty())?;
    if mode(&found) & 0o300 != 0o300 {
        // A folder that its owner may not change; it goes, so it may be opened first.
        let _ = fchmod(&open, Mode::RWXU);
    }
    for inner in names(&open)? {
        remove(&open, &inner)?;
    }
    ignore_missing(unlinkat(&folder, name, AtFlags::REMOVEDIR))
}

fn ignore_missing(result: Result<(), Errno>) -> Result<(), Errno> {
    match result {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}
