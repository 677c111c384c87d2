//! What is said of a path.

use std::fmt;

use crate::text::sentence;

/// A path as a person reads it: resolved, and as written where a link makes a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPath {
    /// With every link resolved.
    pub canonical: String,
    /// As written.
    pub written: Option<String>,
}

/// What is said of one path.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathCause {
    Outside,
    Protected(Guard),
    /// A word of a program whose effects are not all known names it.
    NamedProtected(Guard),
    Secret(&'static str),
    /// A word of a program whose effects are not all known names it.
    NamedSecret(&'static str),
    /// A write below it may reach files of sayso.
    OwnBelow,
    HardLink {
        names: u64,
    },
    Overwrite,
    Delete {
        recursive: bool,
        certain: bool,
    },
    /// A delete where nothing is.
    DeleteNothing,
}

/// Why a path is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// By what it is.
    BuiltIn(&'static str),
    /// By this entry of `protected_paths`.
    Listed(String),
}

/// What an effect takes away or destroys.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The root, a folder of the system, a home.
    TakesVital {
        path: String,
        certain: bool,
    },
    /// The workspace or its repository.
    TakesWork {
        path: String,
        certain: bool,
    },
    RawDevice {
        path: String,
    },
    Deletes {
        path: String,
        certain: bool,
    },
    /// A file through which others could take over the machine or the account.
    Takeover {
        path: String,
        delete: bool,
        why: &'static str,
    },
}

/// What is said of a named folder.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootCause {
    ReadOnly,
    HoldsOnly(Vec<String>),
    NeedsApproval,
    NeedsNoApproval,
}

/// What a search would show.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Secret { path: String, tracked: bool },
    Private { path: String },
    OddName { path: String },
    Incomplete { tracked: bool },
}

impl Damage {
    pub(super) fn deletes(&self) -> bool {
        matches!(
            self,
            Damage::Deletes { certain: true, .. } | Damage::Takeover { delete: true, .. }
        )
    }

    /// Without a subject: "deletes …".
    fn note(&self) -> String {
        match self {
            Damage::TakesVital {
                path,
                certain: true,
            } => format!("takes away `{path}` with everything below"),
            Damage::TakesVital { path, .. } => format!("may take away what lies below `{path}`"),
            Damage::TakesWork {
                path,
                certain: true,
            } => format!("takes away `{path}`, the work itself"),
            Damage::TakesWork { path, .. } => {
                format!("may delete what lies below `{path}`, the work itself")
            }
            Damage::RawDevice { path } => format!("writes to the raw device `{path}`"),
            Damage::Deletes {
                path,
                certain: true,
            } => format!("deletes `{path}` with everything below"),
            Damage::Deletes { path, .. } => format!("may delete what lies below `{path}`"),
            Damage::Takeover { path, delete, why } => {
                let verb = if *delete { "deletes" } else { "changes" };
                format!("{verb} `{path}`: {why}")
            }
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sentence::whole(&self.note()))
    }
}

impl fmt::Display for ShownPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)?;
        match &self.written {
            Some(written) => write!(f, " (written as {written})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guard::BuiltIn(why) => f.write_str(why),
            Guard::Listed(written) => write!(f, "`protected_paths` has `{written}`"),
        }
    }
}

impl PathCause {
    pub(super) fn write(&self, path: &ShownPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathCause::Outside => write!(f, "`{path}` is outside of the workspace"),
            PathCause::Protected(why) => write!(f, "`{path}` is protected: {why}"),
            PathCause::NamedProtected(why) => {
                write!(f, "its words name `{path}`, which is protected: {why}")
            }
            PathCause::Secret(why) => write!(f, "reading `{path}` shows secrets: {why}"),
            PathCause::NamedSecret(why) => {
                write!(f, "its words name `{path}`, which may hold secrets: {why}")
            }
            PathCause::OwnBelow => write!(f, "it may write over files of sayso below `{path}`"),
            PathCause::HardLink { names } => write!(
                f,
                "`{path}` has {names} names; a write changes the file under all of them"
            ),
            PathCause::Overwrite => write!(f, "it replaces `{path}`"),
            PathCause::Delete {
                recursive: true,
                certain: true,
            } => write!(f, "it deletes `{path}` with everything below"),
            PathCause::Delete {
                recursive: true, ..
            } => write!(f, "it may delete what lies below `{path}`"),
            PathCause::Delete { .. } => write!(f, "it deletes `{path}`"),
            PathCause::DeleteNothing => {
                write!(f, "it would delete `{path}`, where nothing is now")
            }
        }
    }
}

impl RootCause {
    pub(super) fn write(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path root `{name}` ")?;
        match self {
            RootCause::ReadOnly => f.write_str("is read-only"),
            RootCause::HoldsOnly(suffixes) => write!(f, "holds only {}", suffixes.join(", ")),
            RootCause::NeedsApproval => f.write_str("needs approval"),
            RootCause::NeedsNoApproval => f.write_str("needs no approval"),
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Secret {
                path,
                tracked: true,
            } => write!(
                f,
                "git tracks `{path}`, which may hold secrets, and may show what is in it"
            ),
            Found::Secret { path, .. } => {
                write!(f, "the search also reads `{path}`, which may hold secrets")
            }
            Found::Private { path } => write!(
                f,
                "the search also reads `{path}`, which git ignores, so it may be private"
            ),
            Found::OddName { path } => write!(
                f,
                "the name of `{path}` would not be handed on as one plain word, so it may become an option or another file"
            ),
            Found::Incomplete { tracked: true } => {
                f.write_str("what git tracks could not be found out, so it may show secrets")
            }
            Found::Incomplete { .. } => {
                f.write_str("there is too much below to find out whether the search reads secrets")
            }
        }
    }
}
