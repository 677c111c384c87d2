//! The other forms of a command that ask and deny rules meet: by plain name, in normal form, with its wrappers, and behind what runs it.

use super::normal_form;
use crate::expand::wrappers::{self, loose_name};
use crate::parse::characters::last_part;
use crate::programs;

/// So many words of a command are shown again at most, and so many for each form when that is used up.
const MOST_WORDS: usize = 16 * 1024;
const LEAST_WORDS: usize = 8;

/// What a program does with its arguments, as far as rules must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// They are its own.
    Nothing,
    /// Nobody knows the program: an argument that is the name of a program may be one.
    Perhaps,
    /// It runs some of them.
    Command,
}

/// All other forms of a command: `all` are its words with the wrappers, which start at `starts`; `inner` are those without.
pub(crate) fn of_command(
    all: &[String],
    starts: &[usize],
    inner: &[String],
    carries: Carries,
) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut budget = MOST_WORDS;
    for start in starts {
        let words = all.get(*start..).unwrap_or(&[]);
        rows.push(words.to_vec());
        push(&mut rows, words, &mut budget);
    }
    if inner
        .first()
        .is_some_and(|first| loose_name(first) != first.as_str())
    {
        push(&mut rows, inner, &mut budget);
    }
    if carries != Carries::Nothing {
        for (index, word) in inner.iter().enumerate().skip(1) {
            if (carries == Carries::Command && !word.starts_with('-')) || is_program(word) {
                push(&mut rows, inner.get(index..).unwrap_or(&[]), &mut budget);
            }
        }
    }
    rows
}

/// All forms of commands that are run elsewhere, with and without their wrappers.
pub(crate) fn of_carried(commands: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut budget = MOST_WORDS;
    for words in commands {
        push(&mut rows, words, &mut budget);
        let start = wrappers::unwrap(words).map_or(0, |unwrapped| unwrapped.start);
        if let Some(inner) = words.get(start..).filter(|_| start > 0) {
            push(&mut rows, inner, &mut budget);
        }
    }
    rows
}

/// Whether a word, by its last part and in any case, is the name of something that is known to be a program.
pub(crate) fn is_program(word: &str) -> bool {
    let base = last_part(word);
    let known = |name: &str| programs::find(name).is_some() || wrappers::takes_command(name);
    if base.is_empty() || base.len() > 24 || base.starts_with('-') {
        return false;
    }
    if base.bytes().any(|byte| byte.is_ascii_uppercase()) {
        known(&base.to_ascii_lowercase())
    } else {
        known(base)
    }
}

/// Puts in the words with the plain name of their program, and their normal form.
fn push(rows: &mut Vec<Vec<String>>, words: &[String], budget: &mut usize) {
    let shown = if words.len() <= *budget {
        words
    } else {
        words.get(..LEAST_WORDS).unwrap_or(words)
    };
    *budget = budget.saturating_sub(shown.len());
    let (plain, normal) = plain_and_normal(shown);
    if normal != plain {
        rows.push(normal);
    }
    rows.push(plain);
}

/// The words with the plain name of their program, and those in normal form.
pub(crate) fn plain_and_normal(words: &[String]) -> (Vec<String>, Vec<String>) {
    let mut plain = words.to_vec();
    if let Some(first) = plain.first_mut() {
        *first = loose_name(first).into_owned();
    }
    let normal = normal_form::normal(&plain);
    (plain, normal)
}
