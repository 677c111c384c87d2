//! Looks at and takes away what stands under a name of an open folder, with everything below it and through no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fchmod, openat, readlinkat, unlinkat};
use rustix::io::Errno;

use crate::backups::{Backups, Kept, digest};
use crate::change_error::ChangeError;
use crate::open_nofollow::{self, PathError, Spot, kind, mode};
use crate::path_state::State;

/// The most files and folders that one change may hold.
const MOST_ENTRIES: usize = 50_000;
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
    check_size(sum.entries, depth, path)?;
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

fn check_size(entries: usize, depth: usize, path: &Path) -> Result<(), ChangeError> {
    if entries > MOST_ENTRIES {
        return Err(ChangeError::TooMany { most: MOST_ENTRIES });
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
        let mut inside = Vec::new();
        let open = open_nofollow::inner(folder, name, path)?;
        look_below(&open, Path::new(""), path, looking, &mut inside, 1)?;
        state = State::Folder {
            mode,
            inside: Some(inside),
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
        check_size(inside.len() + 1, depth, &whole)?;
        let state = one(folder.as_fd(), &name, &whole, looking)?;
        let is_folder = matches!(state, State::Folder { .. });
        inside.push((path.clone(), state));
        if is_folder {
            let open = open_nofollow::inner(folder, &name, &whole)?;
            look_below(&open, &path, top, looking, inside, depth + 1)?;
        }
    }
    Ok(())
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
                true => match looking.backups.keep_one_of_many(&mut file)? {
                    Kept::Yes(digest, size) => Some((digest, size)),
                    Kept::TooLarge(_) => None,
                },
                false => digest(&mut file, looking.read).map_err(cannot)?,
            };
            let size = u64::try_from(found.st_size).unwrap_or(0);
            Ok(match seen {
                Some((digest, size)) => State::File {
                    digest: Some(digest),
                    size,
                    mode: mode(&found),
                },
                None => State::File {
                    digest: None,
                    size,
                    mode: mode(&found),
                },
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
