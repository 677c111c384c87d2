//! Places for what must not come to be: a mount needs something to stand on, and nothing of it is left in the workspace.
//!
//! A name that does not exist can only be kept from being made by putting something over it, so an empty folder is made there first: git,
//! which the command may call, takes no notice of one. It goes
//! away with the last command that needs it: if it went earlier, the kernel would take it from the others, too. What is made is written
//! down before, in sayso's own folder, so that it goes away with the next command where a process was cut off.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sayso_core::text::digest::Digest;
use sayso_own_files::Place;

use super::error::SetupError;
use super::folder_pool::{self, Pool};
use crate::workspace_scan::stand_in;

/// How much a list may hold; it is ours, so more is not a list.
const MOST_LIST: u64 = 1 << 20;

/// The places of one command. They go away with the value, if nobody else needs them.
#[derive(Debug)]
pub(crate) struct Placeholders {
    /// Locked while places are made or taken away.
    turn: File,
    /// Holds the list, and is locked by everybody who needs the places.
    list: File,
    /// sayso's own folder.
    folder: PathBuf,
    /// The places: those that were missing, and those that others have made.
    pub(crate) paths: Vec<PathBuf>,
}

impl Placeholders {
    /// Makes the missing places for one workspace. `folder` is private to sayso.
    ///
    /// # Errors
    /// If one cannot be made: then it is not kept absent, and the command must not run.
    pub(crate) fn make(
        folder: &Path,
        workspace: &Path,
        missing: &[PathBuf],
    ) -> Result<Placeholders, SetupError> {
        let name = Digest::of_bytes(workspace.as_os_str().as_bytes()).to_string();
        let name = name
            .strip_prefix("sha256:")
            .unwrap_or(&name)
            .get(..32)
            .unwrap_or_default()
            .to_owned();
        let open = |ending: &str| {
            let path = folder.join(format!("{name}.{ending}"));
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path)
                .map_err(SetupError::List)
        };
        let (turn, mut list) = (open("turn")?, open("list")?);
        let mut pool = Pool::new(folder);
        lock(&turn, FlockOperation::LockExclusive).map_err(SetupError::Lock)?;
        if lock(&list, FlockOperation::NonBlockingLockExclusive).is_ok() {
            clear(&mut list, &mut pool);
        }
        let mut paths = read(&mut list)
            .into_iter()
            .filter(|path| is_ours(path))
            .collect::<Vec<_>>();
        let fresh: Vec<&PathBuf> = missing
            .iter()
            .filter(|path| fs::symlink_metadata(path).is_err())
            .collect();
        let noted = note(&mut list, &fresh).map_err(SetupError::List);
        let made = noted.and_then(|()| {
            fresh.iter().try_for_each(|path| {
                let place = self::make(path, folder, &mut pool);
                paths.extend(place.map_err(|source| SetupError::Place {
                    path: (*path).clone(),
                    source,
                })?);
                Ok(())
            })
        });
        // From here on others may come; this lock keeps the places until the value goes.
        let held = lock(&list, FlockOperation::LockShared).map_err(SetupError::Lock);
        let _ = lock(&turn, FlockOperation::Unlock);
        let placeholders = Placeholders {
            turn,
            list,
            folder: folder.to_owned(),
            paths,
        };
        made.and(held).map(|()| placeholders)
    }
}

impl Placeholders {
    /// A copy of the lock, for bubblewrap: it would make a place itself that went away while it mounts.
    ///
    /// # Errors
    /// If no more can be opened.
    pub(crate) fn lease(&self) -> std::io::Result<OwnedFd> {
        Ok(self.list.try_clone()?.into())
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        if lock(&self.turn, FlockOperation::LockExclusive).is_ok()
            && lock(&self.list, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            clear(&mut self.list, &mut Pool::new(&self.folder));
        }
        // A copy of the file may still be open; closing the other one gives its lock back.
        let _ = lock(&self.list, FlockOperation::Unlock);
    }
}

/// How a file looks that stands in for one of git's: nobody else makes one that only its owner can read.
const FILE_MODE: u32 = 0o400;

/// Writes places down that are going to be made.
fn note(list: &mut File, paths: &[&PathBuf]) -> std::io::Result<()> {
    let lines: Vec<u8> = paths
        .iter()
        .flat_map(|path| path.as_os_str().as_bytes().iter().copied().chain([0]))
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    list.seek(std::io::SeekFrom::End(0))?;
    list.write_all(&lines)
}

/// Makes a place; nothing where something stands by now.
fn make(path: &Path, own: &Path, pool: &mut Pool) -> std::io::Result<Option<PathBuf>> {
    let made = match stand_in(path) {
        Some(bytes) => put(path, bytes, own),
        None => pool.put(path),
    };
    match made {
        Ok(()) => Ok(Some(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts the file for git there, with all that is in it from the first moment on: git does not work with an empty one. It is one file with
/// many names, since to make one each time takes its time.
fn put(path: &Path, bytes: &[u8], own: &Path) -> std::io::Result<()> {
    let kept = own.join(path.file_name().unwrap_or_default());
    if !is_ours(&kept) {
        // Whatever it is, it is not what it should be.
        let _ = fs::remove_file(&kept);
        let name = path.file_name().unwrap_or_default();
        let mut fresh = Place::at(own).fresh(name)?;
        fresh.add(bytes)?;
        fresh
            .file
            .set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
        fresh.settle(name, false)?;
    }
    match fs::hard_link(&kept, path) {
        // On another disk, or one without such names.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(path)?
            .write_all(bytes),
        done => done,
    }
}

/// Whether something with this mode can be a place: looking closer costs more.
pub fn may_be_ours(mode: u32) -> bool {
    mode & 0o7777 == folder_pool::MODE || mode & 0o7777 == FILE_MODE
}

/// Whether what stands there is a place as they are made, with nothing in it: of this command or of another one.
pub fn is_ours(path: &Path) -> bool {
    let folder = |found: &fs::Metadata| folder_pool::is_one(found) && folder_pool::is_empty(path);
    let file = |found: &fs::Metadata| {
        let wanted = stand_in(path).filter(|bytes| bytes.len() as u64 == found.len());
        let looks = found.is_file() && found.mode() & 0o7777 == FILE_MODE;
        looks && wanted.is_some_and(|wanted| fs::read(path).is_ok_and(|bytes| bytes == wanted))
    };
    fs::symlink_metadata(path).is_ok_and(|found| folder(&found) || file(&found))
}

fn read(list: &mut File) -> Vec<PathBuf> {
    let mut bytes = Vec::new();
    let read = list.rewind().and_then(|()| {
        std::io::Read::by_ref(list)
            .take(MOST_LIST)
            .read_to_end(&mut bytes)
    });
    if read.is_err() {
        return Vec::new();
    }
    let lines = bytes
        .split(|byte| *byte == 0)
        .filter(|line| !line.is_empty());
    lines
        .map(|line| PathBuf::from(std::ffi::OsString::from_vec(line.to_vec())))
        .collect()
}

fn clear(list: &mut File, pool: &mut Pool) {
    for path in read(list) {
        match stand_in(&path) {
            // Somebody put something there where this fails, or took it away.
            Some(_) if is_ours(&path) => drop(fs::remove_file(&path)),
            Some(_) => {}
            None => pool.take(&path),
        }
    }
    // What cannot be emptied is read again next time, and found to be gone.
    let _ = list.set_len(0);
}

fn lock(file: &File, how: FlockOperation) -> std::io::Result<()> {
    Ok(rustix::io::retry_on_intr(|| flock(file, how))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_behind_and_others_keep_theirs() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let missing = [work.path().join(".claude"), work.path().join(".vscode")];
        let one = Placeholders::make(own.path(), work.path(), &missing).unwrap();
        assert_eq!(one.paths, missing);
        let two = Placeholders::make(own.path(), work.path(), &missing[..1]).unwrap();
        assert_eq!(two.paths, missing);
        drop(one);
        assert!(missing.iter().all(|path| path.exists()));
        drop(two);
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
    }

    #[test]
    fn git_works_with_what_stands_in() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let missing = [work.path().join("commondir")];
        let one = Placeholders::make(own.path(), work.path(), &missing).unwrap();
        assert_eq!(fs::read(&missing[0]).unwrap(), b".\n");
        drop(one);
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
        let one = Placeholders::make(own.path(), work.path(), &missing).unwrap();
        fs::remove_file(&missing[0]).unwrap();
        fs::write(&missing[0], "../elsewhere").unwrap();
        drop(one);
        assert!(missing[0].exists());
    }

    #[test]
    fn what_a_person_wrote_there_stays() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let missing = [work.path().join("a"), work.path().join("b")];
        let one = Placeholders::make(own.path(), work.path(), &missing).unwrap();
        fs::remove_dir(&missing[0]).unwrap();
        fs::write(&missing[0], "mine").unwrap();
        drop(one);
        assert_eq!(fs::read_to_string(&missing[0]).unwrap(), "mine");
        assert!(!missing[1].exists());
    }

    #[test]
    fn what_a_process_left_goes_with_the_next_command() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let missing = [work.path().join("a")];
        let one = Placeholders::make(own.path(), work.path(), &missing).unwrap();
        // As if it was killed: the locks go, the places stay.
        let Placeholders { turn, list, .. } = &one;
        for file in [turn, list] {
            lock(file, FlockOperation::Unlock).unwrap();
        }
        std::mem::forget(one);
        assert!(missing[0].exists());
        drop(Placeholders::make(own.path(), work.path(), &[]).unwrap());
        assert!(!missing[0].exists());
    }
}
