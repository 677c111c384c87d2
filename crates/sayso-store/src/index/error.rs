//! Why the index cannot be used.

use std::io;

use rusqlite::ErrorCode;
use sayso_core::text::diagnostic::Diagnostic;
use thiserror::Error as ThisError;

use crate::folder::{Action, FolderError};
use crate::journal::ReadError;
use crate::rules_and_grants::change::ChangeError;

/// Why the index cannot be used as it is.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum IndexError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error("the index of the record is damaged: {0}; run `sayso audit index`")]
    Damaged(Damage),
    #[error("the index was made from another record; run `sayso audit index`")]
    OtherJournal,
    #[error(
        "the index of the record is of version {version}, and this sayso knows {newest}: a newer one made it; use that one"
    )]
    Newer { version: usize, newest: usize },
    #[error("could not {action} the index of the record: {source}")]
    Lock { action: Action, source: io::Error },
    #[error("another process of sayso uses the index for very long; end it, or try again")]
    InUse,
    #[error("another process of sayso writes the index for very long; try again")]
    Busy,
    #[error("the disk is full, so the index of the record cannot be written")]
    DiskFull,
    #[error("the index of the record cannot be written: the folder is read-only")]
    ReadOnly,
    #[error("the index of the record cannot be used: {0}; run `sayso audit index`")]
    Sqlite(#[source] rusqlite::Error),
}

/// What is wrong with a damaged index.
#[derive(Debug, PartialEq, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum Damage {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// What SQLite's own check says.
    #[error("{finding}")]
    Check { finding: String },
    #[error("what is remembered cannot be read: {}", .0.message)]
    Standing(Diagnostic),
    #[error("it knows entries that the record does not have")]
    AheadOfRecord,
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> IndexError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                IndexError::Damaged(Damage::Sqlite(error))
            }
            Some(ErrorCode::DatabaseBusy) => IndexError::Busy,
            Some(ErrorCode::DiskFull) => IndexError::DiskFull,
            Some(ErrorCode::ReadOnly) => IndexError::ReadOnly,
            _ => IndexError::Sqlite(error),
        }
    }
}
