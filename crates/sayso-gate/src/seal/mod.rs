//! Finds which files an answer is bound to besides the words of the call: those that it reads, writes, deletes or runs.
//!
//! A call that was approved while a script or a target was another one is a new question (bypasses W13, D02).

mod builds;
mod names;

use std::collections::BTreeSet;

use sayso_core::analysis::draft::Reading;
use sayso_core::analysis::effect::{Effect, EffectKind, Place, Target};
use sayso_core::analysis::fact::PathKind;
use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::call::operation::Operation;
use sayso_core::text::digest::Digest;

pub use crate::binding::Sealed;
use crate::binding::{Binding, Extent, Seal};
use crate::ports::World;
use crate::scripts::find;

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
    let folders = names::folders(operation, reading);
    names::add(
        operation,
        reading,
        &folders,
        |part| parts.runs(Some(part)),
        &mut out,
    );
    builds::add(operation, reading, &folders, &mut out);
    for part in (0..reading.commands.len()).filter(|part| parts.runs(Some(*part))) {
        if let Some(file) = program(reading, part) {
            out.add(Sealed::Identity(file));
        }
    }
    out
}

/// What an answer for a pattern is bound to: a program by its path is the project's own, and may be another one tomorrow.
pub(crate) fn own_programs(operation: &Operation, reading: &Reading) -> Binding {
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
pub(crate) enum Covers {
    /// Calls whose words stay the same, with all that they name.
    SameWords,
    /// Calls with other words.
    Pattern,
    /// Calls that run nothing of the project.
    Other,
}

pub(crate) fn covers(key: &GrantKey) -> Covers {
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
