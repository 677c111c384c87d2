//! Dangers in programs of other languages that a command carries: `python -c`, `node -e`, `perl -e`.
//!
//! Nothing here understands a language. A call shows as a name before a bracket, and what it is given as the words behind.

pub(super) mod calls;
mod names;
mod network;
mod tokens;

use std::borrow::Cow;

use sayso_core::analysis::risk::Tier::{Catastrophic, Dangerous};

use super::call::Found;
use super::critical_paths::{Worth, secret_in, worth};
use crate::unparsed::language_names::is_language;
use crate::unparsed::split::{After, Segment};
use crate::unparsed::words::Seen;

/// Commands inside programs that are looked at.
const MOST_COMMANDS: usize = 256;
/// Words of one such command.
const MOST_WORDS: usize = 64;

/// Whether a program that is no language runs a text of one that it is given: `emacs --eval`.
pub(crate) fn evaluates(name: &str) -> bool {
    matches!(
        name,
        "emacs"
            | "jshell"
            | "gdb"
            | "nvim"
            | "vim"
            | "vi"
            | "gnuplot"
            | "expect"
            | "rails"
            | "blender"
            | "octave"
            | "sbcl"
            | "racket"
            | "psql"
    )
}

/// Whether a variable names code that other programs load or start.
pub(crate) fn loads_code(name: &str) -> bool {
    matches!(
        name,
        "LD_PRELOAD"
            | "LD_AUDIT"
            | "LD_LIBRARY_PATH"
            | "DYLD_INSERT_LIBRARIES"
            | "BASH_ENV"
            | "ENV"
            | "PATH"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "GIT_EXEC_PATH"
            | "PYTHONSTARTUP"
    )
}

/// The texts of programs in a line: what a language is given as arguments, or all of the line where it reads its program.
pub(crate) fn programs<'a>(text: &'a str, segments: &[Segment]) -> Vec<Cow<'a, str>> {
    const MOST: usize = 16;
    let mut out: Vec<Cow<'a, str>> = Vec::new();
    let mut reads = false;
    for segment in segments.iter().filter(|segment| {
        !segment.after.is_redirect() && !segment.rough && segment.after != After::Wrapper
    }) {
        let Some(at) = segment
            .words
            .iter()
            .take(8)
            .position(|word| is_language(word))
        else {
            continue;
        };
        let arguments = segment.words.get(at + 1..).unwrap_or(&[]);
        reads |= arguments.iter().all(|word| {
            word.starts_with('-') && !matches!(word.as_str(), "-V" | "--version" | "-v")
        });
        if arguments.iter().any(|word| word.contains(['(', '`', ' '])) && out.len() < MOST {
            out.push(Cow::Owned(arguments.join("\n")));
        }
    }
    if reads {
        out.push(Cow::Borrowed(text));
        // What is printed into it stands in quotes of the line.
        let words = segments
            .iter()
            .filter(|segment| !segment.rough)
            .flat_map(|segment| &segment.words);
        out.extend(
            words
                .filter(|word| word.contains('('))
                .take(MOST)
                .map(|word| Cow::Owned(word.clone())),
        );
    }
    out
}

/// The command that a language runs under the name of a module or a file: `python -m alembic`, `php bin/console`, `java -jar x.jar`.
pub(crate) fn module<'a>(name: &str, arguments: &'a [String]) -> Option<&'a [String]> {
    if !is_language(name) && name != "java" {
        return None;
    }
    let at = arguments.iter().position(|word| {
        !word.starts_with('-')
            || matches!(word.as_str(), "-m" | "-jar" | "-c" | "-e" | "-r" | "--eval")
    })?;
    match arguments.get(at).map(String::as_str) {
        Some("-m" | "-jar") => arguments.get(at + 1..).filter(|rest| !rest.is_empty()),
        Some(word) if !word.starts_with('-') => arguments.get(at..).filter(|rest| rest.len() > 1),
        _ => None,
    }
}

/// Calls that delete a folder with everything below, by the end of their names.
const DELETES: [&str; 14] = [
    "rmtree",
    "rm_rf",
    "rm_r",
    "rmsync",
    "rmdirsync",
    "removeall",
    "remove_dir_all",
    "fs.rm",
    "fs.rmdir",
    "fspromises.rm",
    "remove_tree",
    "rimraf",
    "rimrafsync",
    "removesync",
];

/// Calls that run a command, by the end of their names.
const RUNS: [&str; 24] = [
    "system",
    "popen",
    "subprocess.run",
    "subprocess.call",
    "check_call",
    "check_output",
    "exec",
    "execsync",
    "execfile",
    "execfilesync",
    "spawn",
    "spawnsync",
    "getoutput",
    "getstatusoutput",
    "shell_exec",
    "passthru",
    "proc_open",
    "execv",
    "execvp",
    "execlp",
    "os.execute",
    "bun.$",
    "sh",
    "%x",
];

/// Looks at the programs inside a text. `run` looks at a command that one of them runs.
pub(crate) fn of_seen(
    seen: &Seen,
    found: &mut Vec<Found>,
    mut run: impl FnMut(&[String], &mut Vec<Found>),
) {
    let language = |segment: &Segment| segment.words.iter().take(8).any(|word| is_language(word));
    let has_language = seen.segments.iter().any(language);
    let lists: [&[Segment]; 2] = [&seen.code, if has_language { &seen.segments } else { &[] }];
    let mut left = MOST_COMMANDS;
    for list in lists {
        for (at, segment) in list.iter().enumerate() {
            let Some(name) = segment
                .words
                .last()
                .filter(|word| word.len() < 128)
                .map(|word| word.to_ascii_lowercase())
            else {
                continue;
            };
            let next = || {
                list.iter()
                    .skip(at + 1)
                    .take(3)
                    .filter_map(|segment| segment.words.first())
            };
            if DELETES.iter().any(|end| is_call(&name, end)) {
                match next()
                    .map(|word| clean(word))
                    .find(|word| worth(word) == Worth::Vital)
                {
                    Some(path) => found.push((
                        Catastrophic,
                        format!("`{name}` deletes `{path}` with everything below"),
                    )),
                    None => found.push((
                        Dangerous,
                        format!("`{name}` deletes folders with everything below"),
                    )),
                }
            }
            if RUNS.iter().any(|end| is_call(&name, end)) && left > 0 {
                left -= 1;
                // What is shown again behind wrappers stands last, and next to nothing.
                let inner = list
                    .get(at + 1)
                    .filter(|segment| segment.after != After::Wrapper)
                    .map_or(&[][..], |segment| &segment.words);
                let words: Vec<String> = inner
                    .iter()
                    .take(MOST_WORDS)
                    .flat_map(|word| word.split(','))
                    .map(|word| clean(word).to_owned())
                    .filter(|word| !word.is_empty())
                    .collect();
                run(&words, found);
            }
        }
    }
    if !seen.code.is_empty() || has_language {
        reaches_out(&seen.code, &seen.segments, found);
    }
}

/// Whether a word ends with the name of a call.
pub(crate) fn is_call(word: &str, end: &str) -> bool {
    word.strip_suffix(end).is_some_and(|before| {
        !before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// Whether what stands in the bracket behind this is only shown.
pub(crate) fn prints(segment: &Segment) -> bool {
    let Some(name) = segment
        .words
        .last()
        .filter(|word| word.len() < 128)
        .map(|word| word.to_ascii_lowercase())
    else {
        return false;
    };
    [
        "print", "println", "printf", "log", "puts", "info", "debug", "warn", "warning", "error",
        "write",
    ]
    .iter()
    .any(|end| is_call(&name, end))
}

/// Whether what stands in the bracket behind this is run as a program. `re.exec` of a pattern is none.
fn executes(segment: &Segment) -> bool {
    let Some(last) = segment.words.last() else {
        return false;
    };
    let name = last
        .rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.')
        .next()
        .unwrap_or(last);
    matches!(name, "exec" | "eval" | "execfile" | "loadstring")
        || segment.words.first().is_some_and(|word| word == "eval")
}

/// A word without the quotes and brackets of a program.
fn clean(word: &str) -> &str {
    word.trim_matches(|letter| "[]{}()'\",;`".contains(letter))
}

/// A program that talks to a network where it names a secret or runs a text.
fn reaches_out(code: &[Segment], rest: &[Segment], found: &mut Vec<Found>) {
    let segments = || {
        code.iter()
            .chain(rest.iter().filter(|segment| segment.rough))
            .take(MOST_WORDS * MOST_COMMANDS)
    };
    let words = || segments().flat_map(|segment| &segment.words);
    let talks = network::talks(segments());
    let executes = || {
        code.iter()
            .chain(rest.iter().filter(|segment| segment.rough))
            .any(executes)
    };
    let decodes = |word: &String| {
        let lower = word.to_ascii_lowercase();
        [
            "b64decode",
            "base64",
            "atob",
            "fromcharcode",
            "fromhex",
            "decompress",
            "decode_base64",
            "unpack",
            "marshal",
        ]
        .iter()
        .any(|name| lower.contains(name))
    };
    if talks && executes() {
        found.push((Dangerous, "a program runs what it downloads".to_owned()));
    } else if words().take(MOST_WORDS * MOST_COMMANDS).any(decodes) && executes() {
        found.push((
            Dangerous,
            "a program runs a text that is written in code".to_owned(),
        ));
    }
    if talks
        && let Some(path) = words()
            .take(MOST_WORDS * MOST_COMMANDS)
            .find_map(|word| secret_in(clean(word)))
    {
        found.push((
            Dangerous,
            format!("reads the secret `{path}` and talks to the network in one program"),
        ));
    }
}
