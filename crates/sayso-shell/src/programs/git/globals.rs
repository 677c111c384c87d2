//! The words between `git` and its subcommand: where git goes, and settings for this one run.

use crate::parse::placeholder;

/// The words before the subcommand.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    /// How many words they are.
    pub(crate) length: usize,
    /// Where git goes first, from `-C`; none is the current folder.
    folder: Option<String>,
    /// The first one that can change what git runs or where.
    pub(crate) unknown: Option<String>,
}

impl Globals {
    /// The folder git works in.
    pub(crate) fn folder(&self) -> String {
        self.folder.clone().unwrap_or_else(|| ".".to_owned())
    }
}

/// Reads the global options. Those that are not harmless are skipped too, since deny rules look at the subcommand.
pub(crate) fn globals(words: &[&str]) -> Globals {
    let mut globals = Globals::default();
    while let Some(word) = words
        .get(globals.length)
        .copied()
        .filter(|word| word.starts_with('-'))
    {
        globals.length += 1;
        let takes_next = matches!(
            word,
            "-C" | "-c"
                | "--git-dir"
                | "--work-tree"
                | "--namespace"
                | "--config-env"
                | "--super-prefix"
                | "--attr-source"
        );
        let value = if takes_next {
            words.get(globals.length).copied()
        } else {
            None
        };
        globals.length += usize::from(value.is_some());
        let known = match (word, value) {
            (
                "-P"
                | "--no-pager"
                | "--no-optional-locks"
                | "--literal-pathspecs"
                | "--no-replace-objects",
                _,
            ) => true,
            ("--no-lazy-fetch" | "--no-advice" | "--glob-pathspecs" | "--noglob-pathspecs", _) => {
                true
            }
            // Every further `-C` is seen from the one before.
            ("-C", Some(folder)) => {
                match &mut globals.folder {
                    Some(before) if !folder.starts_with('/') => {
                        *before = format!("{before}/{folder}")
                    }
                    before => *before = Some(folder.to_owned()),
                }
                placeholder::is_literal(folder) && !folder.is_empty()
            }
            ("-c", Some(setting)) => is_harmless(setting),
            // The repository that git would find here by itself.
            ("--git-dir", Some(path)) => path == ".git",
            ("--work-tree", Some(path)) => path == ".",
            _ => matches!(word, "--git-dir=.git" | "--work-tree=."),
        };
        if !known {
            globals.unknown.get_or_insert(word.to_owned());
        }
    }
    globals
}

/// Settings that change how things are shown or who commits, and no value of which leads to a program, a file or another machine.
const HARMLESS: [&str; 38] = [
    "core.quotepath",
    "core.abbrev",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.untrackedcache",
    "core.whitespace",
    "core.commentchar",
    "column.ui",
    "log.date",
    "log.decorate",
    "log.abbrevcommit",
    "log.follow",
    "status.short",
    "status.branch",
    "status.relativepaths",
    "status.showuntrackedfiles",
    "diff.renames",
    "diff.renamelimit",
    "diff.algorithm",
    "diff.context",
    "diff.noprefix",
    "diff.mnemonicprefix",
    "diff.colormoved",
    "grep.linenumber",
    "user.name",
    "user.email",
    "init.defaultbranch",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "rebase.autosquash",
    "rebase.autostash",
    "merge.conflictstyle",
];

/// Whether a setting as `-c` or `git config` has it, `name=value`, is harmless.
pub(in crate::programs) fn is_harmless(setting: &str) -> bool {
    let Some((name, value)) = setting.split_once('=') else {
        return false;
    };
    let name = name.to_ascii_lowercase();
    let off = matches!(value, "false" | "0" | "no" | "off");
    placeholder::is_literal(setting)
        && match name.as_str() {
            // Git takes `cat` for no pager at all.
            "core.pager" => matches!(value, "cat" | ""),
            "core.fsmonitor" => off || value.is_empty(),
            "core.hookspath" => value == "/dev/null",
            "commit.gpgsign" | "tag.gpgsign" | "log.showsignature" => off,
            _ if name.starts_with("pager.") => off || value == "cat",
            _ => {
                name.starts_with("color.")
                    || name.starts_with("advice.")
                    || HARMLESS.contains(&name.as_str())
            }
        }
}
