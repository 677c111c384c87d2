//! Looks for something among what was typed before: the newest that holds these words, and older ones.

use sayso_core::text::visible::visible;

use crate::fold::{self, Spans};
use crate::key::Key;
use crate::text_cursor::TextCursor;
use crate::theme::Tone;

/// So many rows of what was found show.
const MOST_ROWS: usize = 4;

/// A search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    words: TextCursor,
    /// Which of what was typed before it is, counted from the first.
    found: Option<usize>,
}

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// It goes on.
    Goes,
    /// This is taken.
    Taken(String),
    /// It is left, and nothing changes.
    Left,
}

impl Search {
    /// Takes a key.
    pub fn key(&mut self, key: &Key, before: &[String]) -> Looked {
        match key {
            Key::Ctrl('r') => {
                // An older one; where there is none, the one that shows stays.
                let older = self.find(
                    before
                        .get(..self.found.unwrap_or(before.len()))
                        .unwrap_or_default(),
                );
                self.found = older.or(self.found);
            }
            Key::Esc | Key::Ctrl('g') => return Looked::Left,
            Key::Enter | Key::Tab | Key::Up | Key::Down => {
                let found = self.found.and_then(|at| before.get(at)).cloned();
                return found.map_or(Looked::Left, Looked::Taken);
            }
            key => {
                if self.words.key(key) {
                    self.found = self.find(before);
                }
            }
        }
        Looked::Goes
    }

    fn find(&self, among: &[String]) -> Option<usize> {
        let words = self.words.text().to_lowercase();
        if words.is_empty() {
            return None;
        }
        among
            .iter()
            .rposition(|text| text.to_lowercase().contains(&words))
    }

    /// The rows that show of it.
    pub fn rows(&self, before: &[String], width: u16) -> Vec<Spans> {
        let mut head: Spans = vec![(Tone::Key, "find ".to_owned())];
        head.extend(self.words.shown());
        let mut out = fold::fold(&head, usize::from(width), "  ");
        let found = self.found.and_then(|at| before.get(at));
        let none = if self.words.text().is_empty() {
            "type a part of what you typed before"
        } else {
            "nothing matches"
        };
        let text = found.map_or_else(
            || (Tone::Faint, none.to_owned()),
            |text| (Tone::Strong, visible(text).into_owned()),
        );
        out.extend(
            fold::fold(
                &vec![(Tone::Key, "› ".to_owned()), text],
                usize::from(width),
                "  ",
            )
            .into_iter()
            .take(MOST_ROWS),
        );
        out.extend(fold::fold(
            &vec![(
                Tone::Faint,
                "Ctrl-R an older one · Enter takes it · Esc goes back".to_owned(),
            )],
            usize::from(width),
            "  ",
        ));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_found_first_and_older_ones_after_it() {
        let before = [
            "run make".to_owned(),
            "say x\u{1b}".to_owned(),
            "run MAKE test".to_owned(),
        ];
        let mut search = Search::default();
        for letter in "make".chars() {
            assert_eq!(search.key(&Key::Char(letter), &before), Looked::Goes);
        }
        assert_eq!(
            search.clone().key(&Key::Enter, &before),
            Looked::Taken("run MAKE test".to_owned())
        );
        search.key(&Key::Ctrl('r'), &before);
        assert_eq!(
            search.clone().key(&Key::Enter, &before),
            Looked::Taken("run make".to_owned())
        );
        search.key(&Key::Ctrl('r'), &before);
        assert_eq!(
            search.clone().key(&Key::Enter, &before),
            Looked::Taken("run make".to_owned()),
            "there is no older one"
        );
        search.key(&Key::Char('q'), &before);
        assert_eq!(search.clone().key(&Key::Enter, &before), Looked::Left);
        assert_eq!(search.key(&Key::Esc, &before), Looked::Left);
        for width in 1..30 {
            search.rows(&before, width);
        }
        let mut hidden = Search::default();
        hidden.key(&Key::Char('x'), &before);
        assert!(
            hidden
                .rows(&before, 60)
                .iter()
                .flatten()
                .any(|(_, text)| text.contains("say x␛"))
        );
    }
}
