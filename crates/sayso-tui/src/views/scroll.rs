//! Moves a view: by rows of the screen, to places, and to the end, looking only at what is passed.

use super::heights::{Heights, Place};
use super::layout::Layout;
use super::paint::row_of_byte;
use super::search::Found;
use super::{BodyView, NONE, Section};

impl BodyView {
    /// The row of the screen that is drawn first, from the first of all of them.
    pub fn top(&self) -> usize {
        self.top
    }

    /// The last row to start from that fills the screen.
    fn last(&self) -> usize {
        self.heights
            .total()
            .saturating_sub(usize::from(self.size.1.max(1)))
    }

    /// The first row behind the screen.
    pub(super) fn bottom(&self) -> usize {
        (self.top + usize::from(self.size.1)).min(self.heights.total())
    }

    pub(super) fn top_row(&self) -> usize {
        self.heights.place(self.top).row
    }

    /// The last row of the view that is on the screen.
    pub(super) fn bottom_row(&self) -> usize {
        self.heights.place(self.bottom().saturating_sub(1)).row
    }

    /// Starts so many rows of the screen behind the start, at this width, where it is a part of something longer.
    pub fn show_from(&mut self, rows: usize, width: u16) {
        self.fit(width, self.size.1);
        self.top = rows;
    }

    /// Moves up or down by rows of the screen.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.last());
    }

    /// A page but two rows, so that the eye finds its place again.
    pub(super) fn page(&self) -> isize {
        isize::try_from(self.size.1.saturating_sub(2).max(1)).unwrap_or(1)
    }

    pub(super) fn show_end(&mut self) {
        self.top = self.last();
    }

    /// To the next or the previous changed place. The last ones may stand lower on the screen than at its top.
    pub(super) fn show_hunk(&mut self, back: bool) {
        let at = self
            .hunk
            .filter(|(top, _)| *top == self.top)
            .map(|(_, hunk)| hunk);
        let (hunks, row) = (&self.layout.hunks, self.top_row());
        let next = match (at, back) {
            (Some(at), true) => at.checked_sub(1),
            (Some(at), false) => Some(at + 1),
            (None, true) => hunks.partition_point(|start| *start < row).checked_sub(1),
            (None, false) => Some(hunks.partition_point(|start| *start <= row)),
        };
        let Some((next, row)) = next.and_then(|next| Some((next, *hunks.get(next)?))) else {
            return;
        };
        self.top = self.heights.start(row).min(self.last());
        self.hunk = Some((self.top, next));
    }

    /// To a place that was found, a third below the top.
    pub(super) fn show_found(&mut self, found: &Found) {
        let Some(row) = self.layout.rows.get(found.row) else {
            return;
        };
        let sub = row_of_byte(
            &self.document,
            &self.wraps,
            *row,
            self.size.0,
            found.line,
            found.bytes.start,
        );
        let at = self.heights.start(found.row) + sub;
        if at < self.top || at >= self.bottom() {
            self.top = at
                .saturating_sub(usize::from(self.size.1 / 3))
                .min(self.last());
        }
    }

    /// Takes on a size, and the layout that goes with it; what was at the top stays there.
    pub(super) fn fit(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        if self.is_pair(width) != self.layout.side_by_side {
            self.lay_out();
        } else if self.heights.width() != width {
            let Place { row, sub } = self.heights.place(self.top);
            self.heights = Heights::of(&self.document, &self.layout, width);
            self.top = (self.heights.start(row) + sub).min(
                self.heights
                    .start(row + 1)
                    .saturating_sub(1)
                    .max(self.heights.start(row)),
            );
        }
        self.top = self.top.min(self.last());
    }

    /// Lays out anew; the line at the top stays there.
    pub(super) fn lay_out(&mut self) {
        let line = self
            .layout
            .rows
            .get(self.top_row())
            .and_then(|row| row.lines().next())
            .unwrap_or(NONE);
        self.layout = Layout::of(&self.document, &self.open, self.is_pair(self.size.0));
        self.heights = Heights::of(&self.document, &self.layout, self.size.0);
        self.top = self
            .heights
            .start(self.layout.row_of(line).unwrap_or_default());
        self.search.here = None;
        self.hunk = None;
    }

    /// Unfolds the first part on the screen that is folded; where there is none, folds what is unfolded.
    pub(super) fn toggle_fold(&mut self) {
        let is_open = |index: usize| self.open.get(index).copied().unwrap_or_default();
        let (first, last) = (self.top_row(), self.bottom_row());
        let shown = || {
            self.layout
                .folds
                .iter()
                .filter(|(row, _)| (first..=last).contains(row))
        };
        let closed = shown().find(|(_, index)| !is_open(*index));
        let open = self
            .layout
            .folds
            .iter()
            .rfind(|(row, index)| *row <= last && is_open(*index));
        let Some((row, index)) = closed.or(open).copied() else {
            return;
        };
        let was = is_open(index);
        if let Some(open) = self.open.get_mut(index) {
            *open = !was;
        }
        if was && row < first {
            // The line at the top may be one that is folded now.
            self.top = self.heights.start(row.saturating_sub(1));
        }
        self.lay_out();
    }

    /// Unfolds everything, or folds everything.
    pub(super) fn toggle_folds(&mut self) {
        let between = |section: &Section| matches!(section, Section::Between { lines, .. } if !lines.is_empty());
        let all = self
            .document
            .sections
            .iter()
            .zip(&self.open)
            .all(|(section, open)| *open || !between(section));
        self.open = self
            .document
            .sections
            .iter()
            .map(|section| between(section) && !all)
            .collect();
        self.lay_out();
    }
}
