//! What an answer is bound to besides the words of the call: files as they were when they were shown. These are the values only:
//! which files they are is found in [`seal`](crate::seal), and the pipeline compares them.

use std::collections::BTreeSet;

use sayso_core::call::operation::Operation;
use sayso_core::text::digest::Digest;

/// A call that may be about more files than these is too long to be bound to them, and so is not asked about.
pub(crate) const MOST_FILES: usize = 65_536;

/// A file that an answer is bound to. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sealed {
    /// What is in it: a script that runs, or a file whose change was shown.
    Content(String),
    /// Which file it is, and whether it was touched: a link, a program.
    Identity(String),
    /// Which file it is, whatever is written to it meanwhile: a file that is only looked at.
    Which(String),
    /// That its bytes have this digest, since these were shown. If they do not, there is no seal.
    Bytes(String, Digest),
}

/// All that an answer is bound to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding {
    pub(crate) files: BTreeSet<Sealed>,
    /// Absolute patterns of names: what they stand for is bound by content.
    pub(crate) patterns: BTreeSet<String>,
    pub(crate) too_many: bool,
    pub(crate) cwd: String,
    pub(crate) workspace: String,
}

/// What all of that was at one time.
#[derive(Debug)]
pub(crate) struct Seal {
    pub(crate) binding: Binding,
    /// Which files of an operation these are.
    pub(crate) extent: Extent,
    pub(crate) digest: Digest,
    /// What the operation would do, where a person was shown that.
    pub(crate) reading: Option<Digest>,
}

/// Which files of an operation an answer is bound to: they follow from it and from what it would do, so that a digest is all to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All that it is about.
    All,
    /// Those that decide what it runs.
    Scripts,
    /// The programs that it names by a path.
    OwnPrograms,
    /// None.
    Nothing,
}

impl Binding {
    pub(crate) fn at(operation: &Operation) -> Self {
        Binding {
            cwd: operation.cwd(),
            workspace: operation.workspace().to_owned(),
            ..Binding::default()
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.patterns.is_empty() && !self.too_many
    }

    pub(crate) fn add(&mut self, file: Sealed) {
        self.files.insert(file);
    }

    pub(crate) fn add_pattern(&mut self, pattern: String) {
        self.patterns.insert(pattern);
    }

    /// It is about more than can be looked at.
    pub(crate) fn give_up(&mut self) {
        self.too_many = true;
    }
}
