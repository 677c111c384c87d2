//! Which bytes of a line stand on which row of the screen; a line is wrapped when somebody looks at it, and nothing of it is cut.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::cells::cells;
use crate::fold::{Break, next_row};

/// So many wrapped lines are kept; one more makes room.
const MOST_KEPT: usize = 4096;
/// Prose is broken behind a blank, if there is one in the last part of the row.
const LOOK_BACK: usize = 24;

/// Where each row of a line starts.
type Starts = Rc<[u32]>;

/// The wrapped lines that were looked at of late.
#[derive(Default)]
pub(super) struct Wraps {
    kept: RefCell<HashMap<(u32, u16), Starts>>,
}

/// A line to be wrapped.
#[derive(Clone, Copy)]
pub(super) struct Wrapped<'a> {
    /// Its number in the document.
    pub line: u32,
    pub text: &'a str,
    /// Every byte is one cell.
    pub ascii: bool,
    /// It is broken between words where it can be.
    pub prose: bool,
    /// How many cells a row has, at least one.
    pub width: u16,
}

impl Wrapped<'_> {
    /// How many rows it takes.
    pub fn rows(&self) -> usize {
        let width = usize::from(self.width.max(1));
        match self {
            // No character takes more cells than bytes.
            _ if self.text.len() <= width => 1,
            Wrapped {
                ascii: true,
                prose: false,
                text,
                ..
            } => text.len().div_ceil(width),
            _ => {
                let mut count = 0;
                self.starts(|_| count += 1);
                count
            }
        }
    }

    /// Tells where each row starts.
    fn starts(&self, mut found: impl FnMut(usize)) {
        let width = usize::from(self.width.max(1));
        let mut start = 0;
        found(start);
        loop {
            let rest = self.text.get(start..).unwrap_or_default();
            let letters = cells(rest)
                .map(|(at, letter, cells)| (start + at, letter == " ", usize::from(cells)));
            let next = next_row(letters, width, Break::BehindBlank, |gap| {
                self.prose && gap.cells <= LOOK_BACK.min(width / 2) && gap.cells + gap.next <= width
            });
            let Some(next) = next else { return };
            found(next);
            start = next;
        }
    }
}

impl Wraps {
    /// The bytes of one row of a line; none behind the last.
    pub fn row(&self, line: Wrapped<'_>, row: usize) -> Option<Range<usize>> {
        let width = usize::from(line.width.max(1));
        let length = line.text.len();
        match line {
            _ if length <= width => (row == 0).then_some(0..length),
            Wrapped {
                ascii: true,
                prose: false,
                ..
            } => {
                let start = row.checked_mul(width).filter(|start| *start < length)?;
                Some(start..(start + width).min(length))
            }
            _ => {
                let starts = self.starts(line);
                let start = *starts.get(row)? as usize;
                Some(start..starts.get(row + 1).map_or(length, |next| *next as usize))
            }
        }
    }

    fn starts(&self, line: Wrapped<'_>) -> Starts {
        let mut kept = self.kept.borrow_mut();
        if let Some(starts) = kept.get(&(line.line, line.width)) {
            return Rc::clone(starts);
        }
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        let mut starts = Vec::new();
        line.starts(|at| starts.push(u32::try_from(at).unwrap_or(u32::MAX)));
        let starts: Starts = starts.into();
        kept.insert((line.line, line.width), Rc::clone(&starts));
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, prose: bool, width: u16) -> Vec<&str> {
        let wraps = Wraps::default();
        let line = Wrapped {
            line: 0,
            text,
            ascii: crate::cells::is_ascii(text),
            prose,
            width,
        };
        let out: Vec<&str> = (0..line.rows())
            .map(|row| &text[wraps.row(line, row).unwrap()])
            .collect();
        assert!(wraps.row(line, out.len()).is_none());
        assert_eq!(out.concat(), text, "nothing is lost");
        out
    }

    #[test]
    fn table() {
        assert_eq!(rows("", false, 5), [""]);
        assert_eq!(rows("abcdefg", false, 5), ["abcde", "fg"]);
        assert_eq!(rows("abcdefghij", false, 5), ["abcde", "fghij"]);
        assert_eq!(rows("漢字漢字", false, 5), ["漢字", "漢字"]);
        assert_eq!(rows("one two three", true, 9), ["one two ", "three"]);
        assert_eq!(rows("one two three", false, 9), ["one two t", "hree"]);
        assert_eq!(
            rows("aaaaaaaaaaaaaaaaaa b", true, 8),
            ["aaaaaaaa", "aaaaaaaa", "aa b"]
        );
        assert_eq!(
            rows("漢", false, 1),
            ["漢"],
            "a row holds one character, whatever its width"
        );
    }
}
