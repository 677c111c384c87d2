//! Git: its global options, and for each subcommand the forms that only look.

use super::Program;
use super::git_forms as forms;
use crate::analysis::paths_of_options;
use crate::options::{self, Parsed};
use crate::scene::{PLAIN, Scene};
use sayso_core::effect::{EffectKind, Manner};

pub(super) const PROGRAMS: &[Program] = &[Program::raw(&["git"], git)];

/// The words before the subcommand.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    /// How many words they are.
    pub(crate) length: usize,
    /// Where git goes first, from `-C`; none is the current folder.
    folder: Option<String>,
    /// The first one that can change what git runs or where.
    unknown: Option<String>,
}

/// Reads the global options. Those that are not harmless are skipped too, since deny rules look at the subcommand.
pub(crate) fn globals(words: &[&str]) -> Globals {
    let mut globals = Globals::default();
    while let Some(word) = words.get(globals.length).copied().filter(|word| word.starts_with('-')) {
        globals.length += 1;
        let takes_next =
            matches!(word, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--super-prefix" | "--attr-source");
        let value = if takes_next { words.get(globals.length).copied() } else { None };
        globals.length += usize::from(value.is_some());
        match (word, value) {
            ("-P" | "--no-pager" | "--no-optional-locks" | "--literal-pathspecs" | "--no-replace-objects", _) => {}
            // Every further `-C` is seen from the one before.
            ("-C", Some(folder)) => match &mut globals.folder {
                Some(before) if !folder.starts_with('/') => *before = format!("{before}/{folder}"),
                before => *before = Some(folder.to_owned()),
            },
            _ => {
                globals.unknown.get_or_insert(word.to_owned());
            }
        }
    }
    globals
}

/// The table of options of a subcommand.
pub(crate) fn table(subcommand: &str) -> Option<&'static str> {
    forms::READERS.iter().chain(forms::WRITERS).find(|(name, _)| *name == subcommand).map(|(_, table)| *table)
}

fn git(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let globals = globals(&parsed.operands);
    let folder = globals.folder.clone().unwrap_or_else(|| ".".to_owned());
    if let Some(word) = &globals.unknown {
        if parsed.operands == ["--version"] {
            return;
        }
        scene.unlisted(format!("`git {word}` can change what git runs, or where"));
    }
    scene.ask_git(&folder);
    let Some((subcommand, arguments)) = parsed.operands.get(globals.length..).and_then(<[&str]>::split_first) else {
        return scene.unknown("git without a subcommand");
    };
    let reader = forms::READERS.iter().any(|(name, _)| name == subcommand);
    let Some(table) = table(subcommand) else {
        scene.read(&folder, true);
        return scene.unknown(format!("`git {subcommand}` is not a known subcommand"));
    };
    let given = options::read(table, arguments, false);
    if let Some(word) = given.unknown.first() {
        scene.unlisted(format!("the option `{word}` of `git {subcommand}` is not known"));
    }
    // To show a signature git starts the program that checks it.
    if given.options.iter().filter_map(|option| option.value).any(|value| {
        value.contains("%G") || value.contains("%+G") || value.contains("%-G") || value.contains("% G") || value.contains("signature")
    }) {
        scene.unknown("shows signatures, for which git starts another program");
    }
    scene.read(&folder, true);
    // These show the whole repository, and `-C` may only lead to a part of it.
    if folder != "." && matches!(*subcommand, "log" | "show" | "diff" | "stash" | "reflog") {
        scene.read(".", true);
    }
    paths_of_options(scene, &given);
    if !reader {
        return forms::write(scene, subcommand, &folder, &given);
    }
    if !forms::only_looks(subcommand, arguments, &given) {
        scene.path(EffectKind::Write, &folder, false, Manner { repository: true, ..PLAIN });
        return scene.unknown(format!("this form of `git {subcommand}` is not known to only look"));
    }
    // A range of lines names its file: `-L 1,9:FILE`.
    for given in given.options.iter().filter(|given| given.name == "-L") {
        read_in_revision(scene, &folder, given.value.unwrap_or(""));
    }
    if forms::takes_paths(subcommand) {
        // The first operand of `grep` is its pattern, unless an option gives one.
        let skipped = usize::from(*subcommand == "grep" && !given.has("-e"));
        for operand in given.operands.iter().skip(skipped) {
            // Names that fit a pattern are no secret, but the content of any file that fits may be.
            let wild = operand.contains(['*', '?', '[']) && *subcommand != "ls-files";
            if wild || operand.starts_with(':') {
                scene.unknown(format!("`{operand}` stands for files that only git knows"));
            }
            scene.read(&forms::below(&folder, operand), true);
            read_in_revision(scene, &folder, operand);
        }
    }
}

/// The path in a revision, as in `HEAD:src/a.rs`; a revision may have a colon itself, so the text after each one is tried.
///
/// Git sees it from the top of the repository unless it starts with a dot, whatever `-C` says: both places are read.
fn read_in_revision(scene: &mut Scene<'_>, folder: &str, operand: &str) {
    const MOST: usize = 4;
    if operand.matches(':').count() > MOST {
        return scene.unknown("a path with more colons than are looked at");
    }
    for path in operand.match_indices(':').filter_map(|(at, _)| operand.get(at + 1..)).filter(|path| !path.is_empty()) {
        scene.read(&forms::below(folder, path), true);
        if folder != "." && !path.starts_with('.') {
            scene.read(path, true);
        }
    }
}
