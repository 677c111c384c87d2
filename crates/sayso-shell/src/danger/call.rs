//! One program with its arguments, as the search for danger asks about it.

use std::borrow::Cow;

use sayso_core::analysis::risk::Tier;

use super::critical_paths::{Worth, worth};
use crate::parse::characters::starts_with;

/// A danger, with what was matched.
pub(crate) type Found = (Tier, String);

/// A program with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The last part of its name in lowercase, without `.exe`.
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a [String],
    /// The words are known to be a command. Otherwise they may be prose, and a name that is also an English word tells little.
    pub(crate) exact: bool,
}

impl<'a> Call<'a> {
    /// The arguments that are no options.
    pub(crate) fn operands(&self) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.arguments
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-'))
    }

    /// The operand at a place, which is how most programs name what they shall do.
    pub(crate) fn operand(&self, at: usize) -> &'a str {
        self.operands().nth(at).unwrap_or("")
    }

    /// The operand at a place in small letters.
    pub(crate) fn lower(&self, at: usize) -> Cow<'a, str> {
        let word = self.operand(at);
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            word.to_ascii_lowercase().into()
        } else {
            word.into()
        }
    }

    /// Whether an argument is exactly this word, in any case.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.eq_ignore_ascii_case(word))
    }

    pub(crate) fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Whether an argument starts with one of these, in any case.
    pub(crate) fn starts(&self, starts: &[&str]) -> bool {
        self.arguments
            .iter()
            .any(|argument| starts.iter().any(|start| starts_with(argument, start)))
    }

    /// Whether a bundle of short options has one of these letters.
    pub(crate) fn short(&self, letters: &[char]) -> bool {
        self.arguments
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    }

    /// Whether a long option is given, be it cut short or with a value.
    pub(crate) fn long(&self, full: &str) -> bool {
        self.arguments.iter().any(|word| {
            let name = word.split('=').next().unwrap_or(word);
            name.len() > 2 && starts_with(full, name)
        })
    }

    /// Goes into folders.
    pub(crate) fn recursive(&self) -> bool {
        self.short(&['r', 'R']) || self.long("--recursive")
    }

    /// The first operand that a machine or a person cannot do without.
    pub(crate) fn vital(&self) -> Option<&'a str> {
        self.operands().find(|word| worth(word) == Worth::Vital)
    }

    /// The value behind an option, be it the next word or glued on.
    pub(crate) fn value(&self, options: &[&str]) -> Option<&'a str> {
        let mut words = self.arguments.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if options.contains(&word) {
                return words.next();
            }
            let long = options.iter().filter(|option| option.starts_with("--"));
            if let Some(value) = long
                .filter_map(|option| word.strip_prefix(option)?.strip_prefix('='))
                .next()
            {
                return Some(value);
            }
        }
        None
    }
}
