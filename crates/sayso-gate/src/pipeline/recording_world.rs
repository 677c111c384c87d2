//! A world that notes which bytes of which files were looked at, so that what a person saw can be held against what is sealed.

use std::cell::RefCell;
use std::time::Duration;

use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::text::digest::Digest;

use crate::binding::Sealed;
use crate::error::ContentError;
use crate::ports::{Content, Outlook, Tally, World};

/// Another world, with notes.
pub(crate) struct Noting<'a> {
    world: &'a dyn World,
    seen: RefCell<Vec<Sealed>>,
}

impl<'a> Noting<'a> {
    pub(crate) fn new(world: &'a dyn World) -> Self {
        Noting {
            world,
            seen: RefCell::default(),
        }
    }

    /// The files that were read whole, each with the digest of its bytes.
    pub(crate) fn bytes(self) -> Vec<Sealed> {
        self.seen.into_inner()
    }
}

impl World for Noting<'_> {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        self.world.answer(cwd, workspace, questions)
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        self.world.seal(files)
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        let found = self.world.content(path, most)?;
        // Of a file that was not read whole, no more is shown than its size and what kind of file it is.
        if let Some(content) = found
            .as_ref()
            .filter(|content| content.bytes.len() as u64 == content.size)
        {
            self.seen.borrow_mut().push(Sealed::Bytes(
                path.to_owned(),
                Digest::of_bytes(&content.bytes),
            ));
        }
        Ok(found)
    }

    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        self.world.tally(path, entries, time)
    }

    fn outlook(&self, operation: &Operation, verdict: &Verdict) -> Outlook {
        self.world.outlook(operation, verdict)
    }
}
