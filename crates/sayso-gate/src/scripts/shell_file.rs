//! Scripts that a shell is given by name, and programs that are scripts.

use super::{Place, Script, Source};

/// Options of shells with a value of their own, besides those with an `o` or `O` among their letters.
const VALUED: [&str; 2] = ["--rcfile", "--init-file"];
/// Interpreters whose scripts no shell can read. What else stands in the first line may hand over to one.
const OTHERS: [&str; 14] = [
    "python", "python2", "python3", "node", "perl", "ruby", "php", "lua", "awk", "Rscript", "deno",
    "bun", "tclsh", "pwsh",
];

/// `sh [options] FILE`.
pub(super) fn started(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    let mut left = words.iter();
    while let Some(word) = left.next() {
        match word.as_str() {
            "--" | "-" => {
                return left
                    .next()
                    .and_then(|file| read(place, file))
                    .into_iter()
                    .collect();
            }
            word if VALUED.contains(&word) => drop(left.next()),
            word if word.starts_with("--") => {}
            // The text stands in the command itself, or comes from elsewhere.
            word if word.starts_with('-') && word.contains(['c', 's']) => return Vec::new(),
            word if word.starts_with(['-', '+']) && word.contains(['o', 'O']) => drop(left.next()),
            word if word.starts_with(['-', '+']) => {}
            file => return read(place, file).into_iter().collect(),
        }
    }
    Vec::new()
}

/// `source FILE`.
pub(super) fn sourced(place: &Place<'_>, words: &[String]) -> Vec<Script> {
    words
        .iter()
        .find(|word| *word != "--")
        .and_then(|file| read(place, file))
        .into_iter()
        .collect()
}

fn read(place: &Place<'_>, file: &str) -> Option<Script> {
    place.read(file).map(|source| script(place, source, true))
}

/// A program by its path, if it is a text: without an interpreter in its first line it is a shell's. One that no shell runs is only shown.
/// Where its name was only seen, it may be data: then it has to be a program by its mode or its first line.
pub(super) fn program(place: &Place<'_>, file: &str, only_seen: bool) -> Vec<Script> {
    let is_program = |source: &Source| {
        !only_seen || source.executable != Some(false) || source.text.starts_with("#!")
    };
    let source = place
        .read(file)
        .filter(|source| !source.text.contains('\0') && is_program(source));
    let of_shell =
        |source: &Source| interpreter(&source.text).is_none_or(|name| !OTHERS.contains(&name));
    source
        .map(|source| (of_shell(&source), source))
        .map(|(is_shell, source)| script(place, source, is_shell))
        .into_iter()
        .collect()
}

fn script(place: &Place<'_>, source: Source, is_shell: bool) -> Script {
    let Source {
        name, text, lacks, ..
    } = source;
    Script {
        name,
        shell: is_shell.then(|| text.clone()),
        shown: text,
        folder: place.folder.clone(),
        lacks,
    }
}

/// The name of the interpreter in the first line.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line
        .split_whitespace()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    match words.next()? {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')),
        name => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::interpreter;

    #[test]
    fn the_first_line_names_the_interpreter() {
        for (text, wanted) in [
            ("#!/bin/sh\n", Some("sh")),
            ("#! /usr/bin/env -S bash -e\n", Some("bash")),
            ("#!/usr/bin/env A=1 python3\n", Some("python3")),
            ("echo\n", None),
            ("#!\n", None),
        ] {
            assert_eq!(interpreter(text), wanted, "{text}");
        }
    }
}
