//! What an answer is bound to besides the words of the call: the files that it reads, writes, deletes or runs, as they were when it was shown.
//!
//! A call that was approved while a script or a target was another one is a new question (bypasses W13, D02).

use std::collections::BTreeSet;
use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::{Effect, EffectKind, Place, Target};
use sayso_core::analysis::fact::{Fact, PathKind, Question};
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::Prompt;
use sayso_core::text::digest::Digest;

use crate::closing::End;
use crate::gate::Gate;
use crate::ports::{Copies, World};
use crate::scripts::find;
use crate::turn::Turn;
use crate::{pipeline, seal_builds, seal_names};

/// A call that may be about more files than these is too long to be bound to them, and so is not asked about.
pub(crate) const MOST_FILES: usize = 65_536;
/// So many patterns of names are looked up for one call.
const MOST_PATTERNS: usize = 2048;

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
    files: BTreeSet<Sealed>,
    /// Absolute patterns of names: what they stand for is bound by content.
    patterns: BTreeSet<String>,
    too_many: bool,
    cwd: String,
    workspace: String,
}

/// What all of that was at one time.
#[derive(Debug)]
pub(crate) struct Seal {
    binding: Binding,
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

impl Extent {
    fn binding(self, world: &dyn World, operation: &Operation, reading: &Reading) -> Binding {
        match self {
            Extent::All => all(world, operation, reading),
            Extent::Scripts => scripts(world, operation, reading),
            Extent::OwnPrograms => own_programs(operation, reading),
            Extent::Nothing => Binding::default(),
        }
    }
}

impl Seal {
    /// What was kept of a seal, for the operation as it is now: it holds if nothing of it has changed.
    pub(crate) fn again(
        world: &dyn World,
        extent: Extent,
        digest: Digest,
        operation: &Operation,
        reading: &Reading,
    ) -> Seal {
        Seal {
            binding: extent.binding(world, operation, reading),
            extent,
            digest,
            reading: None,
        }
    }
}

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
        let blind = || {
            Box::new(End::trouble(
                "what it is about could not be looked at, or is too much to be bound to",
            ))
        };
        let seal = self
            .look(&all(self.ports.world.as_ref(), operation, &reading))
            .ok_or_else(blind)?;
        let (same, pattern) = self.look_for_later(operation, &reading).ok_or_else(blind)?;
        let (prompt, bytes) = self.question(operation, &reading, verdict, turn)?;
        Ok((
            Shown {
                seal,
                same,
                pattern,
                bytes,
                reading: fingerprint(reading),
            },
            prompt,
        ))
    }

    /// The seal of what was shown, if the operation would still do that, and to the same files.
    pub(crate) fn unchanged(&self, operation: &Operation, shown: &Shown) -> Option<Seal> {
        let now = pipeline::read(self.ports.world.as_ref(), operation);
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

impl Binding {
    fn at(operation: &Operation) -> Self {
        Binding {
            cwd: operation.cwd(),
            workspace: operation.workspace().to_owned(),
            ..Binding::default()
        }
    }

    fn is_empty(&self) -> bool {
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

/// All of a reading but what changes all the time and means nothing: how large a file is that is only looked at.
pub(crate) fn fingerprint(mut reading: Reading) -> Digest {
    for effect in reading
        .effects
        .iter_mut()
        .filter(|effect| effect.kind == EffectKind::Read)
    {
        if let Target::Path(Place {
            fact: Some(fact), ..
        }) = &mut effect.target
        {
            fact.size = None;
        }
    }
    Digest::of_bytes(format!("{reading:?}").as_bytes())
}

/// The files that an operation is bound to.
pub fn files(world: &dyn World, operation: &Operation, reading: &Reading) -> Vec<Sealed> {
    all(world, operation, reading).files.into_iter().collect()
}

/// All that an operation is bound to.
pub(crate) fn all(world: &dyn World, operation: &Operation, reading: &Reading) -> Binding {
    let mut out = scripts(world, operation, reading);
    out.add(Sealed::Identity(operation.cwd()));
    let parts = Parts::of(reading);
    for effect in &reading.effects {
        target(
            effect,
            parts.runs(effect.part) || parts.hands_on(effect.part),
            &mut out,
        );
    }
    out
}

/// The files that decide what an operation runs, and which are not in its words.
pub(crate) fn scripts(world: &dyn World, operation: &Operation, reading: &Reading) -> Binding {
    let mut out = Binding::at(operation);
    // What it runs may run more, and was shown as well.
    find(world, operation, reading)
        .files
        .into_iter()
        .for_each(|file| out.add(Sealed::Content(file)));
    let parts = Parts::of(reading);
    let folders = seal_names::folders(operation, reading);
    seal_names::add(
        operation,
        reading,
        &folders,
        |part| parts.runs(Some(part)),
        &mut out,
    );
    seal_builds::add(operation, reading, &folders, &mut out);
    for part in (0..reading.commands.len()).filter(|part| parts.runs(Some(*part))) {
        if let Some(file) = program(reading, part) {
            out.add(Sealed::Identity(file));
        }
    }
    out
}

/// What an answer for a pattern is bound to: a program by its path is the project's own, and may be another one tomorrow.
fn own_programs(operation: &Operation, reading: &Reading) -> Binding {
    let mut out = Binding::at(operation);
    for (part, command) in reading.commands.iter().enumerate() {
        if command.words.first().is_some_and(|word| word.contains('/')) {
            program(reading, part)
                .into_iter()
                .for_each(|file| out.add(Sealed::Content(file)));
        }
    }
    out
}

fn program(reading: &Reading, part: usize) -> Option<String> {
    reading.programs.get(part)?.as_ref()?.file.clone()
}

/// What a kept answer covers.
enum Covers {
    /// Calls whose words stay the same, with all that they name.
    SameWords,
    /// Calls with other words.
    Pattern,
    /// Calls that run nothing of the project.
    Other,
}

fn covers(key: &GrantKey) -> Covers {
    match key {
        GrantKey::Exact(_) | GrantKey::Payload { .. } | GrantKey::Command { .. } => {
            Covers::SameWords
        }
        GrantKey::Rule(rule) if rule.key() == RuleKey::Command => Covers::Pattern,
        _ => Covers::Other,
    }
}

/// Which parts of a line do what, found in one pass.
struct Parts {
    runs: BTreeSet<Option<usize>>,
    hands_on: BTreeSet<Option<usize>>,
}

impl Parts {
    fn of(reading: &Reading) -> Self {
        let of = |fits: fn(&Effect) -> bool| {
            reading
                .effects
                .iter()
                .filter(|effect| fits(effect))
                .map(|effect| effect.part)
                .collect()
        };
        Parts {
            runs: of(|effect| {
                effect.kind == EffectKind::Unknown
                    || effect.kind == EffectKind::Run && !effect.manner.known_program
            }),
            hands_on: of(|effect| matches!(effect.kind, EffectKind::Write | EffectKind::Connect)),
        }
    }

    /// It does more than its listed effects, so that the files it names may decide what happens.
    fn runs(&self, part: Option<usize>) -> bool {
        self.runs.contains(&part)
    }

    /// What it reads ends up somewhere else: a copy, an upload.
    fn hands_on(&self, part: Option<usize>) -> bool {
        self.hands_on.contains(&part)
    }
}

/// A target, with the links that led there. `content` says that what is read there matters: `sh < script`, `cp`.
fn target(effect: &Effect, content: bool, out: &mut Binding) {
    let Some(fact) = effect.place().and_then(|place| place.fact.as_ref()) else {
        return;
    };
    let path = fact.canonical.clone();
    let is_file = fact.kind == PathKind::File;
    out.add(match effect.kind {
        EffectKind::Write | EffectKind::Delete if is_file => Sealed::Content(path),
        EffectKind::Write | EffectKind::Delete => Sealed::Identity(path),
        EffectKind::Read if content && is_file => Sealed::Content(path),
        EffectKind::Read => Sealed::Which(path),
        _ => return,
    });
    for link in &fact.links {
        out.add(Sealed::Which(link.at.clone()));
    }
}
