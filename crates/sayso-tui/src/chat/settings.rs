//! The settings on the screen: tabs with rows, each with its value, where that comes from and what it means. Keys become wishes; somebody else
//! carries them out, and says how it stands then.

use std::fmt::Display;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::fold::{self, Spans, line};
use crate::key::Key;
use crate::legend;
use crate::text_cursor::TextCursor;
use crate::theme::{Theme, Tone};

/// What can be done with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is on or off.
    Switch,
    /// It is one of these.
    OneOf(Vec<String>),
    /// It is a whole number.
    Number,
    /// Something that can be switched, edited and deleted: a rule.
    Rule,
    /// Something that can only be deleted: a grant.
    Grant,
    /// Something that is done.
    Action,
    /// It is only shown.
    Fact,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is called by whoever carries wishes out.
    pub id: String,
    /// What it is called on the screen; made visible before.
    pub label: String,
    /// Its value; made visible before.
    pub value: String,
    /// What can be typed to change it, where that is another text.
    pub edited: String,
    /// What can be done with it.
    pub kind: Kind,
    /// What it means, and where its value comes from.
    pub help: String,
}

/// One tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tab {
    /// Its name.
    pub title: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    None,
    /// To leave.
    Close,
    /// A row has another value.
    Set(String, String),
    /// A rule counts, or counts no more.
    Switch(String),
    /// A rule has another pattern.
    Edit(String, String),
    /// A row goes.
    Delete(String),
    /// It is done.
    Do(String),
}

enum Doing {
    Looking,
    Typing(TextCursor),
    /// A second key is needed.
    Sure,
}

/// The settings on the screen.
pub struct Settings {
    tabs: Vec<Tab>,
    tab: usize,
    row: usize,
    doing: Doing,
    notice: Option<(Tone, String)>,
}

impl Settings {
    /// These tabs.
    pub fn new(tabs: Vec<Tab>) -> Settings {
        Settings {
            tabs,
            tab: 0,
            row: 0,
            doing: Doing::Looking,
            notice: None,
        }
    }

    /// How it stands by now, and what came of a wish.
    pub fn renew(&mut self, tabs: Vec<Tab>, came: Result<String, impl Display>) {
        self.tabs = tabs;
        self.row = self.row.min(self.rows().len().saturating_sub(1));
        self.notice = Some(match came {
            Ok(words) => (Tone::Good, format!("✓ {words}")),
            Err(words) => (Tone::Warning, format!("✗ {words}")),
        });
    }

    /// Asks for a second key, in these words.
    pub fn ask(&mut self, words: String) {
        self.notice = Some((Tone::Warning, words));
    }

    fn rows(&self) -> &[Row] {
        self.tabs.get(self.tab).map_or(&[], |tab| &tab.rows)
    }

    fn current(&self) -> Option<&Row> {
        self.rows().get(self.row)
    }

    /// Takes a key.
    pub fn key(&mut self, key: &Key) -> Wish {
        let Some(row) = self.current().cloned() else {
            return self.moved(key);
        };
        match (&mut self.doing, key) {
            (Doing::Typing(_), Key::Esc) | (Doing::Sure, Key::Esc | Key::Char('n')) => {
                self.doing = Doing::Looking;
                Wish::None
            }
            (Doing::Typing(entry), Key::Enter) => {
                let text = entry.text().trim().to_owned();
                self.doing = Doing::Looking;
                match row.kind {
                    Kind::Rule => Wish::Edit(row.id, text),
                    Kind::Action => Wish::Edit(row.id, text),
                    _ => Wish::Set(row.id, text),
                }
            }
            (Doing::Typing(entry), key) => {
                entry.key(key);
                Wish::None
            }
            (Doing::Sure, Key::Char('y')) => {
                self.doing = Doing::Looking;
                Wish::Delete(row.id)
            }
            (Doing::Sure, _) => Wish::None,
            (Doing::Looking, _) => self.look(&row, key),
        }
    }

    fn look(&mut self, row: &Row, key: &Key) -> Wish {
        self.notice = None;
        match (key, &row.kind) {
            (Key::Char(' ') | Key::Enter, Kind::Switch) => {
                return Wish::Set(
                    row.id.clone(),
                    if row.value == "on" { "off" } else { "on" }.to_owned(),
                );
            }
            (Key::Char(' ') | Key::Enter | Key::Right | Key::Left, Kind::OneOf(words))
                if !words.is_empty() =>
            {
                let at = words
                    .iter()
                    .position(|word| *word == row.value)
                    .unwrap_or(words.len() - 1);
                let step = if *key == Key::Left {
                    words.len() - 1
                } else {
                    1
                };
                return words
                    .get((at + step) % words.len())
                    .map_or(Wish::None, |word| Wish::Set(row.id.clone(), word.clone()));
            }
            (Key::Enter, Kind::Number) => {
                self.doing = Doing::Typing(TextCursor::with(row.edited.clone()))
            }
            (Key::Char('e'), Kind::Rule) => {
                self.doing = Doing::Typing(TextCursor::with(row.edited.clone()))
            }
            (Key::Char(' ') | Key::Enter, Kind::Rule) => return Wish::Switch(row.id.clone()),
            (Key::Char('d') | Key::Delete, Kind::Rule | Kind::Grant) => self.doing = Doing::Sure,
            (Key::Enter, Kind::Action) if !row.edited.is_empty() => {
                self.doing = Doing::Typing(TextCursor::with(row.edited.trim_start()))
            }
            (Key::Enter, Kind::Action) => return Wish::Do(row.id.clone()),
            _ => return self.moved(key),
        }
        Wish::None
    }

    fn moved(&mut self, key: &Key) -> Wish {
        let (tabs, rows) = (self.tabs.len().max(1), self.rows().len());
        match key {
            Key::Tab | Key::BackTab => {
                self.tab = (self.tab + if *key == Key::Tab { 1 } else { tabs - 1 }) % tabs;
                self.row = 0;
            }
            Key::Char(digit @ '1'..='9') => {
                let chosen =
                    usize::try_from(u32::from(*digit) - u32::from('1')).unwrap_or(usize::MAX);
                if chosen < tabs {
                    (self.tab, self.row) = (chosen, 0);
                }
            }
            Key::Down => self.row = (self.row + 1).min(rows.saturating_sub(1)),
            Key::Up => self.row = self.row.saturating_sub(1),
            Key::PageDown => self.row = (self.row + 10).min(rows.saturating_sub(1)),
            Key::PageUp => self.row = self.row.saturating_sub(10),
            Key::Home => self.row = 0,
            Key::End => self.row = rows.saturating_sub(1),
            Key::Esc | Key::Char('q') | Key::Ctrl('s' | 'c') => return Wish::Close,
            _ => {}
        }
        Wish::None
    }

    /// Draws it.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        let width = usize::from(area.width);
        let mut y = area.y;
        let mut put = |row: &Spans, y: &mut u16| {
            if *y < area.bottom() {
                fold::put(buffer, area.x, *y, width, row, theme);
            }
            *y += 1;
        };
        let mut head: Spans = vec![(Tone::Strong, "Settings ".to_owned())];
        for (at, tab) in self.tabs.iter().enumerate() {
            let tone = if at == self.tab {
                Tone::Bar
            } else {
                Tone::Text
            };
            head.extend([
                (Tone::Text, " ".to_owned()),
                (tone, format!(" {} {} ", at + 1, tab.title)),
            ]);
        }
        for row in fold::fold(&head, width, "  ") {
            put(&row, &mut y);
        }
        put(&line(Tone::Faint, "─".repeat(width)), &mut y);
        let foot = self.foot(width);
        let room = usize::from(area.bottom().saturating_sub(y)).saturating_sub(foot.len() + 1);
        let first = self.row.saturating_sub(room.saturating_sub(1));
        let wide = self
            .rows()
            .iter()
            .map(|row| fold::width(&row.label))
            .max()
            .unwrap_or_default()
            .min(width / 2);
        for (at, row) in self.rows().iter().enumerate().skip(first).take(room) {
            let here = at == self.row;
            let (mark, tone) = if here {
                ("▸ ", Tone::Reach)
            } else {
                ("  ", Tone::Text)
            };
            let gap = " ".repeat(wide.saturating_sub(fold::width(&row.label)) + 2);
            let value = if row.value == "off" || row.kind == Kind::Fact {
                Tone::Faint
            } else {
                Tone::Key
            };
            let spans = vec![
                (Tone::Key, mark.to_owned()),
                (tone, format!("{}{gap}", row.label)),
                (value, row.value.clone()),
            ];
            let mut rows = fold::fold(&spans, width, "    ↪ ").into_iter();
            // One row each, so that the list stays one; the whole of the chosen one is below.
            put(&rows.next().unwrap_or_default(), &mut y);
        }
        if self.rows().is_empty() {
            put(&line(Tone::Faint, "  there is nothing here yet"), &mut y);
        }
        y = area
            .bottom()
            .saturating_sub(u16::try_from(foot.len()).unwrap_or_default() + 1)
            .max(y.min(area.bottom()));
        put(&line(Tone::Faint, "─".repeat(width)), &mut y);
        for row in foot {
            put(&row, &mut y);
        }
    }

    fn foot(&self, width: usize) -> Vec<Spans> {
        let mut out = Vec::new();
        if let Some(row) = self.current() {
            if matches!(row.kind, Kind::Rule | Kind::Grant) {
                out.extend(fold::fold(
                    &line(Tone::Strong, format!("{}  {}", row.label, row.value)),
                    width,
                    "    ↪ ",
                ));
            }
            out.extend(fold::words(Tone::Text, &row.help, width));
        }
        if let Some((tone, words)) = &self.notice {
            out.extend(fold::fold(&line(*tone, words), width, "    ↪ "));
        }
        let entry = legend::entry;
        let keys = match (&self.doing, self.current().map(|row| &row.kind)) {
            (Doing::Typing(typed), _) => {
                out.extend(fold::fold(&typed.shown(), width, "    ↪ "));
                vec![entry("Enter", "save"), entry("Esc", "back")]
            }
            (Doing::Sure, _) => {
                out.push(line(Tone::Warning, "take it away?"));
                vec![entry("y", "take it away"), entry("Esc", "keep it")]
            }
            (Doing::Looking, kind) => {
                let mut keys = vec![entry("Tab", "next tab"), entry("↑ ↓", "choose")];
                keys.extend(match kind {
                    Some(Kind::Switch) => vec![entry("Space", "switch")],
                    Some(Kind::OneOf(_)) => vec![entry("← →", "change")],
                    Some(Kind::Number) => vec![entry("Enter", "change")],
                    Some(Kind::Rule) => vec![
                        entry("Space", "on/off"),
                        entry("e", "edit"),
                        entry("d", "delete"),
                    ],
                    Some(Kind::Grant) => vec![entry("d", "take back")],
                    Some(Kind::Action) => vec![entry("Enter", "do it")],
                    Some(Kind::Fact) | None => Vec::new(),
                });
                keys.push(entry("Esc", "close"));
                keys
            }
        };
        out.extend(fold::flow(&keys, 3, width));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, value: &str, kind: Kind) -> Row {
        Row {
            id: id.to_owned(),
            label: id.to_owned(),
            value: value.to_owned(),
            edited: value.to_owned(),
            kind,
            help: "what it means".to_owned(),
        }
    }

    fn settings() -> Settings {
        let words = ["a", "b", "c"].map(str::to_owned).to_vec();
        let general = Tab {
            title: "General".to_owned(),
            rows: vec![
                row("on", "on", Kind::Switch),
                row("one", "b", Kind::OneOf(words)),
                row("n", "30", Kind::Number),
            ],
        };
        let rules = Tab {
            title: "Rules".to_owned(),
            rows: vec![row("rule-1", "allow x", Kind::Rule)],
        };
        Settings::new(vec![general, rules])
    }

    #[test]
    fn keys_become_wishes() {
        let mut settings = settings();
        let set = |id: &str, value: &str| Wish::Set(id.to_owned(), value.to_owned());
        assert_eq!(settings.key(&Key::Char(' ')), set("on", "off"));
        settings.key(&Key::Down);
        assert_eq!(settings.key(&Key::Right), set("one", "c"));
        assert_eq!(settings.key(&Key::Left), set("one", "a"));
        settings.key(&Key::Down);
        settings.key(&Key::Enter);
        settings.key(&Key::Backspace);
        settings.key(&Key::Char('5'));
        assert_eq!(settings.key(&Key::Enter), set("n", "35"));
        settings.key(&Key::Tab);
        assert_eq!(
            settings.key(&Key::Char(' ')),
            Wish::Switch("rule-1".to_owned())
        );
        assert_eq!(
            settings.key(&Key::Char('d')),
            Wish::None,
            "a second key is needed"
        );
        assert_eq!(settings.key(&Key::Esc), Wish::None);
        settings.key(&Key::Char('d'));
        assert_eq!(
            settings.key(&Key::Char('y')),
            Wish::Delete("rule-1".to_owned())
        );
        assert_eq!(settings.key(&Key::Esc), Wish::Close);
        settings.renew(Vec::new(), Err("no"));
        assert_eq!(settings.key(&Key::Char(' ')), Wish::None);
    }

    #[test]
    fn any_size_is_drawn() {
        let settings = settings();
        for width in 1..90 {
            for height in 0..12 {
                let area = Rect::new(0, 0, width, height);
                settings.draw(area, &mut Buffer::empty(area), Theme::PLAIN);
            }
        }
    }
}
