//! A text that is typed, and the place in it where the next letter goes: one line (a pattern, words for the agent), or several (the chat).

use sayso_core::text::visible::visible;
use unicode_segmentation::UnicodeSegmentation;

use crate::fold::Spans;
use crate::key::Key;
use crate::theme::Tone;

/// The most bytes of one line.
const MAX_LINE: usize = 4096;
/// The most bytes of several lines.
const MAX_LINES: usize = 256 << 10;

/// A text, and where the next letter goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextCursor {
    text: String,
    /// A byte of the text, between two letters.
    at: usize,
    /// Keys move within a line of several.
    multiline: bool,
}

impl TextCursor {
    /// A line with something in it, and the cursor behind it.
    pub fn with(text: impl Into<String>) -> Self {
        let mut cursor = TextCursor::default();
        cursor.set(text.into());
        cursor
    }

    /// Nothing yet, with room for several lines.
    pub fn multiline() -> Self {
        TextCursor {
            multiline: true,
            ..TextCursor::default()
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte of the text where the next letter goes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Replaces the text, with the cursor behind it.
    pub fn set(&mut self, text: String) {
        self.at = text.len();
        self.text = text;
    }

    /// Takes the text out.
    pub fn take(&mut self) -> String {
        self.at = 0;
        std::mem::take(&mut self.text)
    }

    /// Takes a key; false for one that changes nothing of a text.
    pub fn key(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            Key::Paste(text) if self.multiline => {
                self.insert(&text.replace("\r\n", "\n").replace('\r', "\n"));
            }
            // What is pasted is text and no more: its breaks do not end the line.
            Key::Paste(text) => self.insert(text.replace(['\r', '\n', '\t'], " ").trim()),
            Key::NewLine if self.multiline => self.insert("\n"),
            Key::Backspace => self.delete(self.left(), self.at),
            Key::Delete => self.delete(self.at, self.right()),
            Key::Left => self.at = self.left(),
            Key::Right => self.at = self.right(),
            Key::Home | Key::Ctrl('a') => self.at = self.line_start(),
            Key::End | Key::Ctrl('e') => self.at = self.line_end(),
            Key::Ctrl('u') => self.delete(self.line_start(), self.at),
            Key::Ctrl('k') => self.delete(self.at, self.line_end()),
            Key::Ctrl('w') => {
                let is_break = |letter: char| letter == ' ' || self.multiline && letter == '\n';
                let word = self.before().trim_end().rfind(is_break);
                self.delete(word.map_or(0, |blank| blank + 1), self.at);
            }
            _ => return false,
        }
        true
    }

    fn insert(&mut self, text: &str) {
        let most = if self.multiline { MAX_LINES } else { MAX_LINE };
        if self.text.len() + text.len() <= most && self.text.is_char_boundary(self.at) {
            self.text.insert_str(self.at, text);
            self.at += text.len();
        }
    }

    fn delete(&mut self, from: usize, to: usize) {
        if from < to && self.text.is_char_boundary(from) && self.text.is_char_boundary(to) {
            self.text.replace_range(from..to, "");
            self.at = from;
        }
    }

    fn before(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    fn behind(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn left(&self) -> usize {
        let last = self.before().grapheme_indices(true).next_back();
        last.map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        self.at + self.behind().graphemes(true).next().map_or(0, str::len)
    }

    fn line_start(&self) -> usize {
        let end = self.before().rfind('\n').filter(|_| self.multiline);
        end.map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        let end = self.behind().find('\n').filter(|_| self.multiline);
        end.map_or(self.text.len(), |at| self.at + at)
    }

    /// Moves to the line above; false where there is none.
    pub fn up(&mut self) -> bool {
        let (start, column) = (self.line_start(), self.column());
        if start > 0 {
            self.at = start - 1;
            self.move_to(self.line_start(), column);
        }
        start > 0
    }

    /// Moves to the line below; false where there is none.
    pub fn down(&mut self) -> bool {
        let (end, column) = (self.line_end(), self.column());
        if end < self.text.len() {
            self.move_to(end + 1, column);
        }
        end < self.text.len()
    }

    /// How many letters of the line stand before the cursor.
    fn column(&self) -> usize {
        let line = self.text.get(self.line_start()..self.at);
        line.unwrap_or_default().graphemes(true).count()
    }

    /// Moves to a column of the line that starts there.
    fn move_to(&mut self, start: usize, column: usize) {
        self.at = start;
        let end = self.line_end();
        let line = self.text.get(start..end).unwrap_or_default();
        let letter = line.grapheme_indices(true).nth(column);
        self.at = letter.map_or(end, |(at, _)| start + at);
    }

    /// The line as it is shown, with a mark where the next letter goes.
    pub fn shown(&self) -> Spans {
        let mut spans = vec![(Tone::Key, "> ".to_owned())];
        spans.extend(marked(&self.text, self.at));
        spans
    }
}

/// A line as it is shown, with a mark where the next letter goes.
pub(crate) fn marked(line: &str, at: usize) -> Spans {
    let (before, behind) = line.split_at_checked(at).unwrap_or((line, ""));
    vec![
        (Tone::Strong, visible(before).into_owned()),
        (Tone::Key, "▏".to_owned()),
        (Tone::Strong, visible(behind).into_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_edited() {
        let mut entry = TextCursor::with("git status");
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
            let mut entry = TextCursor::default();
            for (text, which) in texts {
                let moves = [Key::Left, Key::Right, Key::Home, Key::End, Key::Backspace, Key::Delete, Key::Ctrl('w'), Key::Ctrl('k')];
                entry.key(&Key::Paste(text));
                entry.key(moves.get(usize::from(which)).unwrap_or(&Key::Ctrl('u')));
                prop_assert!(entry.text.is_char_boundary(entry.at) && entry.text.len() <= MAX_LINE);
            }
        }
    }
}
