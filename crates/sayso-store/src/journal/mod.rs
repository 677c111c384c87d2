//! The journal: every entry is a line that carries the digest of the line before, and is added under a lock with one write.
//!
//! - `line.rs` has the form of a line. Verifying needs no JSON: a plain hash over the stored bytes.
//! - A segment that has 16 MiB is closed, and a new file goes on: the `prev` of its first line is the digest of the last line before.
//! - An entry is acknowledged after its write: from then on it is there, whenever and however the process ends. With [`Sync::Disk`] it is
//!   also there after a loss of power.
//! - Whoever is killed while writing leaves a torn line. It is no part of the chain, and the next writer puts it aside (`torn`).
//! - A write that fails (full disk, limit on the size of files) is cut off again, and the caller is told. A call without its entry does not run.
//! - Numbers always grow by one. The time is what the clock says; where it is before the time of the line before, `back` says by how much.
//!
//! What it proves: a line cannot be changed, taken out, put in or moved without the chain showing it. What it does not: whoever may write
//! the folder can cut off the end, or write the whole chain anew. Both show against a head that was kept elsewhere
//! ([`verify`](crate::verify)).

mod error;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod lock;
pub(crate) mod segments;
pub(crate) mod tail;
mod torn_tail;

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;

use crate::folder::Folder;
use crate::key::Key;
pub use error::{JournalError, LockError, Position, ReadError, WriteError};
use line::Place;
use tail::Tail;

/// A segment of this length is closed.
const SEGMENT: u64 = 16 << 20;
/// How long an append waits for other processes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// When an entry counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// The system has it: it is there when the process is killed, but a loss of power may take it.
    System,
    /// The disk has it.
    Disk,
}

/// An entry that is in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Its number, from 1.
    pub number: u64,
    /// The digest of its line; the next one carries it.
    pub digest: Digest,
}

/// The journal, open for adding entries. Many threads may use one, and many processes may have one of the same folder.
pub struct Journal {
    state: Folder,
    folder: Folder,
    lock: File,
    segment: u64,
    patience: Duration,
    /// The segment that was written last, with its end as it was left.
    current: Mutex<Option<Current>>,
    key: OnceLock<Key>,
}

/// What an entry behind a damaged end follows.
pub(crate) struct Behind {
    /// The segment that it begins.
    pub segment: u64,
    /// The number before its own.
    pub number: u64,
    /// The digest of the last whole entry.
    pub digest: Digest,
    /// When that was written.
    pub at: i64,
    /// What the entry says.
    pub fields: Vec<(&'static str, Node)>,
}

struct Current {
    file: Arc<File>,
    /// As it was when it was opened: which file it is.
    opened: Stat,
    tail: Tail,
}

impl fmt::Debug for Journal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Journal")
            .field("folder", &self.folder.path())
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// Opens the journal in this state folder, and makes both if they are missing.
    ///
    /// # Errors
    /// When the folder cannot be made, opened or relied on.
    pub fn open(state: &Path) -> Result<Journal, JournalError> {
        Journal::open_in(Folder::open(state)?)
    }

    /// The same in a state folder that is open already.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_in(state: Folder) -> Result<Journal, JournalError> {
        let folder = state
            .inner(segments::JOURNAL, true)?
            .ok_or(JournalError::NoFolder)?;
        let lock = folder.append(segments::LOCK)?;
        Ok(Journal {
            state,
            folder,
            lock,
            segment: SEGMENT,
            patience: PATIENCE,
            current: Mutex::new(None),
            key: OnceLock::new(),
        })
    }

    /// With segments of another length; for tests.
    #[must_use]
    pub fn with_segments_of(self, bytes: u64) -> Journal {
        Journal {
            segment: bytes,
            ..self
        }
    }

    /// Waiting no longer than this for other processes.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Journal {
        Journal { patience, ..self }
    }

    /// Adds an entry at the time of the clock.
    ///
    /// `kind` and the names of fields are small letters, digits and `_`; the names that the line itself uses are taken.
    ///
    /// # Errors
    /// When the entry is not in the record, or not on the disk with [`Sync::Disk`]; says why.
    pub fn append(
        &self,
        kind: &str,
        fields: Vec<(&str, Node)>,
        sync: Sync,
    ) -> Result<Appended, JournalError> {
        self.add(kind, &fields, None, sync)
    }

    /// Adds an entry at a time of the caller, in milliseconds since 1970.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn append_at(
        &self,
        at: i64,
        kind: &str,
        fields: Vec<(&str, Node)>,
        sync: Sync,
    ) -> Result<Appended, JournalError> {
        self.add(kind, &fields, Some(at), sync)
    }

    /// The state folder.
    pub fn state(&self) -> &Path {
        self.state.path()
    }

    /// The key of the digests of arguments.
    ///
    /// # Errors
    /// When it cannot be read or made.
    pub fn key(&self) -> Result<&Key, JournalError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let key = match Key::read(&self.state)? {
            Some(key) => key,
            None => {
                let _guard = self.current.lock().unwrap_or_else(PoisonError::into_inner);
                let _held = self.hold()?;
                Key::read_or_make(&self.state)?
            }
        };
        Ok(self.key.get_or_init(|| key))
    }

    fn add(
        &self,
        kind: &str,
        fields: &[(&str, Node)],
        at: Option<i64>,
        sync: Sync,
    ) -> Result<Appended, JournalError> {
        let fields = line::fields(fields)?;
        line::check(kind, &fields)?;
        // A lock belongs to the open file, which all threads share: they wait for each other here.
        let mut slot = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let held = self.hold()?;
        let mut current = match slot.take() {
            Some(current) if self.is_still_last(&current)? => current,
            _ => self.open_last()?,
        };
        let mut text = String::with_capacity(fields.len() + 512);
        // Read under the lock: the times of processes that wait for each other are in order.
        let at = at.unwrap_or_else(now).max(-i64::MAX);
        let found = file_length(&current.file)?;
        let mut tail = current.tail;
        if let Some(torn) = found.checked_sub(tail.length).filter(|torn| *torn > 0) {
            let note = torn_tail::set_aside(&self.folder, &current.file, &tail, torn)?;
            push(
                &mut text,
                &mut tail,
                at,
                torn_tail::KIND,
                &line::fields(&note)?,
            )?;
        }
        if tail.length >= self.segment {
            current = self.begin(tail.segment + 1, &tail)?;
            tail = Tail {
                segment: current.tail.segment,
                length: 0,
                ..tail
            };
        }
        push(&mut text, &mut tail, at, kind, &fields)?;
        write(&current.file, &text, current.tail.length)
            .map_err(|source| self.could_not_write(tail.segment, source))?;
        tail.length = current.tail.length + text.len() as u64;
        current.tail = tail;
        let file = Arc::clone(&current.file);
        *slot = Some(current);
        // The disk is slow: others go on meanwhile. What they add behind this entry does no harm to it.
        drop(held);
        drop(slot);
        if sync == Sync::Disk {
            file.sync_data()
                .map_err(|error| self.could_not_write(tail.segment, WriteError::Io(error)))?;
        }
        Ok(Appended {
            number: tail.number,
            digest: tail.digest,
        })
    }

    /// Whether an entry could follow what is there; adds none.
    ///
    /// # Errors
    /// When the end of the record is damaged, or a newer sayso wrote it.
    pub fn check_end(&self) -> Result<(), JournalError> {
        let _guard = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = self.hold()?;
        tail::find(&self.folder).map(drop)
    }

    /// The folder with the segments.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Goes on behind an end that is damaged, in a segment of its own: its first entry says what was lost. `look` finds out
    /// what is left; nothing happens where the end is whole.
    pub(crate) fn go_on(
        &self,
        kind: &str,
        look: impl FnOnce(&Folder) -> Result<Behind, ReadError>,
    ) -> Result<Option<Appended>, JournalError> {
        let mut slot = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = self.hold()?;
        match tail::find(&self.folder) {
            Ok(_) => return Ok(None),
            Err(JournalError::DamagedEnd(_)) => {}
            Err(error) => return Err(error),
        }
        let Behind {
            segment,
            number,
            digest,
            at,
            fields,
        } = look(&self.folder)?;
        let fields = line::fields(&fields)?;
        line::check(kind, &fields)?;
        *slot = None;
        let file = self
            .folder
            .create_new(&segments::name(segment))?
            .ok_or(JournalError::BeingRepaired)?;
        let mut tail = Tail {
            segment,
            length: 0,
            number,
            at,
            digest,
        };
        let mut text = String::new();
        push(&mut text, &mut tail, now(), kind, &fields)?;
        write(&file, &text, 0).map_err(|source| self.could_not_write(segment, source))?;
        file.sync_data()
            .map_err(|error| self.could_not_write(segment, WriteError::Io(error)))?;
        self.folder.sync()?;
        Ok(Some(Appended {
            number: tail.number,
            digest: tail.digest,
        }))
    }

    /// Takes the lock, and makes sure that it is the one that everybody takes.
    fn hold(&self) -> Result<lock::Held<'_>, JournalError> {
        let held = lock::hold(&self.lock, self.patience)?;
        let opened = stat(&self.lock)?;
        if self
            .folder
            .look(segments::LOCK)?
            .is_none_or(|there| !is_same(&there, &opened))
        {
            return Err(JournalError::Replaced(self.folder.path().to_owned()));
        }
        Ok(held)
    }

    /// Whether the segment is the last one still, and ends where it was left.
    fn is_still_last(&self, current: &Current) -> Result<bool, JournalError> {
        let Tail {
            segment, length, ..
        } = current.tail;
        let same = self
            .folder
            .look(&segments::name(segment))?
            .is_some_and(|there| {
                is_same(&there, &current.opened)
                    && u64::try_from(there.st_size).is_ok_and(|size| size == length)
            });
        Ok(same && self.folder.look(&segments::name(segment + 1))?.is_none())
    }

    /// Opens the last segment, or makes the first.
    fn open_last(&self) -> Result<Current, JournalError> {
        let tail = tail::find(&self.folder)?;
        let name = segments::name(tail.segment);
        if self.folder.look(&name)?.is_none() {
            return self.begin(tail.segment, &tail);
        }
        Current::new(self.folder.append(&name)?, tail)
    }

    /// Begins a segment, behind everything that was written before.
    fn begin(&self, segment: u64, before: &Tail) -> Result<Current, JournalError> {
        // Otherwise a loss of power could leave a later segment without the end of an earlier one.
        if before.segment != segment {
            self.folder
                .append(&segments::name(before.segment))?
                .sync_data()
                .map_err(|error| self.could_not_write(segment, WriteError::Io(error)))?;
        }
        let file = self.folder.append(&segments::name(segment))?;
        self.folder.sync()?;
        self.state.sync()?;
        Current::new(
            file,
            Tail {
                segment,
                length: 0,
                ..*before
            },
        )
    }

    fn could_not_write(&self, segment: u64, source: WriteError) -> JournalError {
        let path = self.folder.path().join(segments::name(segment));
        JournalError::Write { path, source }
    }
}

impl Current {
    fn new(file: File, tail: Tail) -> Result<Current, JournalError> {
        let opened = stat(&file)?;
        Ok(Current {
            file: Arc::new(file),
            opened,
            tail,
        })
    }
}

fn stat(file: &File) -> Result<Stat, JournalError> {
    rustix::fs::fstat(file).map_err(|error| JournalError::LookAt(error.into()))
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}

/// Adds a line behind the tail, and moves the tail's number, time and digest on; its length is for whoever writes.
fn push(
    text: &mut String,
    tail: &mut Tail,
    at: i64,
    kind: &str,
    fields: &str,
) -> Result<(), JournalError> {
    let back = (at < tail.at).then(|| tail.at.saturating_sub(at));
    let number = tail
        .number
        .checked_add(1)
        .ok_or(JournalError::NumbersUsedUp)?;
    let place = Place {
        number,
        at,
        prev: tail.digest,
        back,
    };
    tail.digest = line::push(text, &place, kind, fields);
    tail.number = number;
    tail.at = at;
    Ok(())
}

/// Writes with one call; what was written of a line that did not get through is cut off again.
fn write(mut file: &File, text: &str, length: u64) -> Result<(), WriteError> {
    let written = loop {
        match file.write(text.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    let reason = match written {
        Ok(written) if written == text.len() => return Ok(()),
        Ok(_) => WriteError::Partial,
        Err(error) => error.into(),
    };
    match file.set_len(length) {
        Ok(()) => Err(reason),
        Err(source) => Err(WriteError::PartStays {
            reason: Box::new(reason),
            source,
        }),
    }
}

fn file_length(file: &File) -> Result<u64, JournalError> {
    file.metadata()
        .map(|metadata| metadata.len())
        .map_err(JournalError::LookAt)
}

/// Milliseconds since 1970, also for a clock that stands before.
fn now() -> i64 {
    let milliseconds = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => milliseconds(since),
        Err(before) => -milliseconds(before.duration()),
    }
}
