//! Moves a view: by rows of the screen, to places, and to the end, looking only at what is passed.

use super::document::Document;
use super::layout::Layout;
use super::paint::{height, row_of_byte};
use super::search::Found;
use super::wrap::Wraps;
use super::{BodyView, NONE, Section};

/// A row of the screen: which row of the view, and which of the rows that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub row: usize,
    pub sub: usize,
}

/// The row of the screen behind a place.
pub(super) fn after(document: &Document, wraps: &Wraps, layout: &Layout, width: u16, place: Place) -> Place {
    let rows = layout.rows.get(place.row).map_or(1, |row| height(document, wraps, *row, width));
    if place.sub + 1 < rows { Place { sub: place.sub + 1, ..place } } else { Place { row: place.row + 1, sub: 0 } }
}

impl BodyView {
    fn rows_of(&self, row: usize) -> usize {
        self.layout.rows.get(row).map_or(1, |row| height(&self.document, &self.wraps, *row, self.size.0))
    }

    /// A place some rows of the screen before another.
    fn before(&self, mut place: Place, mut rows: usize) -> Place {
        loop {
            if place.sub >= rows {
                return Place { sub: place.sub - rows, ..place };
            }
            rows -= place.sub + 1;
            let Some(row) = place.row.checked_sub(1) else { return Place::default() };
            place = Place { row, sub: self.rows_of(row).saturating_sub(1) };
        }
    }

    /// The last place that fills the screen.
    fn last(&self) -> Place {
        self.before(Place { row: self.layout.rows.len(), sub: 0 }, usize::from(self.size.1.max(1)))
    }

    /// Starts so many rows of the screen behind the start, at this width, where it is a part of something longer.
    pub fn show_from(&mut self, rows: usize, width: u16) {
        self.fit(width, self.size.1);
        self.top = Place::default();
        for _ in 0..rows {
            self.top = after(&self.document, &self.wraps, &self.layout, width, self.top);
        }
    }

    /// Moves up or down by rows of the screen.
    pub(super) fn scroll(&mut self, rows: isize) {
        let count = rows.unsigned_abs();
        if rows < 0 {
            self.top = self.before(self.top, count);
            return;
        }
        let last = self.last();
        for _ in 0..count {
            if self.top >= last {
                break;
            }
            self.top = after(&self.document, &self.wraps, &self.layout, self.size.0, self.top);
        }
    }

    /// A page but two rows, so that the eye finds its place again.
    pub(super) fn page(&self) -> isize {
        isize::try_from(self.size.1.saturating_sub(2).max(1)).unwrap_or(1)
    }

    pub(super) fn to_start(&mut self) {
        self.top = Place::default();
    }

    pub(super) fn to_end(&mut self) {
        self.top = self.last();
    }

    /// To the next or the previous changed place. The last ones may stand lower on the screen than at its top.
    pub(super) fn to_hunk(&mut self, back: bool) {
        let at = self.hunk.filter(|(top, _)| *top == self.top).map(|(_, hunk)| hunk);
        let hunks = &self.layout.hunks;
        let next = match (at, back) {
            (Some(at), true) => at.checked_sub(1),
            (Some(at), false) => Some(at + 1),
            (None, true) => hunks.partition_point(|row| *row < self.top.row).checked_sub(1),
            (None, false) => Some(hunks.partition_point(|row| *row < self.top.row || *row == 0 && self.top.row == 0)),
        };
        let Some((next, row)) = next.and_then(|next| Some((next, *hunks.get(next)?))) else { return };
        self.top = Place { row, sub: 0 }.min(self.last());
        self.hunk = Some((self.top, next));
    }

    /// To a place that was found, a third below the top.
    pub(super) fn to_found(&mut self, found: &Found) {
        let Some(row) = self.layout.rows.get(found.row) else { return };
        let sub = row_of_byte(&self.document, &self.wraps, *row, self.size.0, found.line, found.bytes.start);
        let place = Place { row: found.row, sub };
        if place >= self.top && place < self.bottom {
            return;
        }
        self.top = self.before(place, usize::from(self.size.1 / 3)).min(self.last());
    }

    /// Takes on a size, and the layout that goes with it; what was at the top stays there.
    pub(super) fn fit(&mut self, width: u16, height: u16) {
        let other = self.size.0 != width;
        self.size = (width, height);
        if self.is_pair(width) != self.layout.side_by_side {
            self.lay_out();
        } else if other {
            self.top.sub = self.top.sub.min(self.rows_of(self.top.row).saturating_sub(1));
        }
        if self.top.row > 0 || self.top.sub > 0 {
            self.top = self.top.min(self.last());
        }
    }

    /// Lays out anew; the line at the top stays there.
    pub(super) fn lay_out(&mut self) {
        let line = self.layout.rows.get(self.top.row).and_then(|row| row.lines().next()).unwrap_or(NONE);
        self.layout = Layout::of(&self.document, &self.open, self.is_pair(self.size.0));
        self.top = Place { row: self.layout.row_of(line), sub: 0 };
        self.search.here = None;
        self.hunk = None;
    }

    /// Unfolds the first part on the screen that is folded; where there is none, folds what is unfolded.
    pub(super) fn toggle_fold(&mut self) {
        let is_open = |index: usize| self.open.get(index).copied().unwrap_or_default();
        let shown = || self.layout.folds.iter().filter(|(row, _)| *row >= self.top.row && *row <= self.bottom.row);
        let closed = shown().find(|(_, index)| !is_open(*index));
        let open = self.layout.folds.iter().rfind(|(row, index)| *row <= self.bottom.row && is_open(*index));
        let Some((row, index)) = closed.or(open).copied() else { return };
        let was = is_open(index);
        if let Some(open) = self.open.get_mut(index) {
            *open = !was;
        }
        if was && row < self.top.row {
            self.top = Place { row, sub: 0 };
        }
        self.lay_out();
    }

    /// Unfolds everything, or folds everything.
    pub(super) fn toggle_folds(&mut self) {
        let between = |section: &Section| matches!(section, Section::Between { lines, .. } if !lines.is_empty());
        let all = self.document.sections.iter().zip(&self.open).all(|(section, open)| *open || !between(section));
        self.open = self.document.sections.iter().map(|section| between(section) && !all).collect();
        self.lay_out();
    }
}
