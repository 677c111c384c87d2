//! Paints rows into cells: numbers, the sign, the text, and on top of it what stands out.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::theme::{Theme, Tone};

use super::colours::Colours;
use super::columns::{Columns, half};
use super::document::{Document, Kind, Line};
use super::layout::Row;
use super::search::Search;
use super::wrap::{Wrapped, Wraps};
use crate::cells::cells;

/// More blanks than this push what follows out of sight, so they are marked.
const LONGEST_RUN: usize = 60;
/// What says that a line goes on from the row above.
const GOES_ON: &str = "↪";

/// What painting needs to know.
pub(super) struct Painter<'a> {
    pub document: &'a Document,
    pub wraps: &'a Wraps,
    pub colours: &'a Colours,
    pub search: &'a Search,
    pub theme: Theme,
    pub area: Rect,
}

/// A line with its columns.
#[derive(Clone, Copy)]
struct Placed<'a> {
    index: u32,
    line: &'a Line,
    columns: Columns,
}

/// The lines of a row with their columns, by a width.
fn placed<'a>(document: &'a Document, row: Row, width: u16) -> impl Iterator<Item = Placed<'a>> {
    let digits = document.digits;
    let one = move |index: u32, columns: Option<Columns>| {
        let line = document.lines.get(index as usize)?;
        Some(Placed {
            index,
            line,
            columns: columns.unwrap_or(Columns::full(line.kind, digits, width)),
        })
    };
    let both = match row {
        Row::Full(line) => [one(line, None), None],
        Row::Pair(old, new) => [
            one(old, Some(Columns::old(digits, width))),
            one(new, Some(Columns::new(digits, width))),
        ],
    };
    both.into_iter().flatten()
}

impl<'a> Placed<'a> {
    fn wrapped(&self, document: &'a Document) -> Wrapped<'a> {
        let Line { kind, ascii, .. } = *self.line;
        Wrapped {
            line: self.index,
            text: document.text_of(self.line),
            ascii,
            prose: kind.is_prose(),
            width: self.columns.text,
        }
    }
}

/// How many rows of the screen a row of the view takes.
pub(super) fn height(document: &Document, row: Row, width: u16) -> usize {
    placed(document, row, width)
        .map(|one| one.wrapped(document).rows())
        .max()
        .unwrap_or(1)
}

/// On which row of the screen a byte of a line stands, from the first of the row of the view.
pub(super) fn row_of_byte(
    document: &Document,
    wraps: &Wraps,
    row: Row,
    width: u16,
    line: u32,
    byte: usize,
) -> usize {
    let Some(one) = placed(document, row, width).find(|one| one.index == line) else {
        return 0;
    };
    let wrapped = one.wrapped(document);
    let byte = byte.saturating_sub(one.line.start);
    (0..wrapped.rows())
        .find(|at| {
            wraps
                .row(wrapped, *at)
                .is_some_and(|range| range.contains(&byte))
        })
        .unwrap_or_default()
}

impl Painter<'_> {
    /// Paints one row of the screen and says which bytes of which lines are on it.
    pub fn row(
        &self,
        row: Row,
        sub: usize,
        y: u16,
        buffer: &mut Buffer,
        mut shown: impl FnMut(u32, Range<usize>),
    ) {
        if matches!(row, Row::Pair(..)) {
            self.write(
                buffer,
                half(self.area.width),
                y,
                "│",
                self.theme.style(Tone::Faint),
            );
        }
        for one in placed(self.document, row, self.area.width) {
            let Some(range) = self.wraps.row(one.wrapped(self.document), sub) else {
                continue;
            };
            self.gutter(one, sub, y, buffer);
            if self.text(one, range.clone(), y, buffer) {
                shown(one.index, range);
            }
        }
    }

    fn write(&self, buffer: &mut Buffer, x: u16, y: u16, text: &str, style: Style) {
        if x < self.area.width {
            buffer.set_stringn(
                self.area.x + x,
                y,
                text,
                usize::from(self.area.width - x),
                style,
            );
        }
    }

    fn gutter(&self, one: Placed<'_>, sub: usize, y: u16, buffer: &mut Buffer) {
        let Placed { line, columns, .. } = one;
        let goes_on = sub > 0 || line.continues;
        let faint = self.theme.style(Tone::Faint);
        let mut x = columns.left;
        for (width, number) in [(columns.old, line.old), (columns.new, line.new)]
            .into_iter()
            .filter(|(width, _)| *width > 0)
        {
            if number > 0 && !goes_on {
                self.write(
                    buffer,
                    x,
                    y,
                    &format!("{number:>width$}", width = usize::from(width)),
                    faint,
                );
            }
            x += width + 1;
        }
        if columns.sign > 0 {
            // A sign alone tells what comes and what goes, so it stands on every row.
            let sign = if line.kind.is_of_file() || !goes_on {
                line.kind.sign()
            } else {
                " "
            };
            self.write(
                buffer,
                columns.sign_at(),
                y,
                sign,
                self.sign_style(line.kind),
            );
            if goes_on {
                self.write(buffer, columns.sign_at() + 1, y, GOES_ON, faint);
            }
        }
    }

    fn sign_style(&self, kind: Kind) -> Style {
        let style = self.theme.style(kind.tone());
        if matches!(kind, Kind::Added | Kind::Removed) {
            style.add_modifier(Modifier::BOLD)
        } else {
            style
        }
    }

    /// Paints the bytes of a line; whether all of them found room.
    fn text(&self, one: Placed<'_>, range: Range<usize>, y: u16, buffer: &mut Buffer) -> bool {
        let text = self
            .document
            .text_of(one.line)
            .get(range.clone())
            .unwrap_or_default();
        let styles = self.styles(one, range, text);
        let mut x = one.columns.text_at();
        let end = (one.columns.text_at() + one.columns.text).min(self.area.width);
        for (at, cluster, width) in cells(text) {
            if x + width > end {
                return false;
            }
            let style = styles.get(at).copied().unwrap_or_default();
            let Some(cell) = buffer.cell_mut((self.area.x + x, y)) else {
                return false;
            };
            cell.set_symbol(cluster).set_style(style);
            x += width;
        }
        true
    }

    /// How each byte of a row looks.
    fn styles(&self, one: Placed<'_>, range: Range<usize>, text: &str) -> Vec<Style> {
        let line = one.line;
        let base = line.start + range.start;
        let mut styles = vec![self.theme.style(line.kind.tone()); text.len()];
        let mut paint = |from: usize, to: usize, style: Style| {
            let (from, to) = (from.max(base) - base, to.max(base) - base);
            let to = to.min(text.len());
            styles
                .get_mut(from.min(to)..to)
                .unwrap_or_default()
                .iter_mut()
                .for_each(|one| *one = one.patch(style));
        };
        let pieces = self.colours.line(one.index);
        let first = pieces.partition_point(|(_, to, _)| *to <= range.start);
        for (from, to, tone) in pieces
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(|(from, _, _)| *from < range.end)
        {
            paint(line.start + from, line.start + to, self.theme.style(*tone));
        }
        for span in self
            .document
            .spans_of(line)
            .filter(|span| span.end > base && span.start < base + text.len())
        {
            let style = self.theme.style(span.tone);
            // A command is bold already, so that without colours a grave word needs more to stand out.
            paint(
                span.start,
                span.end,
                if span.tone == Tone::Warning && !self.theme.has_colours() {
                    style.add_modifier(Modifier::UNDERLINED)
                } else {
                    style
                },
            );
        }
        for (from, to, tone) in spelled(text) {
            paint(base + from, base + to, self.theme.style(tone));
        }
        if line.kind.is_of_file() || matches!(line.kind, Kind::Command | Kind::More) {
            let style = self
                .theme
                .style(Tone::Spelled)
                .add_modifier(Modifier::REVERSED);
            for blank in blanks(self.document, one.index, line) {
                paint(blank.start, blank.end, style);
            }
        }
        for found in self
            .search
            .within(self.document, one.index, base..base + text.len())
        {
            let here = self
                .search
                .here
                .as_ref()
                .is_some_and(|here| here.bytes == found);
            paint(
                found.start,
                found.end,
                self.theme
                    .style(if here { Tone::FoundHere } else { Tone::Found }),
            );
        }
        styles
    }
}

/// What was spelled out, since it would hide or move something. A tab is only a tab.
fn spelled(text: &str) -> Vec<(usize, usize, Tone)> {
    let mut out = Vec::new();
    if text.is_ascii() {
        return out;
    }
    for (at, letter) in text.char_indices() {
        match letter {
            '␉' => out.push((at, at + letter.len_utf8(), Tone::Faint)),
            '\u{2400}'..='\u{2421}' => out.push((at, at + letter.len_utf8(), Tone::Spelled)),
            '‹' => {
                let rest = text.get(at..).unwrap_or_default();
                let end = rest
                    .find('›')
                    .map_or(rest.len(), |end| end + '›'.len_utf8());
                out.push((at, at + end, Tone::Spelled));
            }
            _ => {}
        }
    }
    out
}

/// Blanks at the end of a line, and long runs of them inside.
fn blanks(document: &Document, index: u32, line: &Line) -> Vec<Range<usize>> {
    let text = document.text_of(line);
    let mut out = Vec::new();
    let goes_on = document
        .lines
        .get(index as usize + 1)
        .is_some_and(|next| next.continues);
    let kept = text.trim_end_matches([' ', '␉']);
    if kept.len() < text.len() && !goes_on {
        out.push(line.start + kept.len()..line.end);
    }
    let mut from = 0;
    // Most lines have no such run: a search for one is cheap, and nothing else is looked at.
    while let Some(at) = text
        .get(from..)
        .and_then(|rest| rest.find(&" ".repeat(LONGEST_RUN)))
    {
        let start = from + at;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.len() - rest.trim_start_matches(' ').len();
        out.push(line.start + start..line.start + start + length);
        from = start + length;
    }
    out
}
