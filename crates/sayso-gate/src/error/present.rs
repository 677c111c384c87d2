//! Why a call cannot be shown to a person.

use sayso_core::analysis::fact::PathKind;
use sayso_core::text::visible::visible;
use thiserror::Error;

use super::ContentError;

/// Why a call cannot be shown. It is a denial then.
#[derive(Clone, Debug, Error)]
#[allow(missing_docs, reason = "the names and messages say it")]
pub enum PresentError {
    #[error("it has {count} lines, which is more than anybody can look at")]
    TooManyLines { count: usize },
    #[error("its change has {count} lines, which is more than anybody can look at")]
    TooManyChangedLines { count: usize },
    #[error("the file that it would change could not be looked at")]
    NotLookedAt,
    #[error("`{}` is {}", visible(.path), what_it_is(*.kind))]
    NotAFile { path: String, kind: PathKind },
    #[error("`{}`: {source}", visible(.path))]
    Unreadable { path: String, source: ContentError },
    #[error("`{}`: it was there, and is gone now", visible(.path))]
    Gone { path: String },
    #[error("`{}`: it was not read whole", visible(.path))]
    ReadInPart { path: String },
    /// It panicked, with these words.
    #[error("{0}")]
    Panicked(String),
}

fn what_it_is(kind: PathKind) -> &'static str {
    match kind {
        PathKind::Folder => "a folder, not a file",
        PathKind::Link => "a link that leads nowhere",
        _ => "a device or a pipe, not a file",
    }
}
