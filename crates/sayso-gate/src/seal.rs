//! What an answer is bound to besides the words of the call: the files that it writes, deletes or runs, as they were when it was shown.
//!
//! A call that was approved while a script or a target was another one is a new question (bypasses W13, D02).

use std::sync::Arc;

use sayso_core::digest::Digest;
use sayso_core::draft::{Command, Reading};
use sayso_core::effect::{Effect, EffectKind, Place, Target};
use sayso_core::fact::PathKind;
use sayso_core::grant::GrantKey;
use sayso_core::operation::Operation;
use sayso_core::paths::join;
use sayso_core::prompt::Prompt;
use sayso_core::verdict::Verdict;

use crate::closing::End;
use crate::gate::Gate;
use crate::pipeline;
use crate::turn::Turn;

/// So many words of a command are looked at; nobody reads more in a prompt.
const MOST_WORDS: usize = 256;

/// A file that an answer is bound to. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sealed {
    /// What is in it: a script that runs, or a file whose change was shown.
    Content(String),
    /// Which file it is: a folder, a link, a program.
    Identity(String),
}

/// What was so when a person was asked; if it is no longer so, the answer does not count.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) files: Vec<Sealed>,
    pub(crate) seal: Digest,
    reading: Digest,
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
        let files = files(operation, &reading);
        let seal = self.ports.world.seal(&files).ok_or_else(|| Box::new(End::trouble("what it is about could not be looked at")))?;
        let prompt = self.question(operation, &reading, verdict, turn)?;
        Ok((Shown { files, seal, reading: fingerprint(reading) }, prompt))
    }

    /// What the operation would do now, if that is still what was shown.
    pub(crate) fn unchanged(&self, operation: &Operation, shown: &Shown) -> Option<Reading> {
        let now = pipeline::read(self.ports.world.as_ref(), operation);
        (fingerprint(now.clone()) == shown.reading && self.ports.world.seal(&shown.files) == Some(shown.seal)).then_some(now)
    }
}

/// All of a reading but what changes all the time and means nothing: how large a file is that is only looked at.
fn fingerprint(mut reading: Reading) -> Digest {
    for effect in reading.effects.iter_mut().filter(|effect| effect.kind == EffectKind::Read) {
        if let Target::Path(Place { fact: Some(fact), .. }) = &mut effect.target {
            fact.size = None;
        }
    }
    Digest::of_bytes(format!("{reading:?}").as_bytes())
}

/// The files that an operation is bound to.
pub fn files(operation: &Operation, reading: &Reading) -> Vec<Sealed> {
    let mut out = vec![Sealed::Identity(operation.cwd())];
    for effect in &reading.effects {
        out.extend(target(effect, runs(effect.part, reading)));
    }
    out.extend(scripts(operation, reading));
    out.sort();
    out.dedup();
    out
}

/// The files that decide what an operation runs, and which are not in its words.
pub fn scripts(operation: &Operation, reading: &Reading) -> Vec<Sealed> {
    let mut out = Vec::new();
    for (part, command) in reading.commands.iter().enumerate().filter(|(part, _)| runs(Some(*part), reading)) {
        out.extend(named(operation, reading, command));
        let program = reading.programs.get(part).and_then(Option::as_ref).and_then(|fact| fact.file.clone());
        out.extend(program.map(Sealed::Identity));
    }
    if let Some(opaque) = operation.command().filter(|_| reading.opaque.is_some()) {
        out.extend(
            opaque
                .split_whitespace()
                .take(MOST_WORDS)
                .filter_map(|word| file_of(&operation.cwd(), word.trim_matches(['"', '\'', ';', ')']))),
        );
    }
    out.sort();
    out.dedup();
    out
}

/// The files that a kept answer is bound to, by what it covers: where the words stay the same, all that they name; else the programs.
pub fn kept(key: &GrantKey, operation: &Operation, reading: &Reading) -> Vec<Sealed> {
    match key {
        GrantKey::Exact(_) | GrantKey::Payload { .. } | GrantKey::Command { .. } => scripts(operation, reading),
        GrantKey::Pattern(_) => {
            // A program by its path is the project's own, and may be another one tomorrow.
            let by_path =
                |part: &usize| reading.commands.get(*part).and_then(|command| command.words.first()).is_some_and(|word| word.contains('/'));
            let file = |part: usize| reading.programs.get(part).and_then(Option::as_ref).and_then(|fact| fact.file.clone());
            (0..reading.commands.len()).filter(by_path).filter_map(file).map(Sealed::Content).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a part of the line does more than its listed effects, so that the files it names may decide what happens.
fn runs(part: Option<usize>, reading: &Reading) -> bool {
    reading.effects.iter().any(|effect| {
        effect.part == part && (effect.kind == EffectKind::Unknown || effect.kind == EffectKind::Run && !effect.manner.known_program)
    })
}

fn target(effect: &Effect, runs: bool) -> Option<Sealed> {
    let fact = effect.place()?.fact.as_ref()?;
    let path = fact.canonical.clone();
    match effect.kind {
        EffectKind::Write | EffectKind::Delete if fact.kind == PathKind::File => Some(Sealed::Content(path)),
        EffectKind::Write | EffectKind::Delete => Some(Sealed::Identity(path)),
        // What an interpreter reads may be what it runs: `sh < script`.
        EffectKind::Read if runs && fact.kind == PathKind::File => Some(Sealed::Content(path)),
        _ => None,
    }
}

/// Every word that may name a file: which of them is the script, only the program knows.
fn named(operation: &Operation, reading: &Reading, command: &Command) -> Vec<Sealed> {
    let mut folders: Vec<String> = command.folders.iter().map(|folder| join(&operation.cwd(), folder)).collect();
    if folders.is_empty() {
        folders.push(reading.surroundings.cwd.clone());
    }
    let words = || command.words.iter().take(MOST_WORDS);
    folders.iter().flat_map(|folder| words().filter_map(move |word| file_of(folder, word))).collect()
}

/// The file that a word names, behind the `=` of an option, too.
fn file_of(folder: &str, word: &str) -> Option<Sealed> {
    let name = match word.strip_prefix('-') {
        Some(option) => option.split_once('=')?.1,
        None => word,
    };
    let plain = !name.is_empty() && !name.contains(['\0', '\n']) && name.len() < 4096;
    plain.then(|| Sealed::Content(join(folder, name)))
}
