//! Keeps what a change takes away: one file for each content, named by its digest, never in the workspace.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::SystemTime;

use rustix::fs::{FileType, FlockOperation, flock};
use sayso_core::text::digest::{Digest, Pieces};
use sayso_own_files::{Fresh, Place, is_temporary};

use thiserror::Error;

use crate::held_bytes;
use crate::open_nofollow;
use crate::platform;
use crate::private_folder::{FolderError, make};

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of one file, in bytes.
    pub file: u64,
    /// In all, in bytes.
    pub total: u64,
    /// For how long, in days.
    pub days: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file: 64 << 20,
            total: 2 << 30,
            days: 30,
        }
    }
}

/// What came of keeping one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is kept.
    Yes(Digest, u64),
    /// It is larger than a file may be.
    TooLarge(u64),
}

/// What goes wrong with backups.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BackupError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("no backup could be made: {0}")]
    NotMade(io::Error),
    #[error(
        "its backup is gone: backups are kept for {days} days, and the oldest make room for new ones"
    )]
    Gone { days: u64 },
    #[error("its backup cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("the lock of the backups cannot be had: {0}")]
    Lock(io::Error),
}

/// The folder with all backups.
#[derive(Debug)]
pub struct Backups {
    folder: PathBuf,
    limits: Limits,
    sync: bool,
    /// How much is kept as far as this process knows; nobody has counted at first.
    held: AtomicU64,
    /// How much came and went that is not noted yet.
    unnoted: AtomicI64,
    /// How many were kept as some of many.
    kept: AtomicU64,
    /// One of those may not last yet. From then on this stays so: another thread may still be about to wait for the disk.
    unflushed: AtomicBool,
    /// Files here cannot share their content with backups.
    cannot_share: AtomicBool,
}

/// From this size on, it is worth a try to share the content of a file.
pub(crate) const WORTH_SHARING: u64 = 64 << 10;

/// So many are made to last one by one.
const FEW: u64 = 8;

const NOT_COUNTED: u64 = u64::MAX;

impl Backups {
    /// The backups in a folder, which is made.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: PathBuf, limits: Limits, sync: bool) -> Result<Backups, BackupError> {
        make(&folder)?;
        Ok(Backups {
            folder,
            limits,
            sync,
            held: AtomicU64::new(NOT_COUNTED),
            unnoted: AtomicI64::new(0),
            kept: AtomicU64::new(0),
            unflushed: AtomicBool::new(false),
            cannot_share: AtomicBool::new(false),
        })
    }

    /// How much is kept.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where the content with a digest lies, if it is kept.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.to_string();
        let hex = hex.strip_prefix("sha256:").unwrap_or(&hex);
        self.folder.join(hex.get(..2).unwrap_or("00")).join(hex)
    }

    /// The folder they lie in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it is kept.
    pub fn has(&self, digest: &Digest) -> bool {
        self.path(digest).is_file()
    }

    /// A quick way to ask for many contents whether they are kept, with all of their bytes.
    pub fn shelf(&self) -> impl Fn(&Digest, u64) -> bool + use<> {
        let folder = File::open(&self.folder).ok();
        move |digest, size| {
            let hex = digest.hex();
            let [first, second, ..] = hex;
            let name = [&[first, second, b'/'], hex.as_slice()].concat();
            let found = folder.as_ref().and_then(|folder| {
                open_nofollow::stat(folder, OsStr::from_bytes(&name))
                    .ok()
                    .flatten()
            });
            found.is_some_and(|found| {
                open_nofollow::kind(&found) == FileType::RegularFile
                    && u64::try_from(found.st_size) == Ok(size)
            })
        }
    }

    /// Keeps what can be read from `from`.
    ///
    /// # Errors
    /// If it cannot be read or written: then the change must not be made.
    pub fn keep(&self, from: &mut dyn Read) -> Result<Kept, BackupError> {
        self.try_keep(from, self.sync).map_err(BackupError::NotMade)
    }

    /// Keeps one of many: it outlasts a loss of power only after [`Backups::flush`].
    ///
    /// # Errors
    /// As [`Backups::keep`].
    pub fn keep_one_of_many(&self, from: &mut dyn Read) -> Result<Kept, BackupError> {
        // Of a few, each is made to last by itself: to wait for everything on the disk is faster only for many.
        let alone = self.sync && self.kept.fetch_add(1, Ordering::Relaxed) < FEW;
        if !alone {
            self.unflushed.store(true, Ordering::SeqCst);
        }
        self.try_keep(from, alone).map_err(BackupError::NotMade)
    }

    /// Keeps a whole file as one of many. A large one shares its content with the backup where the file system can do that.
    ///
    /// # Errors
    /// As [`Backups::keep`].
    pub fn keep_file(&self, file: &mut File) -> Result<Kept, BackupError> {
        let size = file.metadata().map_or(0, |found| found.len());
        if (WORTH_SHARING..=self.limits.file).contains(&size)
            && !self.cannot_share.load(Ordering::Relaxed)
        {
            let shared = self.try_share(file).map_err(BackupError::NotMade)?;
            if let Some(kept) = shared {
                return Ok(kept);
            }
            self.cannot_share.store(true, Ordering::Relaxed);
        }
        self.keep_one_of_many(file)
    }

    /// What is shared is read from the backup's side: the file may be written to meanwhile.
    fn try_share(&self, file: &File) -> io::Result<Option<Kept>> {
        let mut fresh = Place::at(&self.folder).fresh("")?;
        if platform::share_content(&fresh.file, file).is_err() {
            return Ok(None);
        }
        let Some((digest, size)) = digest(&mut fresh.file, self.limits.file)? else {
            return Ok(None);
        };
        self.unflushed.store(true, Ordering::SeqCst);
        self.place(fresh, &digest, size, false)?;
        Ok(Some(Kept::Yes(digest, size)))
    }

    /// Makes everything that was kept last.
    ///
    /// # Errors
    /// If the disk says no.
    pub fn flush(&self) -> Result<(), BackupError> {
        self.note();
        let flushed = if self.sync && self.unflushed.load(Ordering::SeqCst) {
            File::open(&self.folder).and_then(|folder| Ok(flush_disk(&folder)?))
        } else {
            Ok(())
        };
        flushed.map_err(BackupError::NotMade)
    }

    fn try_keep(&self, from: &mut dyn Read, sync: bool) -> io::Result<Kept> {
        let mut fresh = Place::at(&self.folder).fresh("")?;
        let copied = copy(from, &mut fresh.file, self.limits.file)?;
        if let Kept::Yes(digest, size) = copied {
            self.place(fresh, &digest, size, sync)?;
        }
        Ok(copied)
    }

    fn place(&self, fresh: Fresh<'_>, digest: &Digest, size: u64, sync: bool) -> io::Result<()> {
        let path = self.path(digest);
        let own = Place::at(&self.folder);
        if let Ok(there) =
            File::open(&path).and_then(|there| there.metadata().map(|metadata| (there, metadata)))
            && there.1.len() == size
        {
            // Whoever clears up sees that it is wanted again.
            if there.0.set_modified(SystemTime::now()).is_ok() {
                // Whoever kept it may not have come to that.
                if sync {
                    there.0.sync_all()?;
                    own.sync_folder_of(&path)?;
                }
                return Ok(());
            }
        }
        if let Some(parent) = path.parent() {
            let is_new = !parent.exists();
            make(parent).map_err(io::Error::other)?;
            if sync && is_new {
                own.sync_folder_of(parent)?;
            }
        }
        fresh.settle(&path, sync)?;
        let added = i64::try_from(size).unwrap_or(i64::MAX);
        self.unnoted.fetch_add(added, Ordering::Relaxed);
        if self.held.load(Ordering::Relaxed) != NOT_COUNTED {
            self.held.fetch_add(size, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Opens what was kept.
    ///
    /// # Errors
    /// If it is not kept any more.
    pub fn read(&self, digest: &Digest) -> Result<File, BackupError> {
        File::open(self.path(digest)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BackupError::Gone {
                days: self.limits.days,
            },
            _ => BackupError::Unreadable(error),
        })
    }

    /// Waits until no other process with these backups switches a file, and keeps it so until the handle is dropped.
    ///
    /// # Errors
    /// If the lock cannot be had.
    pub fn turn(&self) -> Result<File, BackupError> {
        self.lock(".lock", FlockOperation::LockExclusive)
    }

    /// Until the handle is dropped, nobody clears up: what is kept now is still there when it is written down who needs it.
    ///
    /// # Errors
    /// If the lock cannot be had.
    pub fn in_use(&self) -> Result<File, BackupError> {
        self.lock(".in-use", FlockOperation::LockShared)
    }

    /// Waits until nobody has the backups in use.
    ///
    /// # Errors
    /// If the lock cannot be had.
    pub fn to_clear_up(&self) -> Result<File, BackupError> {
        self.lock(".in-use", FlockOperation::LockExclusive)
    }

    /// The same, if it is so at once.
    pub fn try_to_clear_up(&self) -> Option<File> {
        self.lock(".in-use", FlockOperation::NonBlockingLockExclusive)
            .ok()
    }

    fn lock(&self, name: &str, how: FlockOperation) -> Result<File, BackupError> {
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.folder.join(name));
        let locked =
            lock.and_then(|file| flock(&file, how).map(|()| file).map_err(io::Error::from));
        locked.map_err(BackupError::Lock)
    }

    /// Whether what is written must outlast a loss of power.
    pub fn sync(&self) -> bool {
        self.sync
    }

    /// Others may have thrown something away: it is counted again.
    pub fn count_again(&self) {
        self.held.store(NOT_COUNTED, Ordering::Relaxed);
    }

    /// How many bytes are kept, as far as this process knows.
    pub fn held(&self) -> u64 {
        match self.held.load(Ordering::Relaxed) {
            NOT_COUNTED => {
                self.note();
                let total = held_bytes::noted(&self.folder).unwrap_or_else(|| {
                    let total = self.all().iter().map(|kept| kept.size).sum();
                    held_bytes::note(&self.folder, total);
                    total
                });
                self.held.store(total, Ordering::Relaxed);
                total
            }
            known => known,
        }
    }

    /// Writes down how much came and went.
    fn note(&self) {
        held_bytes::add(&self.folder, self.unnoted.swap(0, Ordering::Relaxed));
    }

    /// Everything that is kept.
    pub fn all(&self) -> Vec<Stored> {
        let entries = |folder: &Path| {
            fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path())
                .collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for file in entries(&self.folder)
            .iter()
            .filter(|path| path.is_dir())
            .flat_map(|folder| entries(folder))
        {
            let digest = file
                .file_name()
                .and_then(|name| Digest::parse(&format!("sha256:{}", name.to_str()?)));
            let metadata = fs::symlink_metadata(&file).ok();
            if let (Some(digest), Some(metadata)) = (digest, metadata) {
                all.push(Stored {
                    digest,
                    size: metadata.len(),
                    touched: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                });
            }
        }
        all
    }

    /// Removes files that were never finished because a process was killed long ago.
    pub fn remove_unfinished(&self, before: SystemTime) {
        remove_unfinished(&self.folder, before);
    }

    /// Throws one away.
    pub fn remove(&self, stored: &Stored) {
        if fs::remove_file(self.path(&stored.digest)).is_err() {
            return;
        }
        let gone = i64::try_from(stored.size).unwrap_or(i64::MAX);
        self.unnoted.fetch_sub(gone, Ordering::Relaxed);
        if self.held.load(Ordering::Relaxed) != NOT_COUNTED {
            let _ = self
                .held
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                    Some(held.saturating_sub(stored.size))
                });
        }
    }
}

impl Drop for Backups {
    fn drop(&mut self) {
        self.note();
    }
}

/// Makes everything on the disk of a folder last; for many files this is much faster than one by one.
///
/// # Errors
/// If the disk says no.
pub fn flush_disk(folder: impl AsFd) -> Result<(), rustix::io::Errno> {
    platform::sync_disk(folder)
}

/// One content that is kept.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// Its digest.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last wanted.
    pub touched: SystemTime,
}

/// Removes the unfinished files of a folder that are older than a time.
pub fn remove_unfinished(folder: &Path, before: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_temp = name.to_str().is_some_and(is_temporary);
        let is_old = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| time < before);
        if is_temp && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Copies at most `most` bytes, and tells their digest.
fn copy(from: &mut dyn Read, to: &mut File, most: u64) -> io::Result<Kept> {
    let (mut pieces, mut size) = (Pieces::default(), 0_u64);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(Kept::Yes(pieces.finish(), size)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = buffer.get(..count).unwrap_or_default();
        size += count as u64;
        if size > most {
            return Ok(Kept::TooLarge(size));
        }
        pieces.add(piece);
        to.write_all(piece)?;
    }
}

/// The digest of a file of at most `most` bytes, from its start.
///
/// # Errors
/// If it cannot be read.
pub fn digest(file: &mut File, most: u64) -> io::Result<Option<(Digest, u64)>> {
    file.rewind()?;
    let (mut pieces, mut size) = (Pieces::default(), 0_u64);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Some((pieces.finish(), size))),
            Ok(count) => {
                size += count as u64;
                if size > most {
                    return Ok(None);
                }
                pieces.add(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A size for a person.
pub fn size_words(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1024)),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes.div_ceil(1 << 20)),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}
