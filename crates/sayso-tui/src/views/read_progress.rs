//! What was on the screen so far: a line counts as seen when all of it was there, in whatever order (Z-50).

use std::collections::HashMap;
use std::ops::Range;

use super::document::{Document, NONE};

/// What was seen of a document.
pub(super) struct Seen {
    /// How many pieces of each line of the body are still to be seen.
    left: Vec<u32>,
    /// Whether a piece was seen whole.
    done: Vec<bool>,
    /// The bytes that were seen of pieces that are not whole yet, in order and apart from each other.
    part: HashMap<u32, Vec<Range<usize>>>,
    unseen: usize,
}

impl Seen {
    /// Nothing was seen yet.
    pub fn of(document: &Document) -> Seen {
        let mut left = vec![0u32; document.counted as usize];
        for line in &document.lines {
            if let Some(left) = left.get_mut(line.whole as usize) {
                *left += 1;
            }
        }
        Seen {
            unseen: left.len(),
            left,
            done: vec![false; document.lines.len()],
            part: HashMap::new(),
        }
    }

    /// How many lines of the body were never on the screen whole.
    pub fn unseen(&self) -> usize {
        self.unseen
    }

    /// These bytes of a line are on the screen.
    pub fn mark(&mut self, document: &Document, index: u32, bytes: Range<usize>) {
        let (Some(line), Some(done)) = (
            document.lines.get(index as usize),
            self.done.get_mut(index as usize),
        ) else {
            return;
        };
        if *done || line.whole == NONE {
            return;
        }
        let length = line.end - line.start;
        if bytes.start > 0 || bytes.end < length {
            let parts = self.part.entry(index).or_default();
            join(parts, bytes);
            if !matches!(parts.as_slice(), [one] if one.start == 0 && one.end == length) {
                return;
            }
            self.part.remove(&index);
        }
        *done = true;
        if let Some(left) = self.left.get_mut(line.whole as usize) {
            *left = left.saturating_sub(1);
            self.unseen -= usize::from(*left == 0);
        }
    }
}

/// Adds a range to ranges that are in order and apart.
fn join(parts: &mut Vec<Range<usize>>, mut new: Range<usize>) {
    let first = parts.partition_point(|part| part.end < new.start);
    let behind = parts.partition_point(|part| part.start <= new.end);
    if let Some(met) = parts.get(first..behind).filter(|met| !met.is_empty()) {
        new.start = new
            .start
            .min(met.first().map_or(new.start, |part| part.start));
        new.end = new.end.max(met.last().map_or(new.end, |part| part.end));
    }
    parts.splice(first..behind.max(first), [new]);
}

#[cfg(test)]
mod tests {
    use super::super::document::Kind;
    use super::*;

    #[test]
    fn ranges_join_where_they_meet() {
        let mut parts = Vec::new();
        for (range, expected) in [
            (5..7, &[(5, 7)][..]),
            (0..2, &[(0, 2), (5, 7)]),
            (9..12, &[(0, 2), (5, 7), (9, 12)]),
            (2..5, &[(0, 7), (9, 12)]),
            (3..4, &[(0, 7), (9, 12)]),
            (6..20, &[(0, 20)]),
        ] {
            join(&mut parts, range.clone());
            assert_eq!(
                parts
                    .iter()
                    .map(|part| (part.start, part.end))
                    .collect::<Vec<_>>(),
                expected,
                "{range:?}"
            );
        }
    }

    #[test]
    fn a_line_is_seen_when_all_of_its_pieces_were() {
        let mut document = Document::default();
        document.push(Kind::Heading, "heading");
        let long = document.push(Kind::Plain, &"x".repeat(10_000));
        document.push(Kind::Plain, "");
        document.section(0);
        let mut seen = Seen::of(&document);
        assert_eq!(seen.unseen(), 2, "what is said about others does not count");
        seen.mark(&document, 0, 0..7);
        for index in long.clone() {
            assert_eq!(seen.unseen(), 2);
            let length = document.lines[index as usize].end - document.lines[index as usize].start;
            seen.mark(&document, index, 1..length);
            seen.mark(&document, index, 0..1);
            seen.mark(&document, index, 0..1);
        }
        assert_eq!(seen.unseen(), 1);
        seen.mark(&document, long.end, 0..0);
        seen.mark(&document, 999, 0..1);
        assert_eq!(seen.unseen(), 0);
    }
}
