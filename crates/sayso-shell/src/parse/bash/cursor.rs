//! The place in the text: looking ahead, skipping blanks and comments, refusing with a place.

use super::heredoc::Pending;
use super::{DEEPEST, Reading, Refusal};
use crate::parse::characters::is_hidden;

/// A place in a text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Behind a `!`.
    pub(super) negated: bool,
    /// Heredocs whose bodies start at the next line.
    pub(super) pending: Vec<Pending>,
    /// Bodies that were read, by number.
    pub(super) bodies: Vec<super::tree::Word>,
}

impl<'a> Cursor<'a> {
    /// Starts at the beginning, after a look at characters that no reader should have to deal with.
    pub(super) fn new(text: &'a str) -> Reading<Cursor<'a>> {
        let cursor = Cursor {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            negated: false,
            pending: Vec::new(),
            bodies: Vec::new(),
        };
        for (at, byte) in text.bytes().enumerate() {
            // Most characters are such as anybody can see.
            if matches!(byte, b'\t' | b'\n' | b' '..=b'[' | b']'..=b'~') {
                continue;
            }
            // Inside of a character of several bytes there is none.
            let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                continue;
            };
            if is_hidden(character) {
                return cursor.refuse_at(
                    at,
                    at + character.len_utf8(),
                    format!(
                        "the character U+{:04X} is not plain text",
                        u32::from(character)
                    ),
                );
            }
            // A shell takes `\` and a line end out before it looks for anything else: `&\⏎&` is `&&`, `2\⏎>` a descriptor, `do\⏎ne` a word.
            // Behind a blank it can join nothing.
            let before = at
                .checked_sub(1)
                .and_then(|before| cursor.bytes.get(before))
                .unwrap_or(&b' ');
            if character == '\\'
                && !b" \t\n".contains(before)
                && cursor.bytes.get(at + 1) == Some(&b'\n')
            {
                return cursor.refuse_at(
                    at,
                    at + 2,
                    "a line is continued inside of a word or an operator",
                );
            }
        }
        Ok(cursor)
    }

    /// The byte here.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte some places ahead.
    pub(super) fn ahead(&self, distance: usize) -> Option<u8> {
        self.bytes.get(self.at + distance).copied()
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The character here.
    pub(super) fn character(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on if this text stands here.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        if here {
            self.at += text.len();
        }
        here
    }

    /// Whether a line is continued here.
    pub(super) fn continued(&self) -> bool {
        self.peek() == Some(b'\\') && self.ahead(1) == Some(b'\n')
    }

    /// Skips blanks, continued lines, and a comment if one starts here.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.continued() => self.at += 2,
                Some(b'#') if self.starts_word() => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Whether a word would start here: at the start, or behind a blank or an operator.
    fn starts_word(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else {
            return true;
        };
        // A continued line joins what stands before and behind it, so the byte before that counts.
        let mut before = before;
        while self.bytes.get(before) == Some(&b'\n')
            && before > 0
            && self.bytes.get(before - 1) == Some(&b'\\')
        {
            match before.checked_sub(2) {
                Some(earlier) => before = earlier,
                None => return true,
            }
        }
        self.bytes
            .get(before)
            .is_some_and(|byte| is_meta(*byte) || *byte == b'`')
    }

    /// Skips blanks, comments and line ends; bodies of heredocs are read at the line end they follow.
    pub(super) fn lines(&mut self) -> Reading<()> {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.line_end()?;
        }
    }

    /// Passes one line end.
    pub(super) fn line_end(&mut self) -> Reading<()> {
        self.at += 1;
        self.heredoc_bodies()
    }

    /// Goes one level deeper, for as long as `inner` runs.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Reading<T>) -> Reading<T> {
        if self.depth >= DEEPEST {
            return self.refuse("constructs stand in each other too deep");
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Makes sure that nothing is left.
    pub(super) fn at_end(&mut self) -> Reading<()> {
        if !self.pending.is_empty() {
            return self.refuse("a heredoc has no body");
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => self.refuse("something stands here that belongs to no command"),
        }
    }

    /// Refuses at this place.
    pub(super) fn refuse<T>(&self, reason: impl Into<String>) -> Reading<T> {
        let width = self.character().map_or(0, char::len_utf8);
        self.refuse_at(self.at, self.at + width, reason)
    }

    /// Refuses at a place.
    pub(super) fn refuse_at<T>(
        &self,
        start: usize,
        end: usize,
        reason: impl Into<String>,
    ) -> Reading<T> {
        Err(Refusal {
            reason: reason.into(),
            start,
            end: end.min(self.text.len()).max(start),
        })
    }
}

/// Whether a byte ends a word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}
