//! On which row of the screen each row of a view starts, for one width.

use super::columns::Columns;
use super::document::{Document, Kind};
use super::layout::{Layout, Row};
use super::paint::height;

/// A row of a view, and which of the rows of the screen that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub row: usize,
    pub sub: usize,
}

/// Where each row of a layout starts.
#[derive(Debug, Default)]
pub(super) struct Heights {
    width: u16,
    /// One more than there are rows: the last is behind all of them.
    starts: Vec<u32>,
}

impl Heights {
    /// Measures every row of a layout. Short and plain lines take no more than a look at their length.
    pub fn of(document: &Document, layout: &Layout, width: u16) -> Heights {
        let mut starts = Vec::with_capacity(layout.rows.len() + 1);
        let mut next = 0u32;
        starts.push(next);
        let text = |columns: Columns| usize::from(columns.text);
        let of_file = text(Columns::full(Kind::Same, document.digits, width));
        let other = text(Columns::full(Kind::Plain, document.digits, width));
        let (old_side, new_side) = (
            text(Columns::old(document.digits, width)),
            text(Columns::new(document.digits, width)),
        );
        // No character takes more cells than bytes, so that a line of few bytes is one row.
        let is_short = |index: u32, most: Option<usize>| {
            document.lines.get(index as usize).is_none_or(|line| {
                line.end - line.start
                    <= most.unwrap_or(if line.kind.is_of_file() {
                        of_file
                    } else {
                        other
                    })
            })
        };
        for row in &layout.rows {
            let short = match *row {
                Row::Full(line) => is_short(line, None),
                Row::Pair(old, new) => {
                    is_short(old, Some(old_side)) && is_short(new, Some(new_side))
                }
            };
            let rows = if short {
                1
            } else {
                u32::try_from(height(document, *row, width)).unwrap_or(u32::MAX)
            };
            next = next.saturating_add(rows);
            starts.push(next);
        }
        Heights { width, starts }
    }

    pub fn width(&self) -> u16 {
        self.width
    }

    /// How many rows of the screen there are in all.
    pub fn total(&self) -> usize {
        self.starts.last().copied().unwrap_or_default() as usize
    }

    /// Where a row of the view starts.
    pub fn start(&self, row: usize) -> usize {
        self.starts
            .get(row)
            .or(self.starts.last())
            .copied()
            .unwrap_or_default() as usize
    }

    /// What stands on a row of the screen.
    pub fn place(&self, at: usize) -> Place {
        let row = self
            .starts
            .partition_point(|start| *start as usize <= at)
            .saturating_sub(1);
        Place {
            row,
            sub: at - self.start(row).min(at),
        }
    }
}
