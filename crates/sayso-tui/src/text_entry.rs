//! One line of text that somebody types: a pattern, or words for the agent.

use sayso_core::text::visible::visible;
use unicode_segmentation::UnicodeSegmentation;

use crate::fold::Spans;
use crate::key::Key;
use crate::theme::Tone;

/// A typed line has no more bytes than these.
const LONGEST: usize = 4096;

/// A line, and where the next letter goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    text: String,
    /// A byte of the text, between two letters.
    at: usize,
}

impl Entry {
    /// A line with something in it, to go on behind it.
    pub fn with(text: impl Into<String>) -> Self {
        let text = text.into();
        Entry {
            at: text.len(),
            text,
        }
    }

    /// What stands there.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key; false for one that changes nothing of a line.
    pub fn key(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(character) => self.insert(&character.to_string()),
            // What is pasted is text and no more: its breaks do not end the line.
            Key::Paste(text) => self.insert(text.replace(['\r', '\n', '\t'], " ").trim()),
            Key::Backspace => self.take(self.before(), self.at),
            Key::Delete => self.take(self.at, self.behind()),
            Key::Left => self.at = self.before(),
            Key::Right => self.at = self.behind(),
            Key::Home | Key::Ctrl('a') => self.at = 0,
            Key::End | Key::Ctrl('e') => self.at = self.text.len(),
            Key::Ctrl('u') => self.take(0, self.at),
            Key::Ctrl('k') => self.take(self.at, self.text.len()),
            Key::Ctrl('w') => {
                let before = self.text.get(..self.at).unwrap_or_default().trim_end();
                self.take(before.rfind(' ').map_or(0, |blank| blank + 1), self.at);
            }
            _ => return false,
        }
        true
    }

    fn insert(&mut self, text: &str) {
        if self.text.len() + text.len() <= LONGEST && self.text.is_char_boundary(self.at) {
            self.text.insert_str(self.at, text);
            self.at += text.len();
        }
    }

    fn take(&mut self, from: usize, to: usize) {
        if from < to && self.text.is_char_boundary(from) && self.text.is_char_boundary(to) {
            self.text.replace_range(from..to, "");
            self.at = from;
        }
    }

    fn before(&self) -> usize {
        self.text
            .get(..self.at)
            .unwrap_or_default()
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn behind(&self) -> usize {
        self.at
            + self
                .text
                .get(self.at..)
                .unwrap_or_default()
                .graphemes(true)
                .next()
                .map_or(0, str::len)
    }

    /// The line as it is shown, with a mark where the next letter goes.
    pub fn shown(&self) -> Spans {
        let (before, behind) = self
            .text
            .split_at_checked(self.at)
            .unwrap_or((&self.text, ""));
        vec![
            (Tone::Key, "> ".to_owned()),
            (Tone::Strong, visible(before).into_owned()),
            (Tone::Key, "▏".to_owned()),
            (Tone::Strong, visible(behind).into_owned()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_edited() {
        let mut entry = Entry::with("git status");
        for key in [
            Key::Ctrl('w'),
            Key::Char('ü'),
            Key::Left,
            Key::Char('x'),
            Key::End,
            Key::Backspace,
        ] {
            assert!(entry.key(&key));
        }
        assert_eq!(entry.text(), "git x");
        entry.key(&Key::Paste("a\r\nb\u{1b}".to_owned()));
        assert_eq!(entry.text(), "git xa  b\u{1b}");
        let shown: String = entry.shown().into_iter().map(|(_, text)| text).collect();
        assert_eq!(shown, "> git xa  b␛▏");
        assert!(!entry.key(&Key::Enter) && !entry.key(&Key::Esc));
        entry.key(&Key::Ctrl('u'));
        assert_eq!(entry.text(), "");
    }

    proptest! {
        #[test]
        fn any_keys_leave_a_line(texts in prop::collection::vec((any::<String>(), 0u8..9), 0..30)) {
            let mut entry = Entry::default();
            for (text, which) in texts {
                let moves = [Key::Left, Key::Right, Key::Home, Key::End, Key::Backspace, Key::Delete, Key::Ctrl('w'), Key::Ctrl('k')];
                entry.key(&Key::Paste(text));
                entry.key(moves.get(usize::from(which)).unwrap_or(&Key::Ctrl('u')));
                prop_assert!(entry.text.is_char_boundary(entry.at) && entry.text.len() <= LONGEST);
            }
        }
    }
}
