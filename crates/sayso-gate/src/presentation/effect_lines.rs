//! The effects of a command in words, with how much would go where something is deleted.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use sayso_core::analysis::effect::{Effect, EffectKind};
use sayso_core::analysis::fact::PathKind;
use sayso_core::answer::explain;
use sayso_core::prompt::presentation::Part;
use sayso_core::text::size;

use super::About;
use crate::ports::Tally;

/// So many effects are told one by one.
const MOST_EFFECTS: usize = 20;
/// So many parts of a line are told one by one.
const MOST_PARTS: usize = 20;
/// All folders of one prompt are counted up to so many entries, and for so long: a person waits.
const MOST_ENTRIES: usize = 20_000;
const LONGEST: Duration = Duration::from_millis(8);

/// Tells effects, and counts each folder once.
pub(super) struct Teller<'a> {
    about: About<'a>,
    until: Instant,
    left: Cell<usize>,
    counted: RefCell<HashMap<String, Option<Tally>>>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(about: About<'a>) -> Self {
        Teller {
            about,
            until: Instant::now() + LONGEST,
            left: Cell::new(MOST_ENTRIES),
            counted: Default::default(),
        }
    }

    /// What it would do, each thing once. That a program with listed effects runs is no news.
    pub(super) fn effects(&self) -> Vec<String> {
        self.all(self.about.reading.effects.iter())
    }

    /// The same, command by command, in the order of the line.
    pub(super) fn parts(&self) -> Vec<Part> {
        let commands = &self.about.reading.commands;
        let part = |(index, command): (usize, &sayso_core::analysis::draft::Command)| Part {
            program: super::command::typed(command, 1),
            effects: self.all(
                self.about
                    .reading
                    .effects
                    .iter()
                    .filter(|effect| effect.part == Some(index)),
            ),
        };
        commands
            .iter()
            .enumerate()
            .take(MOST_PARTS)
            .map(part)
            .collect()
    }

    fn all<'e>(&self, effects: impl Iterator<Item = &'e Effect>) -> Vec<String> {
        let mut told = BTreeSet::new();
        let mut out = Vec::new();
        let mut more = 0usize;
        for effect in effects.filter(|effect| is_news(effect)) {
            let words = explain::effect(effect);
            if !told.insert(words.clone()) {
                continue;
            }
            if out.len() < MOST_EFFECTS {
                out.push(format!("{words}{}", self.amount(effect)));
            } else {
                more += 1;
            }
        }
        if more > 0 {
            out.push(format!("and {more} more"));
        }
        out
    }

    /// How much goes, in brackets: " (214 files, 38.0 MB)".
    pub(super) fn amount(&self, effect: &Effect) -> String {
        let fact = effect
            .place()
            .and_then(|place| place.fact.as_ref())
            .filter(|_| effect.kind == EffectKind::Delete);
        match fact {
            Some(fact) if fact.kind == PathKind::File => fact
                .size
                .map_or(String::new(), |bytes| format!(" ({})", size::words(bytes))),
            Some(fact) if fact.kind == PathKind::Folder && effect.manner.recursive => self
                .tally(&fact.canonical)
                .map_or(String::new(), |tally| format!(" ({})", words(tally))),
            _ => String::new(),
        }
    }

    /// Counts a folder, as far as there is time for it.
    pub(super) fn tally(&self, path: &str) -> Option<Tally> {
        if let Some(known) = self.counted.borrow().get(path) {
            return *known;
        }
        let time = self.until.saturating_duration_since(Instant::now());
        let found = if time.is_zero() || self.left.get() == 0 {
            None
        } else {
            self.about.world.tally(path, self.left.get(), time)
        };
        let used = found.map_or(0, |tally| {
            if tally.whole {
                usize::try_from(tally.files).unwrap_or(usize::MAX)
            } else {
                MOST_ENTRIES
            }
        });
        self.left.set(self.left.get().saturating_sub(used));
        self.counted.borrow_mut().insert(path.to_owned(), found);
        found
    }
}

/// "214 files, 38.0 MB", "at least 20000 files, 1.2 GB".
pub(super) fn words(tally: Tally) -> String {
    let Tally {
        files,
        bytes,
        whole,
    } = tally;
    match (files, whole) {
        (0, true) => "empty".to_owned(),
        (0, false) => "not counted".to_owned(),
        _ => {
            let (least, plural) = (
                if whole { "" } else { "at least " },
                if files == 1 { "" } else { "s" },
            );
            format!("{least}{files} file{plural}, {}", size::words(bytes))
        }
    }
}

/// What it would do, each thing once, without counting.
pub(super) fn plainly(effects: &[Effect]) -> Vec<String> {
    let mut told = BTreeSet::new();
    let mut out: Vec<String> = effects
        .iter()
        .filter(|effect| is_news(effect))
        .map(explain::effect)
        .filter(|words| told.insert(words.clone()))
        .collect();
    if out.len() > MOST_EFFECTS {
        let more = out.len() - MOST_EFFECTS;
        out.truncate(MOST_EFFECTS);
        out.push(format!("and {more} more"));
    }
    out
}

/// That a program with listed effects runs is no news.
fn is_news(effect: &Effect) -> bool {
    !(effect.kind == EffectKind::Run && effect.manner.known_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_amounts() {
        for (files, bytes, whole, expected) in [
            (214, 38 << 20, true, "214 files, 38.0 MB"),
            (1, 1, true, "1 file, 1 byte"),
            (20_000, 5 << 30, false, "at least 20000 files, 5.0 GB"),
            (0, 0, true, "empty"),
            (0, 0, false, "not counted"),
        ] {
            assert_eq!(
                words(Tally {
                    files,
                    bytes,
                    whole
                }),
                expected
            );
        }
    }
}
