//! One round: candidates are made, judged, and the silent ones run.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sayso_core::analysis::draft::Reading;
use sayso_core::policy::decision::Decision;

use super::candidates::{Kind, Source};
use super::carried;
use super::field::{Field, SHELLS, find_program};
use super::hazards::Hazard;
use super::report::{Found, Tally};
use super::verdict;
use crate::oracle::generate::Dice;
use crate::traced::judge::Judge;

/// How many candidates are judged in a round, how many of them with rules only, and how many are run.
const JUDGED: usize = 9_000;
const CARRIED: usize = 1_000;
const RUN: usize = 500;

/// Words that the shells run themselves.
const BUILTINS: &str = "[ [[ : . alias bg break builtin case cd command compgen continue declare dirs disown echo eval exec exit export false fc fg for \
     function getopts hash help history if jobs kill let local mapfile popd printf pushd pwd read readarray readonly return select set shift \
     shopt source suspend test time times trap true type typeset ulimit umask unalias unset until wait while";

/// A project and its judge.
struct Place {
    field: Field,
    judge: Judge,
}

/// One thread's own projects, one for each hazard.
pub struct Worker {
    places: Vec<(Hazard, Place)>,
    with_rules: Judge,
}

impl Worker {
    pub fn new() -> Result<Worker, String> {
        let place = |hazard: Hazard| -> Result<(Hazard, Place), String> {
            let field = Field::new(hazard)?;
            let judge = Judge::new(&field.ground);
            Ok((hazard, Place { field, judge }))
        };
        let places = Hazard::ALL
            .into_iter()
            .map(place)
            .collect::<Result<Vec<_>, String>>()?;
        let with_rules = Judge::with_policy(&places[0].1.field.ground, carried::policy());
        Ok(Worker { places, with_rules })
    }

    pub fn round(&self, source: &Source, seed: u64, turn: usize) -> Result<Tally, String> {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(turn as u64);
        let hazard = Hazard::of(turn);
        let place = &self
            .places
            .iter()
            .find(|(kind, _)| *kind == hazard)
            .unwrap_or(&self.places[0])
            .1;
        let mut tally = Tally {
            rounds: 1,
            ..Tally::default()
        };
        self.judge_carried(seed, &mut tally);
        let mut silent: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
        let mut known = HashSet::new();
        for candidate in source.round(seed, JUDGED) {
            tally.judged += 1;
            let Some((Decision::Allow, reading)) = place.judge.read(&candidate.text) else {
                continue;
            };
            tally.allowed += 1;
            if !known.insert(candidate.text.clone()) {
                continue;
            }
            if is_installed(&reading) {
                silent
                    .entry(candidate.kind)
                    .or_default()
                    .push(candidate.text);
            } else {
                tally.not_installed += 1;
            }
        }
        place.run(&chosen(silent), &mut tally)?;
        Ok(tally)
    }

    /// Rules that a person may have, with what they must not carry.
    fn judge_carried(&self, seed: u64, tally: &mut Tally) {
        let mut dice = Dice::new(seed ^ 0xca44);
        dice.roll(2);
        for _ in 0..CARRIED {
            let text = carried::text(&mut dice);
            tally.judged += 1;
            tally.carried += 1;
            if self.with_rules.is_silent(&text) {
                let what = "a rule for the program covers what must be asked about".to_owned();
                tally.violations.push(Found {
                    kind: "carried by a rule",
                    shell: "",
                    text,
                    what,
                });
            }
        }
    }
}

impl Place {
    fn run(&self, cases: &[(usize, String)], tally: &mut Tally) -> Result<(), String> {
        let runs = self.field.run(cases)?;
        for ((shell, text), run) in cases.iter().zip(&runs) {
            let Some(trace) = run else {
                tally.lost += 1;
                continue;
            };
            let name = SHELLS[*shell].0;
            *tally.run.entry(name).or_default() += 1;
            tally.started += trace.started.len();
            tally.late += usize::from(trace.late);
            let found = verdict::violations(&self.field, &self.judge, *shell, text, trace);
            tally.violations.extend(found.into_iter().map(|one| Found {
                kind: one.kind,
                shell: name,
                text: one.text,
                what: one.what,
            }));
        }
        Ok(())
    }
}

/// Whether every program that was listed is there, or a word of the shell.
fn is_installed(reading: &Reading) -> bool {
    let builtin = |name: &str| BUILTINS.split_ascii_whitespace().any(|word| word == name);
    let names = reading
        .commands
        .iter()
        .filter_map(|command| command.words.first());
    names
        .map(|name| name.rsplit('/').next().unwrap_or(name))
        .all(|name| builtin(name) || name.contains('$') || find_program(name).is_some())
}

/// The texts to run, from each kind as many, each in a shell that its text decides on; half of them in bash.
fn chosen(silent: BTreeMap<Kind, Vec<String>>) -> Vec<(usize, String)> {
    let longest = silent.values().map(Vec::len).max().unwrap_or_default();
    let mut lists: Vec<std::vec::IntoIter<String>> =
        silent.into_values().map(Vec::into_iter).collect();
    let turns = (0..longest).flat_map(|_| {
        lists
            .iter_mut()
            .filter_map(Iterator::next)
            .collect::<Vec<_>>()
    });
    turns
        .take(RUN)
        .map(|text| (shell_of(&text), text))
        .collect()
}

fn shell_of(text: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let number = (hasher.finish() % (2 * SHELLS.len() as u64 - 2)) as usize;
    if number < SHELLS.len() { number } else { 0 }
}
