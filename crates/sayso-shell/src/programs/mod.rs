//! The table of programs: which options each may have, and what its operands are for.
//!
//! Rows with code are in [`families`] and [`git`], lines without in [`table`], programs of which only subcommands are known in
//! [`subcommands`]. [`perform`] runs a row, which puts its effects into an [`effect_builder::Scene`].

pub(crate) mod cautions;
pub(crate) mod effect_builder;
mod families;
pub(crate) mod git;
pub(crate) mod helpers;
mod index;
pub(crate) mod known_forms;
pub(crate) mod languages;
pub(crate) mod normal_form;
mod option_notes;
pub(crate) mod perform;
mod project_settings;
pub(crate) mod queries;
pub(crate) mod row_index;
pub(crate) mod rule_forms;
pub(crate) mod searches;
mod subcommands;
mod table;

use std::sync::LazyLock;

use self::effect_builder::Scene;
use self::families::{
    archives, builtins, conditions, connections, coreutils, destroy, fetch, filters, keys, machine,
    network, print_only, search, shared_names, text, tools, yaml,
};
use self::index::Index;
use crate::expand::known_programs::KnownProgram;
use crate::parse::name_map::Names;
use crate::parse::options::Parsed;

pub(crate) use self::families::print_only::is_harmless_sayso;
pub(crate) use self::git::paths::hides_paths;

/// What is known of a program.
pub(crate) struct Program {
    /// Its names.
    pub(crate) names: &'static [&'static str],
    /// The table of its options (see [`crate::parse::options`]); none if its words are no options in the usual sense.
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
    const fn new(
        names: &'static [&'static str],
        options: &'static str,
        meaning: fn(&mut Scene<'_>, &Parsed<'_>),
    ) -> Self {
        Program {
            names,
            options: Some(options),
            meaning,
            builtin: false,
            interprets: false,
        }
    }

    /// A program that has its own way to read its words.
    const fn raw(names: &'static [&'static str], meaning: fn(&mut Scene<'_>, &Parsed<'_>)) -> Self {
        Program {
            names,
            options: None,
            meaning,
            builtin: false,
            interprets: false,
        }
    }

    const fn builtin(self) -> Self {
        Program {
            builtin: true,
            ..self
        }
    }

    const fn interpreter(self) -> Self {
        Program {
            interprets: true,
            ..self
        }
    }
}

/// All rows: first the programs whose arguments are modelled one by one, so that every path among them is an effect, then those of which
/// only a part is known. Of two rows with one name, the modelled one counts.
static FAMILIES: [&[Program]; MODELLED + 2] = [
    print_only::PROGRAMS,
    builtins::PROGRAMS,
    conditions::PROGRAMS,
    coreutils::PROGRAMS,
    text::PROGRAMS,
    keys::PROGRAMS,
    search::PROGRAMS,
    archives::PROGRAMS,
    machine::PROGRAMS,
    connections::PROGRAMS,
    git::PROGRAMS,
    destroy::PROGRAMS,
    fetch::PROGRAMS,
    filters::PROGRAMS,
    yaml::PROGRAMS,
    network::PROGRAMS,
    tools::PROGRAMS,
];

/// How many families are modelled.
const MODELLED: usize = 15;

// Every word of a text that could not be read is looked up, so this must be quick.
static INDEX: Index = Index::new(&FAMILIES);

/// A program by its exact name.
pub(crate) fn find(name: &str) -> Option<&'static Program> {
    let row = INDEX.get(name).map(|(program, _)| program);
    let told = || table::is_open(name).map(tools::told);
    row.or_else(told)
        .or_else(|| tools::by_prefix(name))
        .or_else(|| with_subcommands().get(name).copied())
}

/// The other programs that share a name with one of the table: what they do counts, too.
pub(crate) fn others(name: &str) -> impl Iterator<Item = &'static Program> {
    shared_names::others(name)
}

/// The programs of [`subcommands`], for names that have no row.
fn with_subcommands() -> &'static Names<&'static Program> {
    static BY_NAME: LazyLock<Names<&Program>> = LazyLock::new(|| {
        let mut all = Names::with_capacity(512);
        subcommands::names()
            .for_each(|(name, runs_words)| all.add(name, tools::with_subcommands(runs_words)));
        all
    });
    &BY_NAME
}

/// Whether only the purpose of a program is known, so that any of its words may be a command.
pub(crate) fn is_only_named(name: &str) -> bool {
    INDEX.get(name).is_none() && table::find(name).is_some_and(|row| row.is_only_named())
}

/// Whether a program's arguments are modelled one by one, so that one which is not listed is a warning.
pub(crate) fn is_modelled(name: &str) -> bool {
    INDEX.get(name).is_some_and(|(_, family)| family < MODELLED)
}

/// Every operand is read.
fn reads(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    for path in &parsed.operands {
        scene.read(path, false);
    }
}

/// Every operand is read, and where they are folders, file by file.
fn compare(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    scene.settle();
    for path in &parsed.operands {
        scene.read(path, true);
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
        if recursive {
            scene.read_here();
        } else {
            scene.read(".", false);
        }
    }
    for path in paths {
        scene.read(path, recursive);
    }
}

/// What the walk through a text asks about a program.
pub(crate) fn known(name: &str) -> Option<KnownProgram> {
    find(name).map(|program| KnownProgram {
        options: program.options,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{FAMILIES, INDEX, MODELLED, subcommands, table};

    #[test]
    fn every_program_that_is_told_has_no_row_elsewhere() {
        let doubled: Vec<&str> = table::names()
            .filter(|name| INDEX.get(name).is_some())
            .collect();
        assert!(doubled.is_empty(), "{doubled:?}");
    }

    #[test]
    fn what_may_run_its_words_says_so_in_both_tables() {
        let silent = subcommands::names()
            .filter(|(name, runs)| *runs && table::find(name).is_some_and(|row| !row.runs_words()));
        let silent: Vec<&str> = silent.map(|(name, _)| name).collect();
        assert!(silent.is_empty(), "{silent:?}");
    }

    #[test]
    fn the_table_is_wide() {
        let modelled = FAMILIES
            .iter()
            .take(MODELLED)
            .copied()
            .flatten()
            .flat_map(|program| program.names.iter().copied());
        let told =
            table::names().filter(|name| table::find(name).is_some_and(|row| row.is_modelled()));
        let modelled: BTreeSet<&str> = modelled.chain(told).collect();
        assert!(
            modelled.len() >= 500,
            "{} programs have their options and operands told",
            modelled.len()
        );
        let known: BTreeSet<&str> = FAMILIES
            .iter()
            .copied()
            .flatten()
            .flat_map(|program| program.names.iter().copied())
            .chain(table::names())
            .chain(subcommands::names().map(|(name, _)| name))
            .collect();
        assert!(known.len() >= 3500, "{} programs are known", known.len());
    }
}
