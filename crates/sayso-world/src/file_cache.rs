//! Keeps what was read from small files, for as long as the file on disk stays the same one.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::bounded_file::{self, Content, LastLink, Looked};

/// The longest ignore or configuration file that is read.
pub(crate) const LONGEST: u64 = 256 * 1024;

/// How many files one pass may read.
pub(crate) const FILES_PER_PASS: u32 = 64;

/// How many more the searches of one pass may read: every folder can have an ignore file.
pub(crate) const FILES_PER_SEARCH: u32 = 512;

/// When this many files are remembered, all are forgotten: a bound that needs no bookkeeping.
const MOST_REMEMBERED: usize = 1024;

/// A file whose last change is younger than this may change again without its times telling.
const SETTLED: Duration = Duration::from_secs(2);

/// Files of one kind, in the form they were parsed to.
pub(crate) struct Remembered<T> {
    files: Mutex<HashMap<PathBuf, (Stamp, Arc<T>)>>,
    parse: fn(&[u8]) -> T,
    longest: u64,
    /// Files of the person and the system, which no operation changes silently: they are looked at again only after a moment.
    steady: Vec<PathBuf>,
    looked: Mutex<HashMap<PathBuf, Glance<T>>>,
    said: Mutex<HashMap<(PathBuf, String), (Instant, bool)>>,
}

/// When a steady file was looked at, and what was there.
type Glance<T> = (Instant, Option<Arc<T>>);

/// How long a look at a steady file counts.
const MOMENT: Duration = Duration::from_millis(50);

/// What came of asking for a file.
pub(crate) enum Recalled<T> {
    /// There is none.
    Missing,
    /// It was read now, or before and has not changed.
    Known(Arc<T>),
    /// It is there but could not be read, or the pass has read its share.
    Unknown,
}

/// Two equal stamps mean the same content.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl<T> Remembered<T> {
    pub(crate) fn new(parse: fn(&[u8]) -> T) -> Self {
        Self::up_to(LONGEST, parse)
    }

    /// For files that may be longer than [`LONGEST`].
    pub(crate) fn up_to(longest: u64, parse: fn(&[u8]) -> T) -> Self {
        Remembered {
            files: Mutex::new(HashMap::new()),
            parse,
            longest,
            steady: Vec::new(),
            looked: Mutex::new(HashMap::new()),
            said: Mutex::new(HashMap::new()),
        }
    }

    /// The same, with files that are steady.
    pub(crate) fn with_steady(self, steady: Vec<PathBuf>) -> Self {
        Remembered { steady, ..self }
    }

    /// The file at `path`; `left` is how many files this pass may still read.
    pub(crate) fn recall(&self, path: &Path, last: LastLink, left: &mut u32) -> Recalled<T> {
        if !self.steady.iter().any(|steady| steady == path) {
            return self.look_again(path, last, left);
        }
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, known)) = looked.get(path)
            && since.elapsed() < MOMENT
        {
            return known.as_ref().map_or(Recalled::Missing, |parsed| {
                Recalled::Known(Arc::clone(parsed))
            });
        }
        let since = Instant::now();
        let recalled = self.look_again(path, last, left);
        let kept = match &recalled {
            Recalled::Missing => Some(None),
            Recalled::Known(parsed) => Some(Some(Arc::clone(parsed))),
            Recalled::Unknown => None,
        };
        if let Some(kept) = kept {
            looked.insert(path.to_owned(), (since, kept));
        }
        recalled
    }

    /// What `look` says of a steady file for one workspace, asked again only after a moment.
    pub(crate) fn steadily(
        &self,
        path: &Path,
        workspace: &str,
        look: impl FnOnce() -> bool,
    ) -> bool {
        if !self.steady.iter().any(|steady| steady == path) {
            return look();
        }
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (path.to_owned(), workspace.to_owned());
        if let Some((since, answer)) = said.get(&key)
            && since.elapsed() < MOMENT
        {
            return *answer;
        }
        let since = Instant::now();
        let answer = look();
        if said.len() >= MOST_REMEMBERED {
            said.clear();
        }
        said.insert(key, (since, answer));
        answer
    }

    fn look_again(&self, path: &Path, last: LastLink, left: &mut u32) -> Recalled<T> {
        let stamp = match bounded_file::look(path, last) {
            // git does not follow a link here either, and goes on as if there were no file.
            Looked::Missing | Looked::Link => return Recalled::Missing,
            Looked::Unusable(_) => return Recalled::Unknown,
            Looked::File(metadata) => Stamp::of(&metadata),
        };
        if let Some((known, parsed)) = self.lock().get(path)
            && *known == stamp
        {
            return Recalled::Known(Arc::clone(parsed));
        }
        let Some(fewer) = left.checked_sub(1) else {
            return Recalled::Unknown;
        };
        *left = fewer;
        match bounded_file::read(path, self.longest, last) {
            Content::Missing | Content::Link => Recalled::Missing,
            Content::Unusable(_) => Recalled::Unknown,
            Content::Bytes(bytes, metadata) => {
                let parsed = Arc::new((self.parse)(&bytes));
                if is_settled(&metadata) {
                    let mut files = self.lock();
                    if files.len() >= MOST_REMEMBERED {
                        files.clear();
                    }
                    files.insert(path.to_owned(), (Stamp::of(&metadata), Arc::clone(&parsed)));
                }
                Recalled::Known(parsed)
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, (Stamp, Arc<T>)>> {
        // Every entry is put in whole, so a panic elsewhere leaves nothing half done.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Clocks of file systems tick in milliseconds or even seconds: two changes within one tick look alike.
fn is_settled(metadata: &Metadata) -> bool {
    let changed = u64::try_from(metadata.ctime()).unwrap_or(u64::MAX);
    let Some(changed) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(changed)) else {
        return false;
    };
    SystemTime::now()
        .duration_since(changed)
        .is_ok_and(|age| age >= SETTLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn recalled(remembered: &Remembered<usize>, path: &Path, left: &mut u32) -> Option<usize> {
        match remembered.recall(path, LastLink::Follow, left) {
            Recalled::Known(length) => Some(*length),
            _ => None,
        }
    }

    #[test]
    fn a_file_just_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let remembered = Remembered::new(<[u8]>::len);
        let mut left = 10;
        fs::write(&path, "one").unwrap();
        assert_eq!(recalled(&remembered, &path, &mut left), Some(3));
        fs::write(&path, "longer").unwrap();
        assert_eq!(recalled(&remembered, &path, &mut left), Some(6));
        assert_eq!(left, 8);
    }

    #[test]
    fn a_file_that_stays_is_read_once() {
        let remembered = Remembered::new(<[u8]>::len);
        let mut left = 1;
        let old = Path::new("/etc/passwd");
        let first = recalled(&remembered, old, &mut left);
        if first.is_some() && is_settled(&fs::metadata(old).unwrap()) {
            assert_eq!(recalled(&remembered, old, &mut left), first);
        }
        assert_eq!(left, 0);
    }

    #[test]
    fn no_more_files_than_the_share_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "one").unwrap();
        assert_eq!(recalled(&Remembered::new(<[u8]>::len), &path, &mut 0), None);
    }

    #[test]
    fn too_long_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, vec![b'x'; 256 * 1024 + 1]).unwrap();
        assert!(matches!(
            Remembered::new(<[u8]>::len).recall(&path, LastLink::Follow, &mut 9),
            Recalled::Unknown
        ));
    }
}
