//! Empty folders that are kept for the next command instead of being removed and made anew.
//!
//! A file system does not give a place that has just been freed to something new, and looks for long for another one: twenty folders that
//! are made and removed with each command take several times as long as all the rest of a sandbox. To move them takes nearly nothing.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// How the folders look: only for their owner, and with a bit that nobody else sets on such a folder. To be moved they have to be writable.
pub(crate) const MODE: u32 = 0o1700;

/// So many are kept.
const MOST: usize = 64;

/// The folders that are kept, in a folder of sayso's own.
pub(crate) struct Pool {
    folder: PathBuf,
    /// Those that are there; none: it was not looked yet.
    there: Option<Vec<PathBuf>>,
    is_made: bool,
}

impl Pool {
    pub(crate) fn new(own: &Path) -> Pool {
        Pool {
            folder: own.join("places"),
            there: None,
            is_made: false,
        }
    }

    /// Puts an empty folder where nothing is.
    ///
    /// # Errors
    /// If something is there, or none can be made.
    pub(crate) fn put(&mut self, path: &Path) -> std::io::Result<()> {
        while let Some(kept) = self.list().pop() {
            match moved(&kept, path) {
                // Whoever has put something into it did so by a name that it no longer had.
                Ok(()) if is_empty(path) => return Ok(()),
                Ok(()) => moved(path, &kept)?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
                // Taken by somebody else, or on another disk.
                Err(_) => {}
            }
        }
        fs::DirBuilder::new().mode(MODE).create(path)
    }

    /// Takes a folder away, if it is one of these and empty.
    pub(crate) fn take(&mut self, path: &Path) {
        if !fs::symlink_metadata(path).is_ok_and(|found| is_one(&found)) {
            return;
        }
        let kept = self.fresh();
        match kept.as_ref().map(|kept| moved(path, kept)) {
            Some(Ok(())) => {
                if let Some(kept) = kept.filter(|kept| !is_empty(kept)) {
                    // Somebody uses it as a folder of their own.
                    let _ = moved(&kept, path);
                }
            }
            // Where something is in it, it stays.
            _ => drop(fs::remove_dir(path)),
        }
    }

    fn list(&mut self) -> &mut Vec<PathBuf> {
        let folder = &self.folder;
        self.there.get_or_insert_with(|| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .map(|entry| entry.path())
                .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| is_one(&found)))
                .collect()
        })
    }

    /// A name for one more; none if there are enough.
    fn fresh(&mut self) -> Option<PathBuf> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !std::mem::replace(&mut self.is_made, true) {
            // It is there but for the first time.
            let _ = fs::DirBuilder::new().mode(0o700).create(&self.folder);
        }
        let kept = self.folder.join(format!(
            "{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        let list = self.list();
        (list.len() < MOST)
            .then(|| list.push(kept.clone()))
            .map(|()| kept)
    }
}

/// Whether a folder looks as they do.
pub(crate) fn is_one(found: &fs::Metadata) -> bool {
    found.is_dir() && found.mode() & 0o7777 == MODE
}

/// Whether nothing is in a folder.
pub(crate) fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Moves a folder to where nothing is.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_back_and_are_used_again() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = work.path().join("x");
        let number = || fs::symlink_metadata(&path).unwrap().ino();
        Pool::new(own.path()).put(&path).unwrap();
        let first = number();
        Pool::new(own.path()).take(&path);
        assert!(!path.exists());
        Pool::new(own.path()).put(&path).unwrap();
        assert_eq!(number(), first);
        assert!(Pool::new(own.path()).put(&path).is_err());
    }

    #[test]
    fn what_is_not_empty_or_not_ours_stays() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = work.path().join("x");
        Pool::new(own.path()).put(&path).unwrap();
        fs::write(path.join("mine"), "x").unwrap();
        Pool::new(own.path()).take(&path);
        assert!(path.join("mine").exists());
        let other = work.path().join("other");
        fs::create_dir(&other).unwrap();
        Pool::new(own.path()).take(&other);
        assert!(other.exists());
        assert!(Pool::new(own.path()).list().is_empty());
    }

    #[test]
    fn one_that_somebody_has_put_something_into_is_not_used() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = work.path().join("x");
        Pool::new(own.path()).put(&path).unwrap();
        Pool::new(own.path()).take(&path);
        let kept = Pool::new(own.path()).list().pop().unwrap();
        fs::write(kept.join("planted"), "x").unwrap();
        Pool::new(own.path()).put(&path).unwrap();
        assert!(is_empty(&path) && kept.join("planted").exists());
    }

    #[test]
    fn not_more_than_enough_are_kept() {
        let (own, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let paths: Vec<PathBuf> = (0..MOST + 5)
            .map(|number| work.path().join(number.to_string()))
            .collect();
        let mut pool = Pool::new(own.path());
        paths.iter().for_each(|path| pool.put(path).unwrap());
        paths.iter().for_each(|path| pool.take(path));
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
        assert_eq!(
            fs::read_dir(own.path().join("places")).unwrap().count(),
            MOST
        );
    }
}
