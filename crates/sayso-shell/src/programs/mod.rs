//! The table of programs: which options each may have, and what its operands are for.

mod coreutils;
mod destroy;
mod filters;
pub(crate) mod git;
mod git_changes;
pub(crate) mod git_globals;
mod git_lists;
mod git_paths;
mod git_readers;
mod git_writers;
mod network;
mod search;
mod small;
mod tools;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::options::Parsed;
use crate::scene::Scene;

/// What is known of a program.
pub(crate) struct Program {
    /// Its names.
    pub(crate) names: &'static [&'static str],
    /// The table of its options (see [`crate::options`]); none if its words are no options in the usual sense.
    pub(crate) options: Option<&'static str>,
    /// Lists its effects.
    pub(crate) meaning: fn(&mut Scene<'_>, &Parsed<'_>),
    /// The shell runs it itself.
    pub(crate) builtin: bool,
    /// Runs its arguments or its input as a program.
    pub(crate) interprets: bool,
}

impl Program {
    /// An ordinary program.
    const fn new(names: &'static [&'static str], options: &'static str, meaning: fn(&mut Scene<'_>, &Parsed<'_>)) -> Self {
        Program { names, options: Some(options), meaning, builtin: false, interprets: false }
    }

    /// A program that has its own way to read its words.
    const fn raw(names: &'static [&'static str], meaning: fn(&mut Scene<'_>, &Parsed<'_>)) -> Self {
        Program { names, options: None, meaning, builtin: false, interprets: false }
    }

    const fn builtin(self) -> Self {
        Program { builtin: true, ..self }
    }

    const fn interpreter(self) -> Self {
        Program { interprets: true, ..self }
    }
}

const FAMILIES: [&[Program]; 8] = [
    small::PROGRAMS,
    coreutils::PROGRAMS,
    search::PROGRAMS,
    git::PROGRAMS,
    destroy::PROGRAMS,
    network::PROGRAMS,
    filters::PROGRAMS,
    tools::PROGRAMS,
];

/// A program by its exact name.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    // Every word of a text that could not be read is looked up, so this must be quick.
    static BY_NAME: LazyLock<HashMap<&str, &Program>> = LazyLock::new(|| {
        let programs = FAMILIES.iter().flat_map(|family| family.iter());
        programs.flat_map(|program| program.names.iter().map(move |name| (*name, program))).collect()
    });
    BY_NAME.get(name).copied().or_else(|| tools::by_prefix(name))
}

/// Whether a program's arguments are modelled one by one, so that one which is not listed is a warning.
pub(crate) fn is_modelled(name: &str) -> bool {
    let modelled =
        [small::PROGRAMS, coreutils::PROGRAMS, search::PROGRAMS, git::PROGRAMS, destroy::PROGRAMS, network::PROGRAMS, filters::PROGRAMS];
    modelled.iter().flat_map(|family| family.iter()).any(|program| program.names.contains(&name))
}

/// Every operand is read.
fn reads(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    for path in &parsed.operands {
        scene.read(path, false);
    }
}

/// The operands are only words, however many there are.
fn says(scene: &mut Scene<'_>, _: &Parsed<'_>) {
    scene.settle();
}

/// There may be no operands.
fn takes_none(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if let Some(word) = parsed.operands.first() {
        let note = format!("`{}` with `{word}` is not known", scene.name);
        scene.unknown(note);
    }
}

/// Reads the operands with everything below, or the current folder.
fn reads_below(scene: &mut Scene<'_>, paths: &[&str], recursive: bool) {
    scene.settle();
    if paths.is_empty() {
        scene.read(".", recursive);
    }
    for path in paths {
        scene.read(path, recursive);
    }
}
