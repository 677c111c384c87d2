//! Writes words so that a shell, and our own reader, reads back exactly these words.

use crate::parse::characters::{is_plain, is_reserved};

/// One command line of these words.
pub(crate) fn quote(words: &[String]) -> String {
    let mut line = String::with_capacity(words.iter().map(|word| word.len() + 1).sum());
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        if needs_quotes(word, index == 0) {
            push_quoted(&mut line, word)
        } else {
            line.push_str(word)
        }
    }
    line
}

fn needs_quotes(word: &str, command_word: bool) -> bool {
    word.is_empty()
        || !word.chars().all(is_plain)
        // zsh takes `=ls` for the path of `ls`.
        || word.starts_with('=')
        || (command_word && (word.contains('=') || word.starts_with(['%', '^']) || is_reserved(word)))
}

fn push_quoted(line: &mut String, word: &str) {
    line.push('\'');
    for character in word.chars() {
        // A single quote cannot stand in single quotes: close, escape it, open again.
        if character == '\'' {
            line.push_str("'\\''")
        } else {
            line.push(character)
        }
    }
    line.push('\'');
}
