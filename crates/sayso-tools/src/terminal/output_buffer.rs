//! Keeps the first and the last part of an output of any length, in a memory that does not grow.

use std::collections::VecDeque;

use sayso_core::text::count::count;

use super::Stream;

/// What is kept of both streams, in the order it came.
pub(super) struct Kept {
    head: Vec<u8>,
    most_head: usize,
    tail: VecDeque<u8>,
    most_tail: usize,
    seen: u64,
    /// The start of a character whose rest has not come yet; the other stream must not come between.
    halves: [Vec<u8>; 2],
}

impl Kept {
    pub(super) fn new(most: usize) -> Self {
        let most_head = most / 2;
        Kept {
            head: Vec::new(),
            most_head,
            tail: VecDeque::new(),
            most_tail: most - most_head,
            seen: 0,
            halves: Default::default(),
        }
    }

    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let [out, error] = &mut self.halves;
        let half = if stream == Stream::Out { out } else { error };
        let mut bytes = bytes;
        let joined;
        if !half.is_empty() {
            half.extend_from_slice(bytes);
            joined = std::mem::take(half);
            bytes = &joined;
        }
        let (whole, rest) = bytes.split_at(bytes.len() - unfinished(bytes));
        half.extend_from_slice(rest);
        self.add(whole);
    }

    fn add(&mut self, bytes: &[u8]) {
        self.seen = self.seen.saturating_add(bytes.len() as u64);
        let (first, rest) = bytes.split_at(
            bytes
                .len()
                .min(self.most_head.saturating_sub(self.head.len())),
        );
        self.head.extend_from_slice(first);
        let rest = rest
            .get(rest.len().saturating_sub(self.most_tail)..)
            .unwrap_or_default();
        let too_many = (self.tail.len() + rest.len()).saturating_sub(self.most_tail);
        self.tail.drain(..too_many.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// The text, and how many bytes of the output are not in it.
    pub(super) fn into_text(mut self) -> (String, u64) {
        let halves = std::mem::take(&mut self.halves);
        halves.iter().for_each(|half| self.add(half));
        let tail = Vec::from(self.tail);
        let kept = (self.head.len() + tail.len()) as u64;
        if self.seen == kept {
            self.head.extend_from_slice(&tail);
            return (lossy(self.head), 0);
        }
        // Characters that were cut are left out whole.
        let head_end = self.head.len() - unfinished(&self.head);
        let tail_start = tail
            .iter()
            .take(3)
            .take_while(|byte| **byte & 0xC0 == 0x80)
            .count();
        let cut = (self.head.len() - head_end + tail_start) as u64;
        self.head.truncate(head_end);
        let left_out = self.seen - kept + cut;
        let mut text = lossy(self.head);
        text.push_str(&format!("\n[… {} left out …]\n", count(left_out, "byte")));
        text.push_str(&lossy(tail.into_iter().skip(tail_start).collect()));
        (text, left_out)
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How many bytes at the end are the start of a character that is not whole.
fn unfinished(bytes: &[u8]) -> usize {
    for (back, byte) in bytes.iter().rev().take(3).enumerate() {
        let whole = match byte {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if back + 1 < whole { back + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(most: usize, pieces: &[(Stream, &[u8])]) -> (String, u64) {
        let mut kept = Kept::new(most);
        pieces
            .iter()
            .for_each(|(stream, bytes)| kept.push(*stream, bytes));
        kept.into_text()
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        assert_eq!(
            kept(10, &[(Stream::Out, b"01234"), (Stream::Error, b"56789")]),
            ("0123456789".into(), 0)
        );
        assert_eq!(kept(0, &[]), (String::new(), 0));
    }

    #[test]
    fn of_a_long_output_the_ends_are_kept() {
        let all: Vec<u8> = (0..100u8).map(|at| b'a' + at % 26).collect();
        for size in [1, 3, 7, 100] {
            let pieces: Vec<_> = all.chunks(size).map(|piece| (Stream::Out, piece)).collect();
            assert_eq!(
                kept(10, &pieces),
                ("abcde\n[… 90 bytes left out …]\nrstuv".into(), 90),
                "{size}"
            );
        }
        assert_eq!(kept(0, &[(Stream::Out, b"abc")]).1, 3);
    }

    #[test]
    fn characters_are_not_torn_by_pieces_or_by_the_other_stream() {
        let text = "aß€😀z";
        for at in 0..text.len() {
            let (one, two) = text.as_bytes().split_at(at);
            let (joined, left_out) = kept(
                100,
                &[
                    (Stream::Out, one),
                    (Stream::Error, b"!"),
                    (Stream::Out, two),
                ],
            );
            assert_eq!(
                (joined.replace('!', ""), left_out),
                (text.to_owned(), 0),
                "{at}"
            );
        }
        let many = "€".repeat(10);
        let (cut, left_out) = kept(10, &[(Stream::Out, many.as_bytes())]);
        assert_eq!(
            (cut.as_str(), left_out),
            ("€\n[… 24 bytes left out …]\n€", 24)
        );
    }

    #[test]
    fn what_is_no_text_is_shown_as_such() {
        assert_eq!(
            kept(10, &[(Stream::Out, b"a\xff\xfeb\xe2")]).0,
            "a\u{fffd}\u{fffd}b\u{fffd}"
        );
    }
}
