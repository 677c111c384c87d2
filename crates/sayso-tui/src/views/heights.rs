//! On which row of the screen each row of a view starts, for one width.

use super::document::Document;
use super::layout::Layout;
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
        for row in &layout.rows {
            next = next.saturating_add(u32::try_from(height(document, *row, width)).unwrap_or(u32::MAX));
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
        self.starts.get(row).or(self.starts.last()).copied().unwrap_or_default() as usize
    }

    /// What stands on a row of the screen.
    pub fn place(&self, at: usize) -> Place {
        let row = self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1);
        Place { row, sub: at - self.start(row).min(at) }
    }
}
