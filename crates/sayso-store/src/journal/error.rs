//! Why something cannot be recorded, or read from the record.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::visible::visible;
use thiserror::Error as ThisError;

use super::line::{DEEPEST, MAX_FIELDS, VERSION};
use crate::folder::{Action, FolderError, shown};
use crate::key::KeyError;

/// Why an entry is not in the record, or none can be added.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum JournalError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the folder of the record is missing")]
    NoFolder,
    #[error("the record {} was removed or replaced while it was in use; start sayso again", shown(.0))]
    Replaced(PathBuf),
    #[error("could not look at the record: {0}")]
    LookAt(#[source] io::Error),
    #[error("could not write to the record {}: {source}", shown(.path))]
    Write { path: PathBuf, source: WriteError },
    #[error("could not {action} the torn end of the record `{file}`: {source}")]
    TornEnd {
        action: Action,
        file: String,
        source: io::Error,
    },
    #[error("there are too many torn files in the record")]
    TooManyTorn,
    #[error("the numbers of the record are used up")]
    NumbersUsedUp,
    #[error("another process repairs the record just now; try again")]
    BeingRepaired,
    /// `sayso doctor --repair` continues after it.
    #[error("the end of the record {} is damaged; run `sayso audit verify` to see where, and `sayso doctor --repair` to put it aside", shown(.0))]
    DamagedEnd(PathBuf),
    #[error(
        "the record `{file}` has entries of version {version}; this sayso writes version {VERSION}: use the newer one"
    )]
    Newer { file: String, version: u64 },
    #[error("`{}` cannot be the name of a field in the record", visible(.0))]
    FieldName(String),
    #[error("the field `{0}` is nested more than {DEEPEST} deep")]
    TooDeep(String),
    #[error("`{}` cannot be the kind of an entry", visible(.0))]
    Kind(String),
    #[error("an entry of {} KiB is too long for the record; at most {} KiB are kept", .bytes >> 10, MAX_FIELDS >> 10)]
    TooLong { bytes: usize },
}

/// Why the bytes of an entry did not get into the file.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum WriteError {
    #[error("only a part of the entry found room; free some")]
    Partial,
    #[error("the disk is full; free some room")]
    DiskFull,
    #[error("your quota on this disk is used up; free some room")]
    QuotaUsedUp,
    #[error("it would be larger than files may be here (`ulimit -f`)")]
    FileTooLarge,
    #[error("the disk is read-only")]
    ReadOnly,
    #[error(transparent)]
    Io(io::Error),
    /// The next writer puts it aside.
    #[error("{reason}; a part of an entry stands at its end ({source})")]
    PartStays {
        reason: Box<WriteError>,
        source: io::Error,
    },
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        match error.kind() {
            ErrorKind::StorageFull => WriteError::DiskFull,
            ErrorKind::QuotaExceeded => WriteError::QuotaUsedUp,
            ErrorKind::FileTooLarge => WriteError::FileTooLarge,
            ErrorKind::ReadOnlyFilesystem => WriteError::ReadOnly,
            _ => WriteError::Io(error),
        }
    }
}

/// Why a lock is not held.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum LockError {
    #[error("could not lock the record: {0}")]
    Io(#[source] io::Error),
    #[error(
        "another process has kept the record locked for {} s; look for a sayso process that hangs, and end it",
        .0.as_secs_f32()
    )]
    Patience(Duration),
}

/// Why an entry of the record cannot be read.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ReadError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("could not read the record `{file}`: {source}")]
    Io { file: String, source: io::Error },
    #[error("the record `{0}` was taken away while it was read")]
    TakenAway(String),
    #[error("the record `{0}` was taken away while it was followed; start again")]
    TakenAwayFollowed(String),
    #[error("the record `{0}` became shorter while it was followed; start again")]
    Shortened(String),
    #[error("`{file}`, {place}: this is no entry as it was written; run `sayso audit verify`")]
    NotAsWritten { file: String, place: Position },
    #[error("entry {number} is no JSON: {}", .cause.message)]
    NoJson { number: u64, cause: Diagnostic },
}

impl ReadError {
    pub(crate) fn io(file: &str, source: io::Error) -> ReadError {
        ReadError::Io {
            file: file.to_owned(),
            source,
        }
    }

    /// Whether the content differs from what was written; otherwise nothing is known about it.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, ReadError::NotAsWritten { .. })
    }

    pub(crate) fn not_as_written(file: &str, place: Position) -> ReadError {
        ReadError::NotAsWritten {
            file: file.to_owned(),
            place,
        }
    }
}

/// A place in a file of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// From 1.
    Line(u64),
    /// From 0.
    Byte(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(line) => write!(out, "line {line}"),
            Position::Byte(byte) => write!(out, "byte {byte}"),
        }
    }
}
