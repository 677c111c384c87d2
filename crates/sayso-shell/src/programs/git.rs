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
        scene.unknown(format!("`git {word}` can change what git runs, or where"));
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
        scene.unknown(format!("the option `{word}` of `git {subcommand}` is not known"));
    }
    // To show a signature git starts the program that checks it.
    if given.options.iter().filter_map(|option| option.value).any(|value| value.contains("%G") || value.contains("%(signature")) {
        scene.unknown("shows signatures, for which git starts another program");
    }
    scene.read(&folder, true);
    paths_of_options(scene, &given);
    if !reader {
        return forms::write(scene, subcommand, &folder, &given);
    }
    if !forms::only_looks(subcommand, &given) {
        scene.path(EffectKind::Write, &folder, false, Manner { repository: true, ..PLAIN });
        return scene.unknown(format!("this form of `git {subcommand}` is not known to only look"));
    }
    if forms::takes_paths(subcommand) {
        // The first operand of `grep` is its pattern, unless an option gives one.
        let skipped = usize::from(*subcommand == "grep" && !given.has("-e"));
        for operand in given.operands.iter().skip(skipped) {
            read_operand(scene, &folder, operand);
        }
    }
}

/// An operand may be a revision, a path (`git diff` reads files outside of the repository too) or a path in a revision.
fn read_operand(scene: &mut Scene<'_>, folder: &str, operand: &str) {
    if operand.starts_with(':') && !operand.starts_with(":0:") {
        return scene.unknown(format!("`{operand}` is a path in a form that is not known"));
    }
    scene.read(&forms::below(folder, operand), true);
    if let Some((_, path)) = operand.split_once(':').filter(|(_, path)| !path.is_empty()) {
        let path = path.strip_prefix("0:").unwrap_or(path);
        scene.read(&forms::below(folder, path), true);
    }
}
