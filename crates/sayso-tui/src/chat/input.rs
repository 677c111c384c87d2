//! The text that somebody types: several lines, what was typed before, and the commands that it could become.

use sayso_core::text::visible::visible;

use super::search::{Looked, Search};
use crate::fold::{self, Spans};
use crate::key::Key;
use crate::text_cursor::{TextCursor, marked};
use crate::theme::Tone;

/// So many rows of it show.
const MOST_ROWS: usize = 8;
/// So many texts are remembered.
const MOST_REMEMBERED: usize = 500;
/// So many commands are proposed.
const MOST_PROPOSED: usize = 8;

/// A command that can be typed: its words, and what it does.
pub type Command = (&'static str, &'static str);

/// What comes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// It was taken.
    Taken,
    /// It means nothing here.
    Other,
    /// The text is sent.
    Sent(String),
}

/// A text, where the next letter goes, and what was typed before.
#[derive(Clone, Debug)]
pub struct Input {
    cursor: TextCursor,
    before: Vec<String>,
    /// Which of those shows, counted from the last; none for the text itself.
    shows: Option<usize>,
    /// What was typed before one of those showed.
    draft: String,
    /// Something is looked for among those.
    search: Option<Search>,
    commands: &'static [Command],
}

impl Default for Input {
    fn default() -> Self {
        Input::new(&[], Vec::new())
    }
}

impl Input {
    /// With the commands that can be typed, and what was typed before.
    pub fn new(commands: &'static [Command], mut before: Vec<String>) -> Input {
        before.dedup();
        before.drain(..before.len().saturating_sub(MOST_REMEMBERED));
        Input {
            cursor: TextCursor::multiline(),
            before,
            shows: None,
            draft: String::new(),
            search: None,
            commands,
        }
    }

    /// What stands there.
    pub fn text(&self) -> &str {
        self.cursor.text()
    }

    /// Whether nothing stands there.
    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.search = None;
        self.cursor.take();
    }

    /// Whether something is looked for among what was typed before.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Puts a text back that was not sent after all; what was typed since stands behind it.
    pub fn put_back(&mut self, text: String) {
        let since = self.cursor.take();
        self.cursor.set(if since.is_empty() {
            text
        } else {
            format!("{text}\n{since}")
        });
    }

    /// Takes a key.
    pub fn key(&mut self, key: &Key) -> Typed {
        if let Some(search) = &mut self.search {
            match search.key(key, &self.before) {
                Looked::Goes => {}
                Looked::Left => self.search = None,
                Looked::Taken(text) => {
                    self.search = None;
                    self.cursor.set(text);
                }
            }
            return Typed::Taken;
        }
        match key {
            Key::Ctrl('r') => self.search = Some(Search::default()),
            Key::Enter if self.text().ends_with('\\') && self.cursor.at() == self.text().len() => {
                let mut text = self.cursor.take();
                text.pop();
                text.push('\n');
                self.cursor.set(text);
            }
            Key::Enter if self.text().trim().is_empty() => {}
            Key::Enter => {
                let text = self.cursor.take();
                self.remember(&text);
                self.clear();
                return Typed::Sent(text);
            }
            Key::Tab => self.complete(),
            Key::Up => self.up(),
            Key::Down => self.down(),
            key if self.cursor.key(key) => {}
            _ => return Typed::Other,
        }
        Typed::Taken
    }

    /// Remembers a text that was sent.
    fn remember(&mut self, text: &str) {
        self.shows = None;
        if self.before.last().is_none_or(|last| last != text) {
            self.before.push(text.to_owned());
        }
        let more = self.before.len().saturating_sub(MOST_REMEMBERED);
        self.before.drain(..more);
    }

    /// The line above, or what was typed before.
    fn up(&mut self) {
        if self.cursor.up() {
            return;
        }
        let next = self.shows.map_or(0, |shows| shows + 1);
        if let Some(text) = self
            .before
            .len()
            .checked_sub(next + 1)
            .and_then(|at| self.before.get(at))
            .cloned()
        {
            if self.shows.is_none() {
                self.draft = self.cursor.take();
            }
            self.shows = Some(next);
            self.cursor.set(text);
        }
    }

    /// The line below, or what was typed after.
    fn down(&mut self) {
        if self.cursor.down() {
            return;
        }
        match self.shows {
            None => {}
            Some(0) => {
                self.shows = None;
                let draft = std::mem::take(&mut self.draft);
                self.cursor.set(draft);
            }
            Some(shows) => {
                self.shows = Some(shows - 1);
                let text = self
                    .before
                    .len()
                    .checked_sub(shows)
                    .and_then(|at| self.before.get(at))
                    .cloned();
                self.cursor.set(text.unwrap_or_default());
            }
        }
    }

    /// The commands that this could become.
    pub fn proposed(&self) -> Vec<Command> {
        let is_command =
            self.text().starts_with('/') && !self.text().contains('\n') && self.search.is_none();
        let fits = |(words, _): &&Command| words.starts_with(self.text()) && *words != self.text();
        self.commands
            .iter()
            .filter(|_| is_command)
            .filter(fits)
            .copied()
            .take(MOST_PROPOSED)
            .collect()
    }

    /// As much as all proposed commands begin with.
    fn complete(&mut self) {
        let proposed = self.proposed();
        let Some((first, _)) = proposed.first() else {
            return;
        };
        let mut common = *first;
        for (words, _) in &proposed {
            let length = common
                .bytes()
                .zip(words.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            common = common.get(..length).unwrap_or_default();
        }
        // Nothing more is common to all: the first of them.
        let text = if common.len() > self.text().len() {
            common
        } else {
            first
        };
        self.cursor.set(text.to_owned());
    }

    /// The rows that show of it, with a mark where the next letter goes.
    pub fn rows(&self, width: u16) -> Vec<Spans> {
        if let Some(search) = &self.search {
            return search.rows(&self.before, width);
        }
        let room = usize::from(width).saturating_sub(2).max(4);
        let mut rows: Vec<Spans> = Vec::new();
        let (mut start, mut cursor) = (0, 0);
        for line in self.text().split('\n') {
            let end = start + line.len();
            let at = self.cursor.at();
            let spans = if (start..=end).contains(&at) {
                marked(line, at - start)
            } else {
                fold::line(Tone::Strong, visible(line))
            };
            for row in fold::fold(&spans, room, "  ") {
                let mark = if rows.is_empty() { "› " } else { "  " };
                if row
                    .iter()
                    .any(|(tone, text)| *tone == Tone::Key && text == "▏")
                {
                    cursor = rows.len();
                }
                let mut out: Spans = vec![(Tone::Key, mark.to_owned())];
                out.extend(row);
                rows.push(out);
            }
            start = end + 1;
        }
        let first = cursor
            .saturating_sub(MOST_ROWS - 1)
            .min(rows.len().saturating_sub(MOST_ROWS));
        rows.into_iter().skip(first).take(MOST_ROWS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMANDS: &[Command] = &[
        ("/permissions", "a"),
        ("/permissions show", "b"),
        ("/permissions strict", "c"),
        ("/help", "d"),
    ];

    fn typed(input: &mut Input, text: &str) {
        text.chars()
            .for_each(|one| drop(input.key(&Key::Char(one))));
    }

    #[test]
    fn several_lines_are_typed_pasted_and_sent() {
        let mut input = Input::new(COMMANDS, Vec::new());
        typed(&mut input, "a\\");
        assert_eq!(input.key(&Key::Enter), Typed::Taken);
        typed(&mut input, "b");
        input.key(&Key::NewLine);
        input.key(&Key::Paste("c\r\nd\u{1b}".to_owned()));
        assert_eq!(input.text(), "a\nb\nc\nd\u{1b}");
        let rows: Vec<String> = input
            .rows(40)
            .iter()
            .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        assert_eq!(rows, ["› a", "  b", "  c", "  d␛▏"]);
        input.key(&Key::Up);
        input.key(&Key::Up);
        typed(&mut input, "X");
        assert_eq!(input.text(), "a\nbX\nc\nd\u{1b}");
        assert!(matches!(input.key(&Key::Enter), Typed::Sent(text) if text.starts_with("a\nbX")));
        assert_eq!(
            input.key(&Key::Enter),
            Typed::Taken,
            "nothing is sent of nothing"
        );
    }

    #[test]
    fn what_was_typed_before_comes_back() {
        let mut input = Input::new(COMMANDS, vec!["one".to_owned(), "two".to_owned()]);
        typed(&mut input, "draft");
        for (key, wanted) in [
            (Key::Up, "two"),
            (Key::Up, "one"),
            (Key::Up, "one"),
            (Key::Down, "two"),
            (Key::Down, "draft"),
            (Key::Down, "draft"),
        ] {
            input.key(&key);
            assert_eq!(input.text(), wanted);
        }
    }

    #[test]
    fn something_is_found_among_it() {
        let mut input = Input::new(
            COMMANDS,
            vec![
                "run one".to_owned(),
                "run one".to_owned(),
                "say two".to_owned(),
            ],
        );
        typed(&mut input, "draft");
        input.key(&Key::Ctrl('r'));
        typed(&mut input, "on");
        assert!(
            input.is_searching()
                && input
                    .rows(40)
                    .iter()
                    .flatten()
                    .any(|(_, text)| text == "run one")
        );
        assert_eq!(
            input.key(&Key::Enter),
            Typed::Taken,
            "it is taken, and not sent"
        );
        assert_eq!(input.text(), "run one");
        input.key(&Key::Ctrl('r'));
        typed(&mut input, "two");
        input.key(&Key::Esc);
        assert_eq!((input.text(), input.is_searching()), ("run one", false));
    }

    #[test]
    fn commands_are_proposed_and_completed() {
        let mut input = Input::new(COMMANDS, Vec::new());
        typed(&mut input, "/p");
        assert_eq!(input.proposed().len(), 3);
        input.key(&Key::Tab);
        assert_eq!(input.text(), "/permissions");
        input.key(&Key::Tab);
        assert_eq!(input.text(), "/permissions s");
        input.key(&Key::Tab);
        assert_eq!(input.text(), "/permissions show");
        input.clear();
        typed(&mut input, "x/p");
        assert!(input.proposed().is_empty());
    }

    proptest! {
        #[test]
        fn any_keys_leave_a_text(texts in prop::collection::vec((any::<String>(), 0u8..13), 0..20), width in 1u16..40) {
            let keys = [Key::Left, Key::Right, Key::Home, Key::End, Key::Backspace, Key::Delete, Key::Ctrl('w'), Key::Ctrl('r'), Key::Ctrl('k'), Key::Up, Key::Down, Key::Tab];
            let mut input = Input::new(COMMANDS, vec!["before\nit".to_owned()]);
            for (text, which) in texts {
                input.key(&Key::Paste(text));
                input.key(keys.get(usize::from(which)).unwrap_or(&Key::NewLine));
                prop_assert!(input.text().is_char_boundary(input.cursor.at()));
                prop_assert!(input.is_searching() || input.rows(width).len() <= MOST_ROWS);
            }
        }
    }
}
