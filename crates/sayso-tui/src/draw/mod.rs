//! Draws a prompt: in front of everything, at the bottom of the screen, or in the flow of the output.

mod footer;
mod full_screen;
mod inline;
mod modal;

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::{Prompt, Round, Style};

use crate::fold::{self, Spans, line};
use crate::prompt_state::{Asking, Mode};
use crate::prompt_style::is_grave;
use crate::theme::Tone;

/// Narrower or lower than this, nothing can be shown that somebody could decide on.
const LEAST: (u16, u16) = (30, 6);

/// What the second of two questions asks.
const SURE: &str = "ARE YOU SURE?";

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// On the whole screen, which is given back afterwards.
    Whole,
    /// In the flow: right below what was printed so far.
    Here,
    /// On the last rows of the screen.
    Bottom,
}

/// What a screen is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where.
    pub surface: Surface,
    /// What.
    pub buffer: Buffer,
}

impl Asking {
    /// The frame for a screen of this size. What it shows counts as seen.
    pub fn frame(&mut self, width: u16, height: u16, now: Instant) -> Frame {
        self.cramped = false;
        let surface = match (&self.mode, self.prompt.style) {
            (Mode::View { .. } | Mode::Help { .. }, _) | (_, Style::Modal) => Surface::Whole,
            (_, Style::Status) => Surface::Bottom,
            (_, Style::Inline) => Surface::Here,
        };
        if width < LEAST.0 || height < LEAST.1 {
            return self.tiny(surface, width, height);
        }
        let drawn = match &self.mode {
            Mode::View { pane } => full_screen::view(self, *pane, width, height, now),
            Mode::Help { .. } => full_screen::help(self, width, height),
            _ if surface == Surface::Whole => modal::draw(self, width, height, now),
            _ => inline::draw(self, width, height, now),
        };
        match drawn {
            Some(buffer) => Frame { surface, buffer },
            None => self.tiny(surface, width, height),
        }
    }

    /// There is no room. No yes counts, and this says what to do.
    fn tiny(&mut self, surface: Surface, width: u16, height: u16) -> Frame {
        self.cramped = true;
        let most = usize::from(width.max(1));
        let mut rows = fold::words(Tone::Strong, "sayso asks: make this window larger", most);
        rows.extend(fold::words(Tone::Text, "Esc denies", most));
        let room = usize::from(if surface == Surface::Whole {
            height
        } else {
            height.saturating_sub(1).max(1)
        });
        rows.truncate(room);
        let height = if surface == Surface::Whole {
            height
        } else {
            u16::try_from(rows.len()).unwrap_or(1)
        };
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        for (row, y) in rows.iter().zip(0..height) {
            fold::put(&mut buffer, 0, y, most, row, self.look.theme);
        }
        Frame { surface, buffer }
    }
}

/// How a prompt stands out: a routine one, a grave one, and the second question about a grave one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Routine,
    Grave,
    Second,
}

impl Weight {
    fn of(prompt: &Prompt) -> Weight {
        match (prompt.round, is_grave(&prompt.verdict)) {
            (Round::Second, _) => Weight::Second,
            (_, true) => Weight::Grave,
            (_, false) => Weight::Routine,
        }
    }

    fn tone(self) -> Tone {
        if self == Weight::Routine {
            Tone::Frame
        } else {
            Tone::Danger
        }
    }

    /// Where a thin line starts at the left one of a frame.
    fn joint(self) -> &'static str {
        match self {
            Weight::Routine => "├",
            Weight::Grave => "┠",
            Weight::Second => "╟",
        }
    }

    /// The corners from the upper left on, then the horizontal and the vertical line.
    fn lines(self) -> [&'static str; 6] {
        match self {
            Weight::Routine => ["╭", "╮", "╰", "╯", "─", "│"],
            Weight::Grave => ["┏", "┓", "┗", "┛", "━", "┃"],
            Weight::Second => ["╔", "╗", "╚", "╝", "═", "║"],
        }
    }
}

/// The title, and for the second of two prompts a word before it.
fn title(prompt: &Prompt) -> String {
    let title = prompt.title_in_cells();
    match prompt.round {
        Round::Second => format!("{SURE} {title}"),
        _ => title,
    }
}

/// What stands beside the title: which one of how many, which confirmation.
fn places(prompt: &Prompt) -> Vec<Spans> {
    let mut out = Vec::new();
    if let Some(place) = prompt.place.filter(|place| place.total > 1) {
        out.push(line(
            Tone::Strong,
            format!("operation {} of {}", place.index, place.total),
        ));
    }
    match prompt.round {
        Round::Only => {}
        Round::First => out.push(line(Tone::Strong, "confirmation 1 of 2")),
        Round::Second => out.push(line(Tone::Danger, "confirmation 2 of 2")),
    }
    if !prompt.group.is_empty() {
        out.push(line(
            Tone::Strong,
            format!("one answer for {} operations", prompt.group.len() + 1),
        ));
    }
    out
}

/// The risk in words; nothing where it is not to be shown.
fn risk(asking: &Asking) -> String {
    match asking.look.risk {
        true => asking.prompt.verdict.level().words().to_owned(),
        false => String::new(),
    }
}
