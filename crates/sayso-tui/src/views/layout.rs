//! The rows of a view: which lines stand under each other or side by side, and which are folded.

use super::document::{Document, Kind, NONE, Section};

/// One or two lines beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// A line over the whole width.
    Full(u32),
    /// The old beside the new; [`NONE`] where there is nothing.
    Pair(u32, u32),
}

/// The rows in their order.
#[derive(Default)]
pub(super) struct Layout {
    pub rows: Vec<Row>,
    /// At which row each changed place starts.
    pub hunks: Vec<usize>,
    /// At which row each fold stands, by its section, whether or not it is open.
    pub folds: Vec<(usize, usize)>,
    pub side_by_side: bool,
}

impl Row {
    /// The lines of a row.
    pub fn lines(self) -> impl Iterator<Item = u32> {
        let (first, second) = match self {
            Row::Full(line) => (line, NONE),
            Row::Pair(old, new) if old == new => (old, NONE),
            Row::Pair(old, new) => (old, new),
        };
        [first, second].into_iter().filter(|line| *line != NONE)
    }
}

impl Layout {
    /// The rows of a document. `open` says of each section whether it is unfolded.
    pub fn of(document: &Document, open: &[bool], side_by_side: bool) -> Layout {
        let mut out = Layout {
            side_by_side,
            ..Layout::default()
        };
        out.rows.reserve(document.lines.len());
        for (index, section) in document.sections.iter().enumerate() {
            match section {
                Section::Lines(lines) => out.rows.extend(lines.clone().map(Row::Full)),
                Section::Hunk { heading, lines } => {
                    out.hunks.push(out.rows.len());
                    out.rows.extend(heading.clone().map(Row::Full));
                    out.lines(document, lines.clone());
                }
                Section::Between { label, lines } => {
                    if !lines.is_empty() {
                        out.folds.push((out.rows.len(), index));
                    }
                    if open.get(index).copied().unwrap_or_default() {
                        out.lines(document, lines.clone());
                    } else {
                        out.rows.extend(label.clone().map(Row::Full));
                    }
                }
            }
        }
        out
    }

    fn lines(&mut self, document: &Document, lines: std::ops::Range<u32>) {
        if !self.side_by_side {
            self.rows.extend(lines.map(Row::Full));
            return;
        }
        let (mut gone, mut come): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for line in lines {
            match document.lines.get(line as usize).map(|line| line.kind) {
                Some(Kind::Removed) if come.is_empty() => gone.push(line),
                Some(Kind::Added) => come.push(line),
                kind => {
                    self.pairs(&mut gone, &mut come);
                    if kind == Some(Kind::Removed) {
                        gone.push(line)
                    } else {
                        self.rows.push(Row::Pair(line, line))
                    }
                }
            }
        }
        self.pairs(&mut gone, &mut come);
    }

    /// What goes stands beside what comes in its place.
    fn pairs(&mut self, gone: &mut Vec<u32>, come: &mut Vec<u32>) {
        let at = |lines: &[u32], index: usize| lines.get(index).copied().unwrap_or(NONE);
        self.rows.extend(
            (0..gone.len().max(come.len()))
                .map(|index| Row::Pair(at(gone, index), at(come, index))),
        );
        gone.clear();
        come.clear();
    }

    /// The row of a line; none where it is folded.
    pub fn row_of(&self, line: u32) -> Option<usize> {
        // Rows are in the order of their first lines. Only a line that comes may stand beside one that goes, and so further up.
        let is = |index: &usize| {
            self.rows
                .get(*index)
                .is_some_and(|row| row.lines().any(|other| other == line))
        };
        let behind = self
            .rows
            .partition_point(|row| row.lines().next().is_none_or(|first| first <= line));
        let first = |index: &usize| {
            self.rows
                .get(*index)
                .is_some_and(|row| matches!(row, Row::Pair(old, new) if old != new))
        };
        let at = behind.checked_sub(1)?;
        is(&at)
            .then_some(at)
            .or_else(|| (0..=at).rev().take_while(first).find(is))
    }

    /// Which changed place a row is in or behind, from 1; 0 is before the first.
    pub fn hunk_at(&self, row: usize) -> usize {
        self.hunks.partition_point(|start| *start <= row)
    }
}
