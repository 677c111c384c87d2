//! Git: its subcommand is found behind the global options, and its effects are listed.

mod changes;
pub(crate) mod globals;
mod lists;
pub(super) mod paths;
pub(super) mod readers;
mod shown;
pub(super) mod writers;

use std::sync::LazyLock;

use sayso_core::analysis::fact::Shows;

use self::globals::{Globals, globals};
use self::lists::{only_looks, shows_addresses, shows_settings};
use self::paths::{below, read_operands};
use self::readers::{READERS, Reader};
use self::writers::{Does, WRITERS, Writer};
use super::Program;
use super::effect_builder::Scene;
use crate::parse::name_map::Names;
use crate::parse::options::{self, Parsed, Takes};
use crate::parse::placeholder;

pub(super) const PROGRAMS: &[Program] = &[Program::raw(&["git"], git)];

/// A row of one of the tables.
#[derive(Clone, Copy)]
enum Row {
    Reads(&'static Reader),
    Writes(&'static Writer),
}

/// A subcommand with its own word, if it has one: `log`, `stash show`.
pub(crate) struct Form {
    row: Row,
    /// Whether the first argument is part of it.
    pub(crate) has_word: bool,
}

impl Form {
    /// The words it goes by.
    fn name(&self) -> &'static str {
        match self.row {
            Row::Reads((name, ..)) | Row::Writes((name, ..)) => name,
        }
    }

    /// The table of its options.
    pub(crate) fn table(&self) -> &'static str {
        match self.row {
            Row::Reads((_, table, _)) | Row::Writes((_, table, _)) => table,
        }
    }
}

/// The form that a subcommand has with these arguments. Its own word counts only where it stands first: `git stash -- list` stashes a
/// file of that name.
pub(crate) fn form(subcommand: &str, arguments: &[&str]) -> Option<Form> {
    let word = arguments
        .first()
        .copied()
        .filter(|word| !word.starts_with('-'));
    static ROWS: LazyLock<Names<Row>> = LazyLock::new(|| {
        let mut rows = Names::with_capacity(READERS.len() + WRITERS.len());
        // What a reader and a writer both have is read.
        READERS
            .iter()
            .for_each(|row| rows.add(row.0, Row::Reads(row)));
        WRITERS
            .iter()
            .for_each(|row| rows.add(row.0, Row::Writes(row)));
        rows
    });
    let find = |word: Option<&str>| match word {
        None => ROWS.get(subcommand).copied(),
        Some(word) => ROWS.get(format!("{subcommand} {word}").as_str()).copied(),
    };
    let with_word = word.and_then(|word| find(Some(word)));
    let has_word = with_word.is_some();
    with_word
        .or_else(|| find(None))
        .map(|row| Form { row, has_word })
}

fn git(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    // Words with holes are looked at one by one below.
    scene.settle();
    let words = parsed.operands.as_slice();
    if matches!(
        words,
        ["--version"
            | "-v"
            | "--exec-path"
            | "--html-path"
            | "--man-path"
            | "--info-path"
            | "--help"
            | "-h"]
    ) {
        return;
    }
    let globals = globals(words);
    let folder = globals.folder();
    if let Some(word) = &globals.unknown {
        scene.unlisted(format!(
            "`git {}` can change what git runs, or where",
            placeholder::shown(word)
        ));
    }
    let command = words.get(globals.length..).unwrap_or(&[]);
    let shows = Shows {
        logins: shows_addresses(command),
        settings: shows_settings(command),
        ..Shows::default()
    };
    scene.ask_git(&folder, shows);
    scene.read(&folder, true);
    let Some((subcommand, arguments)) = command.split_first() else {
        return scene.unknown("git without a subcommand");
    };
    let Some(form) = form(subcommand, arguments) else {
        return scene.unknown(format!(
            "`git {}` is not a known subcommand, and may be an alias",
            placeholder::shown(subcommand)
        ));
    };
    // Prints how it is used, and does nothing else.
    if arguments == ["-h"]
        && !matches!(
            form.row,
            Row::Writes((
                _,
                _,
                Does::Foreign | Does::Commands | Does::Programs | Does::Brings
            ))
        )
    {
        return;
    }
    if arguments
        .iter()
        .any(|word| word.contains(placeholder::LIST))
    {
        scene.unknown("has words that are only known when it runs");
    }
    let arguments = arguments.get(usize::from(form.has_word)..).unwrap_or(&[]);
    let given = options::read(form.table(), arguments, false);
    subcommand_with_options(scene, &form, &globals, &given);
}

fn subcommand_with_options(
    scene: &mut Scene<'_>,
    form: &Form,
    globals: &Globals,
    given: &Parsed<'_>,
) {
    let (name, folder) = (form.name(), globals.folder());
    if let Some(word) = given.unknown.first() {
        scene.unlisted(format!(
            "the option `{}` of `git {name}` is not known",
            placeholder::shown(word)
        ));
    }
    if given
        .options
        .iter()
        .any(|option| may_show_signature(&option.name, option.value))
    {
        scene.unknown("shows signatures, for which git starts another program");
    }
    // Files with `export-subst` may hold formats, too.
    if name == "archive" && !(given.keeps_mode("--list") && given.operands.is_empty()) {
        scene.unknown("what it packs may show signatures, for which git starts another program");
    }
    // What submodules hold is shown with the settings that lie there.
    if !given.every_value("--submodule", |value| matches!(value, "short" | "log")) {
        scene.unlisted("shows what is in submodules");
    }
    // These show the whole repository, and `-C` may only lead to a part of it.
    if folder != "." && shows_whole_repository(name) {
        scene.read(".", true);
    }
    for option in &given.options {
        match (option.takes, option.value) {
            (Takes::ReadPath, Some(path)) if path != "-" => {
                scene.read(&below(&folder, path), false)
            }
            (Takes::WritePath, Some(path)) => scene.write(&below(&folder, path)),
            _ => {}
        }
    }
    match form.row {
        Row::Reads((_, _, operands)) if only_looks(name, given) => {
            shown::ask_for_tracked(scene, name, *operands, &folder, given);
            read_operands(scene, name, *operands, &folder, given)
        }
        Row::Reads(_) => changes::of_reader(scene, name, &folder, given),
        Row::Writes((_, _, does)) => changes::of_writer(scene, name, *does, &folder, given),
    }
}

/// Forms that look at the repository from its top.
fn shows_whole_repository(form: &str) -> bool {
    let first = form.split(' ').next().unwrap_or(form);
    matches!(
        first,
        "log"
            | "show"
            | "whatchanged"
            | "diff"
            | "diff-tree"
            | "diff-index"
            | "diff-files"
            | "range-diff"
            | "format-patch"
            | "stash"
            | "reflog"
    )
}

/// Whether a format may have git start the program that checks signatures.
fn may_show_signature(option: &str, value: Option<&str>) -> bool {
    let Some(value) = value.filter(|_| {
        matches!(
            option,
            "--format" | "--pretty" | "--sort" | "--batch-check" | "--group"
        )
    }) else {
        return false;
    };
    ["%G", "%+G", "%-G", "% G", "signature"]
        .iter()
        .any(|part| value.contains(part))
        || !placeholder::is_literal(value)
}
