//! What goes wrong in a file tool, in the words for the agent. Paths are as the call wrote them, fit to be shown.

use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use sayso_core::call::edit::EditError;
use sayso_core::paths::BracesError;
use sayso_core::text::visible::visible;
use thiserror::Error;

use crate::backups::{BackupError, size_words};
use crate::change_error::ChangeError;
use crate::open_nofollow::{PathError, reason, shown};

/// Why a file tool did not do what it was called for.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FileToolError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error("{}", reason(*.0))]
    System(Errno),
    #[error("it was not judged where `{}` leads; write the path plainly", visible(.written))]
    NotJudged { written: String },
    #[error("`{0}` is not a whole number")]
    NotWhole(&'static str),
    #[error("`{0}` is neither true nor false")]
    NotBool(&'static str),
    #[error("`{0}` is not text")]
    NotText(&'static str),
    #[error("the last line ({last}) is before the first ({first})")]
    LinesReversed { first: usize, last: usize },
    #[error("`output_mode` is none of `content`, `files_with_matches` and `count`")]
    OutputMode,
    #[error("the type `{}` is not known here; say `include` with a pattern of names", visible(.word))]
    UnknownType { word: String },
    #[error("the pattern is no regular expression: {0}")]
    Expression(regex::Error),
    #[error("the pattern cannot be read")]
    Pattern,
    /// It has braces that cannot be spelled out.
    #[error("{0}")]
    Braces(#[from] BracesError),
    #[error("the pattern climbs out of the folder it names")]
    ClimbsOut,
    #[error("`{0}` does not exist")]
    Missing(String),
    #[error("`{path}` cannot be read: {source}")]
    Unreadable { path: String, source: io::Error },
    #[error("`{0}` cannot be read: permission denied")]
    Unlistable(String),
    #[error("`{0}` is a file, not a folder")]
    FileNotFolder(String),
    #[error("`{0}` is a folder, not a file; remove it with `file_rmdir`")]
    DeletesFolder(String),
    #[error("`{0}` is a link, not a folder; remove it with `file_delete`")]
    RemovesLink(String),
    #[error("`{0}` is not a folder; remove it with `file_delete`")]
    RemovesFile(String),
    #[error("`{path}` is not empty ({count} in it); say `recursive: true` to remove all of it")]
    NotEmpty { path: String, count: usize },
    #[error("`{0}` is a pipe, a socket or a device, not a file")]
    Special(String),
    #[error("`{}` is a pipe, a socket or a device, which cannot be copied", shown(.0))]
    SpecialCopied(PathBuf),
    #[error("`{}` is a pipe, a socket or a device, which cannot be kept", shown(.0))]
    SpecialRemoved(PathBuf),
    #[error("`{0}` was changed by somebody else meanwhile")]
    Changed(String),
    #[error("`{0}` is no file any more")]
    NoFileNow(String),
    #[error("`{}` grew while it was read", shown(.0))]
    Grew(PathBuf),
    #[error("`{0}` is there already")]
    Taken(String),
    #[error("`{path}` is there already ({what}); name a path where nothing is")]
    TakenBy { path: String, what: &'static str },
    #[error(
        "`{0}` is there already; change it with `file_edit`, or replace it with `file_create_overwrite`"
    )]
    CreatesOver(String),
    #[error("`{0}` is there already, and is not a folder")]
    TakenByFile(String),
    #[error("`{from}` cannot go into itself (`{to}`)")]
    IntoItself { from: String, to: String },
    #[error("the folder `{}` does not exist; make it with `file_mkdir` first", shown(.0))]
    NoFolder(PathBuf),
    #[error("the folder `{}` does not exist, and `parents` is false", shown(.0))]
    NoParent(PathBuf),
    #[error("`{path}` is too large to be changed here ({})", size_words(*.size))]
    TooLarge { path: String, size: u64 },
    #[error("`{0}` is too large to be changed here")]
    FarTooLarge(String),
    #[error("`{0}` is no text file: it holds NUL characters")]
    HoldsNul(String),
    #[error("`{0}` is no text file: it is not UTF-8")]
    NotUtf8(String),
    #[error("`{path}`: {why}")]
    Edit { path: String, why: EditError },
    #[error("`{0}` is no file tool")]
    NoFileTool(&'static str),
}
