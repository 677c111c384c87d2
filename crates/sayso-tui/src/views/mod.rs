//! Views of a body: a change, the content of a file, a command, names and values, to be scrolled and searched.
//!
//! A view shows exactly the text of the presentation and nothing less: lines are wrapped and never cut, what takes no room is spelled out,
//! and every row starts with something that no text can write, so that a text can never look like one of ours. Only what is on the screen
//! is laid out, so a body may have any number of lines.

mod colours;
mod columns;
mod document;
mod from_body;
mod grammar;
mod heights;
mod keys;
mod layout;
mod paint;
mod scroll;
mod search;
mod wrap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::presentation::Body;
use sayso_core::text::visible::visible;

use crate::theme::Theme;

use colours::Colours;
use columns::{NARROWEST_PAIR, WIDE};
use document::{Document, NONE, Section};
use heights::{Heights, Place};
use layout::Layout;
use paint::Painter;
use read_progress::Seen;
use search::Search;
use wrap::Wraps;

pub use keys::HELP;

/// A body on the screen: what is shown of it, and what was.
pub struct BodyView {
    document: Document,
    layout: Layout,
    wraps: Wraps,
    seen: Seen,
    search: Search,
    colours: Colours,
    /// Which sections are unfolded.
    open: Vec<bool>,
    /// Side by side or not, where somebody has said so.
    wish: Option<bool>,
    /// Where each row starts at the width of the last drawing.
    heights: Heights,
    /// Which row of the screen comes first.
    top: usize,
    /// The changed place that was gone to, as long as the view stands where that has led.
    hunk: Option<(usize, usize)>,
    /// How large it was when it was drawn.
    size: (u16, u16),
}

impl BodyView {
    /// A view of a body, from its start, with unchanged parts folded.
    pub fn new(body: &Body) -> Self {
        let document = from_body::document(body);
        let open = vec![false; document.sections.len()];
        BodyView {
            layout: Layout::of(&document, &open, false),
            seen: Seen::of(&document),
            colours: Colours::of(&document),
            document,
            wraps: Wraps::default(),
            search: Search::default(),
            open,
            wish: None,
            heights: Heights::default(),
            top: 0,
            hunk: None,
            size: (80, 24),
        }
    }

    /// How many rows of the screen all of it takes at a width.
    pub fn height(&self, width: u16) -> usize {
        let pair = self.is_pair(width);
        if pair == self.layout.side_by_side && self.heights.width() == width {
            return self.heights.total();
        }
        let other = (pair != self.layout.side_by_side)
            .then(|| Layout::of(&self.document, &self.open, pair));
        Heights::of(
            &self.document,
            other.as_ref().unwrap_or(&self.layout),
            width,
        )
        .total()
    }

    /// Draws what fits. Text is painted plain at first; colours come with a later drawing (see [`is_waiting`](Self::is_waiting)).
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer, theme: Theme) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        self.fit(area.width, area.height);
        self.colours.take();
        for position in area.positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.reset();
            }
        }
        let (document, seen) = (&self.document, &mut self.seen);
        let painter = Painter {
            document,
            wraps: &self.wraps,
            colours: &self.colours,
            search: &self.search,
            theme,
            area,
        };
        let (mut first, mut last) = (NONE, 0);
        let mut place = self.heights.place(self.top);
        for y in area.top()..area.bottom() {
            let Some(row) = self.layout.rows.get(place.row) else {
                break;
            };
            painter.row(*row, place.sub, y, buffer, |line, bytes| {
                seen.mark(document, line, bytes);
                (first, last) = (first.min(line), last.max(line + 1));
            });
            place.sub += 1;
            if self.heights.start(place.row) + place.sub >= self.heights.start(place.row + 1) {
                place = Place {
                    row: place.row + 1,
                    sub: 0,
                };
            }
        }
        if theme.has_colours() && first < last {
            self.colours.ask(&self.document, first..last);
        }
    }

    /// How many lines of the body were never on the screen whole, by any drawing so far. Unchanged parts that are folded do not count.
    pub fn unseen(&self) -> usize {
        self.seen.unseen()
    }

    /// Where one is: "lines 1–40 of 812, hunk 1 of 7"; while a search is typed, what was typed.
    pub fn status(&self) -> String {
        if let Some(typing) = &self.search.typing {
            return format!("/{}", visible(typing));
        }
        let total = self.document.counted;
        let (first, last) = (self.top_row(), self.bottom_row());
        let rows = self.layout.rows.get(first..=last).unwrap_or_default();
        let wholes = || {
            let lines = rows.iter().flat_map(|row| row.lines());
            lines
                .filter_map(|line| self.document.lines.get(line as usize))
                .map(|line| line.whole)
                .filter(|whole| *whole != NONE)
        };
        let mut out = match (wholes().min(), wholes().max()) {
            (Some(first), Some(last)) if first == last => format!("line {} of {total}", first + 1),
            (Some(first), Some(last)) => format!("lines {}–{} of {total}", first + 1, last + 1),
            _ if total == 1 => "1 line".to_owned(),
            _ => format!("{total} lines"),
        };
        let hunks = self.layout.hunks.len();
        if hunks > 0 {
            // What stands at the top may be what stays before the first place.
            let at = self.layout.hunk_at(first).max(usize::from(
                self.layout.hunks.first().is_some_and(|row| *row <= last),
            ));
            out.push_str(&if at == 0 {
                format!(", {hunks} hunks")
            } else {
                format!(", hunk {at} of {hunks}")
            });
        }
        if self.search.failed {
            out.push_str(&format!(
                " · `{}` is not found",
                visible(&self.search.query)
            ));
        }
        out
    }

    /// Whether keys go into a search that is being typed; then no key may mean anything else.
    pub fn is_typing(&self) -> bool {
        self.search.typing.is_some()
    }

    /// Whether colours are still being worked out, so that it is worth to ask [`has_news`](Self::has_news) in a moment.
    pub fn is_waiting(&self) -> bool {
        self.colours.is_waiting()
    }

    /// Whether colours have come since the last drawing, so that it should be drawn again.
    pub fn has_news(&mut self) -> bool {
        self.colours.take()
    }

    /// Whether all of it fits the screen, as it was drawn.
    pub fn is_whole(&self) -> bool {
        self.top == 0 && self.bottom() >= self.heights.total()
    }

    /// Whether it is shown side by side at a width.
    fn is_pair(&self, width: u16) -> bool {
        let change = self
            .document
            .sections
            .iter()
            .any(|section| matches!(section, Section::Hunk { .. }));
        change && width >= NARROWEST_PAIR && self.wish.unwrap_or(width >= WIDE)
    }
}

mod read_progress;
#[cfg(test)]
mod tests;
