//! What the gate needs from outside, as four traits: the real thing and a test's stand-in are interchangeable.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::grant::Grant;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::decide::Uses;
use sayso_core::prompt::presentation::Undo;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::digest::Digest;

use crate::approved::Approved;
pub use crate::approved::Copies;
use crate::binding::Sealed;
use crate::entry::Entry;
use crate::error::{ContentError, StoreError};
pub use crate::run_result::Ran;

/// Something that comes later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers questions about the machine.
pub trait World {
    /// Answers all questions of one operation in one pass. What it cannot find out stays unanswered.
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts;

    /// The digest of what these files are now. None if it could not look, which is a denial.
    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        let _ = files;
        None
    }

    /// The same, with the bytes of scripts from the very look that gave the digest, where the world keeps any: what runs can be these.
    fn seal_keeping(&self, files: &[Sealed]) -> Option<(Digest, Copies)> {
        self.seal(files).map(|digest| (digest, Copies::new()))
    }

    /// The content of a file for a person to look at; none if nothing stands there. No more than `most` bytes are read.
    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        let _ = most;
        Err(ContentError::Unreadable {
            path: path.to_owned(),
        })
    }

    /// How much is below a folder. It stops at so many entries or after so long, and then says so; none if it could not look.
    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        let _ = (path, entries, time);
        None
    }

    /// What will come of a call at this door if it runs now. Only what will run the call, or prepares its undo, can say so.
    fn outlook(&self, operation: &Operation, verdict: &Verdict) -> Outlook {
        let _ = (operation, verdict);
        Outlook::default()
    }
}

/// What will come of a call if it runs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// Whether `sayso undo` could take it back.
    pub undo: Undo,
    /// Why it will fail, where that is known before.
    pub failure: Option<String>,
}

impl Default for Outlook {
    /// Where others run the call, sayso keeps nothing of what it changes.
    fn default() -> Self {
        Outlook {
            undo: Undo::Impossible("sayso does not run it and makes no backup".to_owned()),
            failure: None,
        }
    }
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its bytes, or the first of them.
    pub bytes: Vec<u8>,
    /// Its size.
    pub size: u64,
    /// Whether it can be executed, where that is known.
    pub executable: Option<bool>,
}

/// How much is below a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Everything that is no folder.
    pub files: u64,
    /// The size of the files.
    pub bytes: u64,
    /// All of it was counted; else there is at least so much.
    pub whole: bool,
}

/// Asks the person. Whatever goes wrong is one of the ways a prompt can end, and all but one of them are denials.
pub trait Ask: Send + Sync {
    /// Shows the prompt and waits for its end. Dropping the future takes the prompt back.
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended>;
}

/// Runs what was approved.
pub trait Run: Send + Sync {
    /// What it can do about sandboxes. The judge reads it: what needs a sandbox that this runner cannot give is denied.
    fn capabilities(&self) -> RunnerCapabilities<'_>;

    /// Runs exactly this operation, once: the value is used up.
    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran>;
}

/// Counts of uses that many threads may look at.
pub trait Spent: Uses + Send + Sync {}

impl<T: Uses + Send + Sync> Spent for T {}

/// Keeps grants and the record.
pub trait Store: Send + Sync {
    /// Everything that was answered before and may still hold.
    fn grants(&self) -> Arc<Vec<Grant>>;

    /// Keeps an answer.
    fn remember(&self, grant: Grant) -> Result<(), StoreError>;

    /// Uses a grant. False if it is gone or used up by now: of several calls at once, each use is for one.
    fn take(&self, grant: &str) -> bool;

    /// How often the rules were used that may only be used so often; where nobody knows, such a rule allows nothing.
    fn spent(&self) -> Option<Arc<dyn Spent>> {
        None
    }

    /// Uses a rule that may only be used `most` times. False if it is used up by now.
    fn spend(&self, rule: &str, most: u64) -> bool {
        let _ = (rule, most);
        false
    }

    /// How far an answer can be kept here; wider ones are not offered.
    fn widest(&self) -> Scope {
        Scope::Always
    }

    /// Writes an entry of the record. What cannot be recorded does not run.
    fn append(&self, entry: &Entry) -> Result<(), StoreError>;
}
