//! The keys of a view. They only move it: no key of a view answers anything.

use crate::key::Key;

use super::BodyView;

/// The keys and what they do.
pub const HELP: &[(&str, &str)] = &[
    ("↑ ↓, k j", "a line up or down"),
    ("PgUp PgDn, b Space", "a page up or down"),
    ("Home End, g G", "to the start or the end"),
    ("[ ]", "to the changed place before or behind"),
    (
        "/",
        "search; n and N go to the next place and to the one before",
    ),
    ("s", "side by side, or one under the other"),
    (
        "z Z",
        "unfold or fold what stays the same, here or everywhere",
    ),
];

impl BodyView {
    /// Takes a key; false if it is none of the view's.
    pub fn key(&mut self, key: &Key) -> bool {
        if self.is_typing() {
            return self.typed(key);
        }
        match key {
            Key::Up | Key::Char('k') => self.scroll(-1),
            Key::Down | Key::Char('j') => self.scroll(1),
            Key::PageUp | Key::Char('b') | Key::Ctrl('b') => self.scroll(-self.page()),
            Key::PageDown | Key::Char(' ') | Key::Ctrl('f') => self.scroll(self.page()),
            Key::Ctrl('u') => self.scroll(-(self.page() / 2).max(1)),
            Key::Ctrl('d') => self.scroll((self.page() / 2).max(1)),
            Key::Home | Key::Char('g') => self.top = 0,
            Key::End | Key::Char('G') => self.show_end(),
            Key::Char(']') => self.show_hunk(false),
            Key::Char('[') => self.show_hunk(true),
            Key::Char('/') => self.search.typing = Some(String::new()),
            Key::Char('n') => self.find(false),
            Key::Char('N') => self.find(true),
            Key::Char('s') => {
                self.wish = Some(!self.layout.side_by_side);
                if self.is_pair(self.size.0) != self.layout.side_by_side {
                    self.lay_out();
                }
            }
            Key::Char('z') => self.toggle_fold(),
            Key::Char('Z') => self.toggle_folds(),
            _ => return false,
        }
        true
    }

    /// While a search is typed, every key is part of it.
    fn typed(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(letter) => self.search.add(letter.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.search.add(text),
            Key::Backspace if self.search.typing.as_ref().is_some_and(String::is_empty) => {
                self.search.typing = None
            }
            Key::Backspace => drop(self.search.typing.as_mut().and_then(String::pop)),
            Key::Esc | Key::Ctrl('c' | 'g') => self.search.typing = None,
            Key::Ctrl('u') => self.search.typing = Some(String::new()),
            Key::Enter => {
                let typed = self.search.typing.take().unwrap_or_default();
                (self.search.query, self.search.here, self.search.failed) = (typed, None, false);
                self.find(false);
            }
            _ => {}
        }
        true
    }

    fn find(&mut self, back: bool) {
        let row = self.top_row();
        if let Some(found) = self.search.next(&self.document, &self.layout, row, back) {
            self.show_found(&found);
        }
    }
}
