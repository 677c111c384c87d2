//! Why an ordered shell rule does not apply, and what holds in its place.

use std::fmt;

use super::Cause;

/// A shell rule that matches a command and does not apply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overridden {
    /// The rule's pattern.
    pub pattern: String,
    /// Why it does not apply.
    pub unmet: Unmet,
    /// What the next rule or the default says.
    pub next: Option<Cause>,
}

/// Which condition of a shell rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmet {
    /// The command runs in another folder.
    OtherFolder,
    /// The rule does not write out a word.
    NotWritten {
        /// The word.
        word: String,
        /// What it does, with a verb.
        does: String,
    },
    /// A path is not in one of these named folders.
    NotInRoots(Vec<String>),
}

impl fmt::Display for Overridden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overridden {
            pattern,
            unmet,
            next,
        } = self;
        write!(
            f,
            "the shell rule `{pattern}` does not apply, since {unmet}"
        )?;
        match next {
            Some(next) => write!(f, "; {next}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmet::OtherFolder => f.write_str("the command runs in another folder"),
            Unmet::NotWritten { word, does } => {
                write!(f, "it does not write out `{word}`, which {does}")
            }
            Unmet::NotInRoots(roots) => {
                write!(f, "not all of its paths are in `{}`", roots.join("`, `"))
            }
        }
    }
}
