//! What of a workspace is kept before a command: what git and the sandbox say of a path, and how much there may be.

use std::fmt;
use std::path::{Path, PathBuf};

/// What git says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Git {
    /// It is ignored and not tracked.
    Ignores,
    /// It is not ignored, or that is not known.
    Keeps,
    /// It is in no repository.
    NoRepository,
}

/// What is looked at; the paths are absolute.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// What git says of it; the second value says whether it is a folder.
    pub git: &'a dyn Fn(&Path, bool) -> Git,
    /// What commands do not see, so that they cannot change it.
    pub hidden: &'a [PathBuf],
}

impl Rules<'_> {
    /// Nothing is ignored or hidden.
    pub const NONE: Rules<'static> = Rules {
        git: &|_, _| Git::Keeps,
        hidden: &[],
    };
}

impl fmt::Debug for Rules<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Rules")
    }
}

/// How much of a workspace is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepLimits {
    /// Files, links and folders together.
    pub names: usize,
    /// All files together, in bytes.
    pub bytes: u64,
}

impl Default for KeepLimits {
    fn default() -> Self {
        KeepLimits {
            names: 250_000,
            bytes: 512 << 20,
        }
    }
}
