//! Finds a text in a view: small letters mean both cases, and it goes round at the end.

use std::ops::Range;

use super::document::{Document, Line};
use super::layout::Layout;

/// Nobody types a longer one.
const LONGEST: usize = 200;

/// A search that is typed or was made.
#[derive(Default)]
pub(super) struct Search {
    /// What is being typed.
    pub typing: Option<String>,
    /// What was looked for.
    pub query: String,
    /// Where it was found: the row, the line, and the bytes of the text.
    pub here: Option<Found>,
    /// It is nowhere.
    pub failed: bool,
}

/// One place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub row: usize,
    pub line: u32,
    pub bytes: Range<usize>,
}

impl Search {
    /// Adds what was typed or pasted.
    pub fn add(&mut self, text: &str) {
        if let Some(typing) = &mut self.typing {
            let room = LONGEST.saturating_sub(typing.chars().count());
            typing.extend(
                text.chars()
                    .filter(|letter| !letter.is_control())
                    .take(room),
            );
        }
    }

    /// Looks for the next place behind the one it stands at, or before it. Without one, the first from `row` on counts.
    pub fn next(
        &mut self,
        document: &Document,
        layout: &Layout,
        row: usize,
        back: bool,
    ) -> Option<Found> {
        if self.query.is_empty() {
            return None;
        }
        let needle = Needle::of(&self.query);
        let look = if back { before } else { behind };
        let found = look(&needle, document, layout, row, self.here.as_ref());
        self.failed = found.is_none();
        self.here = found.clone();
        found
    }

    /// All places that meet these bytes of a line.
    pub fn within(
        &self,
        document: &Document,
        index: u32,
        bytes: Range<usize>,
    ) -> Vec<Range<usize>> {
        let Some(line) = document
            .lines
            .get(index as usize)
            .filter(|_| !self.query.is_empty())
        else {
            return Vec::new();
        };
        let needle = Needle::of(&self.query);
        let (start, end) = (
            bytes.start.saturating_sub(needle.length()),
            window_end(document, index, line, &needle).min(bytes.end + needle.length()),
        );
        let start = start.max(if line.continues { 0 } else { line.start });
        let text = document
            .text
            .as_bytes()
            .get(start..end.max(start))
            .unwrap_or_default();
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(found) = text.get(at..).and_then(|rest| needle.find(rest)) {
            let from = start + at + found;
            out.push(from..from + needle.length());
            at += found + needle.length().max(1);
        }
        out.retain(|range| range.end > bytes.start && range.start < bytes.end);
        out
    }
}

fn behind(
    needle: &Needle,
    document: &Document,
    layout: &Layout,
    row: usize,
    here: Option<&Found>,
) -> Option<Found> {
    let text = document.text.as_bytes();
    let start = here.map_or_else(
        || start_of(document, layout, row),
        |here| here.bytes.start + 1,
    );
    // Around the end, up to a place that reaches behind the start.
    let around = (start + needle.length()).min(text.len());
    [start..text.len(), 0..around]
        .into_iter()
        .find_map(|range| {
            let mut at = range.start;
            while let Some(found) = text.get(at..range.end).and_then(|rest| needle.find(rest)) {
                if let Some(found) = place(needle, document, layout, at + found) {
                    return Some(found);
                }
                at += found + 1;
            }
            None
        })
}

fn before(
    needle: &Needle,
    document: &Document,
    layout: &Layout,
    row: usize,
    here: Option<&Found>,
) -> Option<Found> {
    const BLOCK: usize = 64 * 1024;
    let text = document.text.as_bytes();
    let start = here.map_or_else(
        || start_of(document, layout, row + 1),
        |here| here.bytes.start,
    );
    // From the start back to the beginning, and from the end back to the start, in blocks, each from its end.
    let blocks = |range: Range<usize>| {
        let count = range.len().div_ceil(BLOCK);
        (0..count).rev().map(move |index| {
            range.start + index * BLOCK..(range.start + (index + 1) * BLOCK).min(range.end)
        })
    };
    for block in blocks(0..start).chain(blocks(start..text.len())) {
        let end = (block.end + needle.length().saturating_sub(1)).min(text.len());
        let (mut at, mut places) = (block.start, Vec::new());
        while let Some(found) = text.get(at..end).and_then(|rest| needle.find(rest)) {
            places.push(at + found);
            at += found + 1;
        }
        if let Some(found) = places
            .into_iter()
            .rev()
            .find_map(|byte| place(needle, document, layout, byte))
        {
            return Some(found);
        }
    }
    None
}

/// Where the text of a row starts.
fn start_of(document: &Document, layout: &Layout, row: usize) -> usize {
    let line = layout
        .rows
        .get(row)
        .and_then(|row| row.lines().next())
        .and_then(|line| document.lines.get(line as usize));
    line.map_or(document.text.len(), |line| line.start)
}

/// What was found at a byte of the text; none if it reaches from one line into another, or the line is folded.
fn place(needle: &Needle, document: &Document, layout: &Layout, byte: usize) -> Option<Found> {
    let index = document
        .lines
        .partition_point(|line| line.start <= byte)
        .checked_sub(1)?;
    let line = document.lines.get(index)?;
    let index = u32::try_from(index).ok()?;
    let bytes = byte..byte + needle.length();
    let row = layout
        .row_of(index)
        .filter(|_| bytes.end <= window_end(document, index, line, needle))?;
    Some(Found {
        row,
        line: index,
        bytes,
    })
}

/// A place may reach into the next piece of the same line.
fn window_end(document: &Document, index: u32, line: &Line, needle: &Needle) -> usize {
    match document
        .lines
        .get(index as usize + 1)
        .filter(|next| next.continues)
    {
        Some(next) => (line.end + needle.length().saturating_sub(1)).min(next.end),
        None => line.end,
    }
}

/// What is looked for.
struct Needle {
    bytes: Vec<u8>,
    /// It has a capital letter, so that the case counts.
    exact: bool,
}

impl Needle {
    fn of(query: &str) -> Needle {
        Needle {
            bytes: query.as_bytes().to_vec(),
            exact: query.chars().any(char::is_uppercase),
        }
    }

    fn length(&self) -> usize {
        self.bytes.len()
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        let (first, rest) = self.bytes.split_first()?;
        let other = if self.exact {
            *first
        } else {
            first.to_ascii_uppercase()
        };
        let last = text.len().checked_sub(self.bytes.len())?;
        let mut at = 0;
        while at <= last {
            at += first_of(text.get(at..=last)?, *first, other)?;
            let tail = text.get(at + 1..at + self.bytes.len())?;
            if if self.exact {
                tail == rest
            } else {
                tail.eq_ignore_ascii_case(rest)
            } {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

/// Where one of two bytes comes first. Whole blocks are looked at before single bytes, which is several at once for the machine.
fn first_of(text: &[u8], one: u8, other: u8) -> Option<usize> {
    const BLOCK: usize = 64;
    let is = |byte: &u8| *byte == one || *byte == other;
    let block = text
        .chunks(BLOCK)
        .position(|block| block.iter().fold(false, |any, byte| any | is(byte)))?;
    let start = block * BLOCK;
    Some(start + text.get(start..)?.iter().position(is)?)
}

#[cfg(test)]
mod tests {
    use super::super::document::Kind;
    use super::*;

    #[test]
    fn table_of_needles() {
        for (query, text, expected) in [
            ("abc", "xxABCabc", Some(2)),
            ("Abc", "xxABCAbc", Some(5)),
            ("ü", "aü", Some(1)),
            ("a", "", None),
            ("abc", "ab", None),
            ("aab", "aaab", Some(1)),
        ] {
            assert_eq!(
                Needle::of(query).find(text.as_bytes()),
                expected,
                "{query} {text}"
            );
        }
    }

    #[test]
    fn every_place_is_found_in_both_directions_and_it_goes_round() {
        let mut document = Document::default();
        for text in [
            "one two",
            "nothing",
            "two two",
            &format!("{}two{}", "x".repeat(4095), "y".repeat(4094)),
        ] {
            document.push(Kind::Plain, text);
        }
        document.section(0);
        let layout = Layout::of(&document, &[], false);
        let mut search = Search {
            query: "two".to_owned(),
            ..Search::default()
        };
        let expected = [4, 14, 18, 21 + 4095, 4];
        for start in expected {
            assert_eq!(
                search
                    .next(&document, &layout, 0, false)
                    .map(|found| found.bytes.start),
                Some(start)
            );
        }
        for start in [21 + 4095, 18, 14, 4] {
            assert_eq!(
                search
                    .next(&document, &layout, 0, true)
                    .map(|found| found.bytes.start),
                Some(start)
            );
        }
        search.query = "three".to_owned();
        assert_eq!(search.next(&document, &layout, 0, false), None);
        assert!(search.failed);
        // The place at the seam of two pieces shows in both.
        search.query = "two".to_owned();
        for index in [3, 4] {
            let line = document.lines[index as usize];
            let found = search.within(&document, index, line.start..line.end);
            assert_eq!(
                found
                    .iter()
                    .map(|place| (place.start, place.end))
                    .collect::<Vec<_>>(),
                [(21 + 4095, 21 + 4098)]
            );
        }
    }
}
