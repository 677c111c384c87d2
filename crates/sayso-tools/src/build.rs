//! Makes what a state says: a file, a link, or a folder with all that is in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, fchmod, fsync, mkdirat, openat, symlinkat};
use rustix::io::Errno;
use sayso_core::text::digest::{Digest, Pieces};

use crate::attributes::Attributes;
use crate::backups::{self, Backups, WORTH_SHARING, flush_disk};
use crate::change_error::ChangeError;
use crate::open_nofollow::{self, Spot, Way};
use crate::path_state::State;
use crate::platform;

/// Where the bytes of a new file come from.
pub enum Source<'a> {
    /// From the backups, by digest.
    Kept(&'a Backups),
    /// They are these.
    Bytes(&'a [u8]),
    /// From the file of the same name at or below this place.
    Copy(&'a Spot),
}

/// Makes what a state says, under a name that is free. What was made is only there whole if this succeeds; else the caller removes it.
///
/// # Errors
/// If the disk or the source says no, or the source holds something else by now.
pub fn build(
    spot: &Spot,
    state: &State,
    source: &Source<'_>,
    sync: bool,
) -> Result<(), ChangeError> {
    match state {
        State::Folder {
            mode,
            inside,
            attributes,
        } => {
            let open = new_folder(spot.folder.as_fd(), &spot.name, &spot.path)?;
            let inside = inside.as_deref().unwrap_or_default();
            for (path, state) in inside {
                let (folder, name) = parent_in(&open, path)?;
                let whole = spot.path.join(path);
                match state {
                    State::Folder { .. } => drop(new_folder(folder.as_fd(), &name, &whole)?),
                    other => build_one(folder.as_fd(), &name, &whole, other, source, path, false)?,
                }
            }
            // Permissions last and from the inside out: a folder may be closed to its owner, too.
            for (path, state) in inside.iter().rev() {
                if let State::Folder {
                    mode, attributes, ..
                } = state
                {
                    let folder = open_nofollow::inner_of(&open, path)?;
                    set_mode(&folder, *mode, attributes, &spot.path.join(path))?;
                }
            }
            set_mode(&open, *mode, attributes, &spot.path)?;
            if sync {
                flush_disk(&open).map_err(|error| cannot_write(&spot.path, error))?;
            }
            Ok(())
        }
        other => build_one(
            spot.folder.as_fd(),
            &spot.name,
            &spot.path,
            other,
            source,
            Path::new(""),
            sync,
        ),
    }
}

fn parent_in(top: &OwnedFd, path: &Path) -> Result<(OwnedFd, OsString), ChangeError> {
    let name = path.file_name().ok_or(ChangeError::NoName)?.to_owned();
    let start = top.try_clone().map_err(ChangeError::Io)?;
    Ok((
        open_nofollow::below(
            start,
            Path::new(""),
            path.parent().unwrap_or(Path::new("")),
            Way::Best,
        )?,
        name,
    ))
}

fn new_folder(folder: BorrowedFd<'_>, name: &OsStr, path: &Path) -> Result<OwnedFd, ChangeError> {
    mkdirat(folder, name, Mode::RWXU).map_err(|error| cannot_write(path, error))?;
    Ok(open_nofollow::inner(folder, name, path)?)
}

/// Sets the permissions and attributes: those of the user first, as they need a file that can be written.
fn set_mode(
    open: impl AsFd,
    mode: u32,
    attributes: &Attributes,
    path: &Path,
) -> Result<(), ChangeError> {
    attributes
        .set_user(&open)
        .and_then(|()| fchmod(&open, Mode::from_raw_mode(mode as rustix::fs::RawMode)))
        .and_then(|()| attributes.set_system(&open))
        .map_err(|error| cannot_write(path, error))
}

fn cannot_write(path: &Path, error: Errno) -> ChangeError {
    let folder = path.parent().unwrap_or(path).to_owned();
    ChangeError::Unwritable { folder, error }
}

fn build_one(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    path: &Path,
    state: &State,
    source: &Source<'_>,
    within: &Path,
    sync: bool,
) -> Result<(), ChangeError> {
    match state {
        State::Link { target } => {
            symlinkat(target.as_os_str(), folder, name).map_err(|error| cannot_write(path, error))
        }
        State::File {
            digest,
            size,
            mode,
            attributes,
        } => {
            let flags =
                OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let open = openat(folder, name, flags, Mode::RUSR | Mode::WUSR)
                .map_err(|error| cannot_write(path, error))?;
            let mut file = File::from(open);
            let (seen, count) = fill(&mut file, source, within, digest.as_ref(), path)?;
            if count != *size || digest.is_some_and(|digest| digest != seen) {
                return Err(match source {
                    Source::Kept(_) => ChangeError::BackupDamaged,
                    _ => ChangeError::CopyChanged,
                });
            }
            set_mode(&file, *mode, attributes, path)?;
            if sync {
                fsync(&file).map_err(|error| cannot_write(path, error))?;
            }
            Ok(())
        }
        other => Err(ChangeError::Unmakeable {
            path: path.to_owned(),
            what: other.word(),
        }),
    }
}

fn fill(
    to: &mut File,
    source: &Source<'_>,
    within: &Path,
    digest: Option<&Digest>,
    path: &Path,
) -> Result<(Digest, u64), ChangeError> {
    if let (Source::Kept(backups), Some(digest)) = (source, digest)
        && let Some(shared) = share(to, backups, digest)
    {
        return Ok(shared);
    }
    let mut from: Box<dyn io::Read + '_> = match source {
        Source::Bytes(bytes) => Box::new(*bytes),
        Source::Kept(backups) => Box::new(backups.read(digest.ok_or(ChangeError::NoBackup)?)?),
        Source::Copy(spot) if within.as_os_str().is_empty() => {
            Box::new(open_nofollow::file(&spot.folder, &spot.name, &spot.path)?.0)
        }
        Source::Copy(spot) => {
            let top = open_nofollow::inner(&spot.folder, &spot.name, &spot.path)?;
            let (folder, name) = parent_in(&top, within)?;
            Box::new(open_nofollow::file(&folder, &name, &spot.path.join(within))?.0)
        }
    };
    let (mut pieces, mut size) = (Pieces::default(), 0_u64);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok((pieces.finish(), size)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ChangeError::SourceUnreadable(error)),
        };
        let piece = buffer.get(..count).unwrap_or_default();
        to.write_all(piece)
            .map_err(|error| match Errno::from_io_error(&error) {
                Some(error) => cannot_write(path, error),
                None => ChangeError::Io(error),
            })?;
        pieces.add(piece);
        size += count as u64;
    }
}

/// Shares the content of a large backup with a new file, where the file system can do that, and reads what the file holds then.
fn share(to: &mut File, backups: &Backups, wanted: &Digest) -> Option<(Digest, u64)> {
    let from = backups.read(wanted).ok()?;
    if from.metadata().ok()?.len() < WORTH_SHARING {
        return None;
    }
    platform::share_content(&*to, &from).ok()?;
    backups::digest(to, u64::MAX).ok()?
}
