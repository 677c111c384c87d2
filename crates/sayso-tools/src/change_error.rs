//! What goes wrong with a change while it is looked at, made, written down or taken back.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use sayso_core::text::visible::visible;
use thiserror::Error;

use crate::backups::{BackupError, size_words};
use crate::open_nofollow::{PathError, reason, shown};
use crate::path_state::State;
use crate::private_folder::FolderError;

/// Why a change was not made.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ChangeError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the change could not be written down: {0}")]
    NotWritten(io::Error),
    #[error("`{}` could not be closed: {}", shown(.path), visible(&.source.to_string()))]
    NotClosed { path: PathBuf, source: io::Error },
    #[error("there are more than {most} files and folders in it, which is too much for this tool")]
    TooMany { most: usize },
    #[error("`{}` is more than {most} folders deep", shown(.path))]
    TooDeep { path: PathBuf, most: usize },
    #[error("`{}` cannot be read: {source}", shown(.path))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("a name is missing")]
    NoName,
    #[error("{0}")]
    Io(io::Error),
    #[error("`{}`: {source}", shown(.path))]
    NoHandle { path: PathBuf, source: io::Error },
    #[error("nothing can be written in `{}`: {}", shown(.folder), reason(*.error))]
    Unwritable { folder: PathBuf, error: Errno },
    #[error("its backup is damaged")]
    BackupDamaged,
    #[error("the file changed while it was copied")]
    CopyChanged,
    #[error("`{}` would be {what}, which cannot be made", shown(.path))]
    Unmakeable { path: PathBuf, what: &'static str },
    #[error("no backup was made of it")]
    NoBackup,
    #[error("it cannot be read: {0}")]
    SourceUnreadable(io::Error),
    #[error("the folder of `{}` was moved away meanwhile", shown(.0))]
    FolderMoved(PathBuf),
    #[error(
        "{}: it was changed by somebody else meanwhile",
        .before.difference(.now, .path).unwrap_or_default()
    )]
    Changed {
        path: PathBuf,
        before: Box<State>,
        now: Box<State>,
    },
    #[error("`{}` is gone: it was changed by somebody else meanwhile", shown(.0))]
    Gone(PathBuf),
    #[error(
        "`{}` was changed by somebody else meanwhile; that version lies in `{}`: {}",
        shown(.path), shown(.lies), reason(*.error)
    )]
    NotSwapped {
        path: PathBuf,
        lies: PathBuf,
        error: Errno,
    },
    #[error("{why}; it lies in `{}` now", shown(.lies))]
    Misplaced {
        why: Box<ChangeError>,
        lies: PathBuf,
    },
    #[error("`{}` is there already", shown(.0))]
    Taken(PathBuf),
    #[error(
        "`{}` and `{}` are on different disks; copy it, then delete the old one",
        shown(.from), shown(.to)
    )]
    OtherDisk { from: PathBuf, to: PathBuf },
    #[error("`{}` is left over: {error}", shown(.path))]
    LeftOver { path: PathBuf, error: Errno },
    #[error("{why}; and a part of it could not be taken back: {stuck}")]
    Stuck {
        why: Box<ChangeError>,
        stuck: Box<ChangeError>,
    },
    #[error(
        "the command `{id}` was cut off, and what it did cannot be told: the listing from before it is gone"
    )]
    ListingGone { id: String },
    #[error("the command `{id}` was cut off, and what it did cannot be told now: {why}")]
    CutOff { id: String, why: Box<ChangeError> },
    #[error(transparent)]
    NotKept(#[from] NotKept),
}

/// Why a workspace is not kept. What would have run contained has to be asked about.
#[derive(Debug, Error)]
pub enum NotKept {
    /// There is too much in it.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    /// Something in it cannot be kept, or nothing can be kept now.
    #[error(transparent)]
    Cannot(#[from] CannotKeep),
}

/// What there is too much of.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TooMuch {
    #[error("`{}` is more than {most} folders deep", shown(.path))]
    Deep { path: PathBuf, most: usize },
    #[error("there are more than {most} files and folders that are to be kept")]
    Names { most: usize },
    #[error(
        "`{}` ({}) is too large for a backup ({} at most)",
        shown(.path), size_words(*.size), size_words(*.most)
    )]
    File { path: PathBuf, size: u64, most: u64 },
    #[error(
        "what is to be kept is {}, which is too much for a backup ({} at most)",
        size_words(*.total), size_words(*.most)
    )]
    Bytes { total: u64, most: u64 },
    #[error("more than {most} files and folders that git ignores are too large for a backup")]
    ReadOnly { most: usize },
    #[error("there is no room for {} more in the backups ({} in all)", size_words(*.needed), size_words(*.all))]
    NoRoom { needed: u64, all: u64 },
    #[error("the listing of the workspace is too large for a backup")]
    Listing,
}

/// Why something in a workspace cannot be kept.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CannotKeep {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Change(#[from] Box<ChangeError>),
    #[error("the folder in which sayso keeps backups lies in the workspace")]
    BackupsInside,
    #[error("`{}` is on another disk, which is not kept", shown(.0))]
    OtherDisk(PathBuf),
    #[error("`{}` has another name outside of what is kept, and a change of it would be seen there", shown(.0))]
    OtherName(PathBuf),
    #[error("`{}` is being written to", shown(.0))]
    Busy(PathBuf),
    #[error("`{}` cannot be read: {source}", shown(.path))]
    Unreadable { path: PathBuf, source: io::Error },
}

impl From<PathError> for NotKept {
    fn from(error: PathError) -> NotKept {
        NotKept::Cannot(error.into())
    }
}

impl From<BackupError> for NotKept {
    fn from(error: BackupError) -> NotKept {
        NotKept::Cannot(error.into())
    }
}

impl From<ChangeError> for NotKept {
    fn from(error: ChangeError) -> NotKept {
        NotKept::Cannot(Box::new(error).into())
    }
}
