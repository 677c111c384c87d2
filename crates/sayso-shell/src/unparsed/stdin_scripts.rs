//! Whether a command that reads from a pipe takes what it is sent for a script.

use super::words;
use crate::expand::wrappers::{self, loose_name};
use crate::programs;

/// Programs that start a shell when they are given no command.
const START_SHELLS: [&str; 8] = [
    "newgrp", "unshare", "nsenter", "script", "fakeroot", "setarch", "linux32", "linux64",
];
/// Options of `ssh` with a value of their own.
const VALUED_BY_SSH: &str = "BbcDEeFIiJLlmOopQRSWw";
/// Names of what a program is sent.
const INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether words are a command that runs what it reads.
///
/// A shell behind a program that leaves its arguments alone is only a word (`grep bash`), and one that is given a file reads that.
pub(crate) fn reads_script(words: &[String]) -> bool {
    let Some(program) = behind(words) else {
        return false;
    };
    let words = program.words;
    let Some((first, arguments)) = words.split_first() else {
        return false;
    };
    let name = loose_name(first);
    match &*name {
        "source" | "." => return arguments.iter().any(|word| INPUT.contains(&word.as_str())),
        // A variable may hold a line that was read, and a substitution reads what its command was sent.
        "eval" => {
            return arguments.iter().any(|word| {
                is_text_with_variable(word) || word.contains("$(cat") || word.contains("`cat")
            });
        }
        "parallel" => {
            return !arguments
                .iter()
                .any(|word| is_operand(word) && !word.starts_with('{'));
        }
        "ssh" => return is_bare_ssh(arguments) || holds_shell(words, program.replaced),
        name if START_SHELLS.contains(&name) => {
            return !arguments.iter().any(|word| is_operand(word))
                || holds_shell(words, program.replaced);
        }
        _ => {}
    }
    // Hardly any command has a shell among its words, which is sooner seen than what its program does with them.
    let runs_others = || wrappers::is_shell(first) || wrappers::takes_command(first);
    let leaves_alone =
        || programs::find(wrappers::identity(first)).is_some_and(|known| !known.interprets);
    holds_shell(words, program.replaced) && (runs_others() || !leaves_alone())
}

/// Whether a text has a variable in it that is not one of a substitution.
fn is_text_with_variable(word: &str) -> bool {
    !word.starts_with("$(")
        && !word.starts_with('`')
        && word.split('$').skip(1).any(|rest| {
            rest.starts_with(|first: char| first.is_alphanumeric() || "_{@*".contains(first))
        })
}

/// Whether there is a shell among the words that is not given another script than what it reads.
fn holds_shell(words: &[String], replaced: Option<&str>) -> bool {
    let Some((at, shell)) = words
        .iter()
        .enumerate()
        .find(|(_, word)| wrappers::is_shell(word))
    else {
        return false;
    };
    let first = words.first().map_or("", String::as_str);
    let mut rest = words.iter().skip(at + 1).map(String::as_str);
    while let Some(word) = rest.next() {
        let letters = word.strip_prefix(['-', '+']).unwrap_or("");
        match word {
            _ if INPUT.contains(&word) || word == "-s" => return true,
            "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file" => drop(rest.next()),
            _ if word.starts_with("--") => {}
            _ if letters.contains('c') => {
                // A script of several words is looked into by itself.
                let script = rest.next();
                let is_input = |replaced| script.is_none_or(|script| script.starts_with(replaced));
                return replaced.is_some_and(is_input) || script.is_some_and(wrappers::is_shell);
            }
            // An option of another kind of shell may hold anything.
            _ if letters.len() > 1 && !is_common(shell) => return true,
            _ if letters.contains('s') => return true,
            // It only looks whether the text could be read.
            _ if letters.contains('n') && word.starts_with('-') => {
                return rest.any(|word| word.starts_with('+'));
            }
            _ if letters.ends_with(['o', 'O']) => drop(rest.next()),
            _ if !letters.is_empty() => {}
            // A file, if the shell is what runs.
            _ => return !wrappers::is_shell(first) && !wrappers::takes_command(first),
        }
    }
    true
}

/// Whether a shell has the options that all of this kind have.
fn is_common(shell: &str) -> bool {
    matches!(
        &*loose_name(shell),
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "ash" | "rbash"
    )
}

/// What a command starts in the end.
struct Behind<'a> {
    words: &'a [String],
    /// What `xargs` puts the lines it reads in place of, or nothing if they come last.
    replaced: Option<&'a str>,
}

/// The program that a command starts behind keywords and wrappers whose options are known. Where they are not, it is the wrapper.
fn behind(words: &[String]) -> Option<Behind<'_>> {
    const DEEPEST: usize = 8;
    let mut behind = Behind {
        words,
        replaced: None,
    };
    for _ in 0..DEEPEST {
        let own = |word: &String| wrappers::is_transparent(word) || words::is_assignment(word);
        let start = behind.words.iter().take_while(|word| own(word)).count();
        behind.words = behind.words.get(start..)?;
        let first = behind.words.first()?;
        if wrappers::identity(first) == "xargs" {
            let options = options_of_xargs(behind.words.get(1..)?);
            behind.replaced = Some(options.map_or("{}", |(_, replaced)| replaced));
            let Some((own, _)) = options else { break };
            let Some(inner) = behind
                .words
                .get(1 + own..)
                .filter(|inner| !inner.is_empty())
            else {
                break;
            };
            behind.words = inner;
            continue;
        }
        match wrappers::unwrap(behind.words) {
            Ok(unwrapped) if unwrapped.start > 0 => {
                behind.words = behind.words.get(unwrapped.start..)?
            }
            _ => break,
        }
    }
    Some(behind)
}

/// How many words are options of `xargs`, and what it replaces; none where an option is not known.
fn options_of_xargs(arguments: &[String]) -> Option<(usize, &str)> {
    let mut at = 0;
    let mut replaced = "{}";
    while let Some(word) = arguments.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        match word.as_str() {
            "--" => break,
            "-0" | "--null" | "-r" | "--no-run-if-empty" | "-t" | "--verbose" | "-x" | "--exit"
            | "-p" | "-o" | "-i" | "-l" | "-e" => {}
            "-I" | "-J" => {
                replaced = arguments.get(at)?;
                at += 1;
            }
            "-n" | "-L" | "-P" | "-s" | "-d" | "-a" | "-E" | "-R" | "-S" => at += 1,
            _ if word.starts_with("-I") || word.starts_with("-i") => replaced = word.get(2..)?,
            _ if word.contains('=') || word.len() > 2 && !word.starts_with("--") => {}
            _ => return None,
        }
    }
    Some((at, replaced))
}

fn is_operand(word: &str) -> bool {
    !word.starts_with(['-', '+']) && !word.starts_with(|first: char| first.is_ascii_digit())
}

/// `ssh` with a host and no command.
fn is_bare_ssh(arguments: &[String]) -> bool {
    let mut operands = 0;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some(letters)
                if letters
                    .chars()
                    .last()
                    .is_some_and(|last| letters.len() == 1 && VALUED_BY_SSH.contains(last)) =>
            {
                words.next();
            }
            Some(_) => {}
            None => operands += 1,
        }
    }
    operands < 2
}
