//! Compares the files of a call with what they were when a person was asked: a change in between is a new question.

use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::fact::{Fact, Question};
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::Prompt;
use sayso_core::text::digest::Digest;

use super::batch_context::Turn;
use super::gate::Gate;
use super::judge;
use super::lifecycle::End;
use crate::approved::Copies;
use crate::binding::{Binding, Extent, MOST_FILES, Seal, Sealed};
use crate::error::CallError;
use crate::scripts::find;
use crate::seal::{Covers, all, covers, fingerprint, own_programs, scripts};

/// So many patterns of names are looked up for one call.
const MOST_PATTERNS: usize = 2048;

/// What was so when a person was asked; if it is no longer so, the answer does not count. Only digests are kept while somebody is asked:
/// which files they are of follows from the operation and from what it would do.
#[derive(Debug)]
pub(crate) struct Shown {
    seal: Digest,
    /// What a kept answer would be bound to: one for the same words, one for a pattern.
    same: Option<Digest>,
    pattern: Option<Digest>,
    /// The bytes that the person saw.
    bytes: Vec<Sealed>,
    reading: Digest,
    /// It runs scripts, which may have come since it was judged.
    pub(super) has_scripts: bool,
}

impl Shown {
    /// What an answer for later is bound to: the files as they were shown, and not as they are when it is kept.
    pub(crate) fn kept(&self, key: &GrantKey) -> Option<Digest> {
        match covers(key) {
            Covers::SameWords => self.same,
            Covers::Pattern => self.pattern,
            Covers::Other => None,
        }
    }
}

impl Gate {
    /// Seals what an operation is about and makes the question. The reading itself is not kept while somebody is asked.
    pub(crate) fn show(
        &self,
        operation: &Arc<Operation>,
        reading: Reading,
        verdict: &Arc<Verdict>,
        turn: &mut Turn,
    ) -> Result<(Shown, Arc<Prompt>), Box<End>> {
        let blind = || Box::new(End::problem(CallError::Unsealable));
        let seal = self
            .look(&all(self.ports.world.as_ref(), operation, &reading))
            .ok_or_else(blind)?;
        let (same, pattern) = self.look_for_later(operation, &reading).ok_or_else(blind)?;
        // After the seal, so that none can be sealed that is not seen here.
        let has_scripts = operation.command().is_some()
            && !find(self.ports.world.as_ref(), operation, &reading)
                .scripts
                .is_empty();
        let (prompt, bytes) = self.question(operation, &reading, verdict, turn)?;
        Ok((
            Shown {
                seal,
                same,
                pattern,
                bytes,
                reading: fingerprint(reading),
                has_scripts,
            },
            prompt,
        ))
    }

    /// The seal of what was shown, if the operation would still do that, and to the same files.
    pub(crate) fn unchanged(&self, operation: &Operation, shown: &Shown) -> Option<Seal> {
        let now = judge::read(self.ports.world.as_ref(), operation);
        let seal = Seal {
            reading: Some(shown.reading),
            ..Seal::again(
                self.ports.world.as_ref(),
                Extent::All,
                shown.seal,
                operation,
                &now,
            )
        };
        let later = self.look_for_later(operation, &now)?;
        let same = later == (shown.same, shown.pattern)
            && self.holds(&seal)
            && self.were_shown(&shown.bytes);
        (same && fingerprint(now) == shown.reading).then_some(seal)
    }

    /// What kept answers would be bound to, for the same words and for a pattern. None if it could not look.
    fn look_for_later(
        &self,
        operation: &Operation,
        reading: &Reading,
    ) -> Option<(Option<Digest>, Option<Digest>)> {
        let look = |binding: Binding| {
            if binding.is_empty() {
                Some(None)
            } else {
                self.look(&binding).map(Some)
            }
        };
        Some((
            look(scripts(self.ports.world.as_ref(), operation, reading))?,
            look(own_programs(operation, reading))?,
        ))
    }

    /// Whether the bytes that a person saw are those of the files.
    pub(crate) fn were_shown(&self, bytes: &[Sealed]) -> bool {
        bytes.is_empty() || self.ports.world.seal(bytes).is_some()
    }

    /// Looks at the files. None if it could not look, which is a denial.
    pub(crate) fn seal(&self, binding: Binding) -> Option<Seal> {
        let digest = self.look(&binding)?;
        Some(Seal {
            binding,
            extent: Extent::All,
            digest,
            reading: None,
        })
    }

    /// Whether everything is what it was.
    pub(crate) fn holds(&self, seal: &Seal) -> bool {
        self.look(&seal.binding) == Some(seal.digest)
    }

    /// The same, with the bytes of scripts by which it was found out.
    pub(crate) fn holds_keeping(&self, seal: &Seal) -> Option<Copies> {
        let (digest, copies) = self.ports.world.seal_keeping(&self.files(&seal.binding)?)?;
        (digest == seal.digest).then_some(copies)
    }

    fn look(&self, binding: &Binding) -> Option<Digest> {
        self.ports.world.seal(&self.files(binding)?)
    }

    /// All files of a binding. None if they are too many, or could not be found out.
    fn files(&self, binding: &Binding) -> Option<Vec<Sealed>> {
        if binding.too_many
            || binding.files.len() > MOST_FILES
            || binding.patterns.len() > MOST_PATTERNS
        {
            return None;
        }
        let mut files: Vec<Sealed> = binding.files.iter().cloned().collect();
        if !binding.patterns.is_empty() {
            // Looked up each time: a file that is new may be the first one.
            let ask = |pattern: &String| Question::Names {
                pattern: pattern.clone(),
                parted: false,
            };
            let questions: Vec<Question> = binding.patterns.iter().map(ask).collect();
            for fact in self
                .ports
                .world
                .answer(&binding.cwd, &binding.workspace, &questions)
                .answers
            {
                let Some(Fact::Names(names)) = fact else {
                    return None;
                };
                files.extend(
                    names
                        .files
                        .into_iter()
                        .map(|(_, fact)| Sealed::Content(fact.canonical)),
                );
            }
        }
        Some(files)
    }

    /// The seal that a grant was given with, if the files are still like that: it stays with the call until it runs.
    pub(crate) fn granted_seal(
        &self,
        grant: &Grant,
        operation: &Operation,
        reading: &Reading,
    ) -> Result<Option<Seal>, Stale> {
        let Some(digest) = grant.seal else {
            return Ok(None);
        };
        // One of a batch is for exactly what was shown in it; a longer one only for the scripts.
        let extent = match grant.reach {
            Reach::Batch(_) => Extent::All,
            _ => match covers(&grant.key) {
                Covers::SameWords => Extent::Scripts,
                Covers::Pattern => Extent::OwnPrograms,
                Covers::Other => Extent::Nothing,
            },
        };
        let seal = Seal::again(
            self.ports.world.as_ref(),
            extent,
            digest,
            operation,
            reading,
        );
        if self.holds(&seal) {
            Ok(Some(seal))
        } else {
            Err(Stale)
        }
    }
}

/// A grant was given for scripts that are no longer what they were.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stale;
