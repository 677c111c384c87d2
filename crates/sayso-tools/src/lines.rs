//! Lines of a stream, as they are, up to a length: nobody can fill the memory with one that does not end.

use std::io::{BufRead as _, BufReader, Read};

/// So much is read at once.
const PIECE: usize = 64 << 10;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line with its line feed; the last one may have none.
    Whole(Vec<u8>),
    /// A line that is too long. It was thrown away; these are its first bytes.
    TooLong(Vec<u8>),
    /// Nothing more.
    End,
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Lines<R> {
    from: BufReader<R>,
    most: usize,
}

impl<R: Read> Lines<R> {
    /// The lines of `from`, none longer than `most`.
    pub fn new(from: R, most: usize) -> Self {
        Lines {
            from: BufReader::with_capacity(PIECE, from),
            most,
        }
    }

    /// Waits for the next one. A stream that breaks has ended.
    pub fn wait(&mut self) -> Line {
        let mut line = Vec::new();
        match self.read(&mut line) {
            0 => Line::End,
            _ if line.len() > self.most => {
                line.truncate(PIECE);
                self.skip();
                Line::TooLong(line)
            }
            _ => Line::Whole(line),
        }
    }

    fn read(&mut self, line: &mut Vec<u8>) -> usize {
        let most = self.most as u64 + 1;
        let read = self.from.by_ref().take(most).read_until(b'\n', line);
        // What came before it broke is no whole line.
        read.unwrap_or(0)
    }

    /// Throws the rest of a line away.
    fn skip(&mut self) {
        let mut rest = Vec::new();
        loop {
            rest.clear();
            let read = self
                .from
                .by_ref()
                .take(PIECE as u64)
                .read_until(b'\n', &mut rest);
            if read.unwrap_or(0) == 0 || rest.last() == Some(&b'\n') {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], most: usize) -> Vec<String> {
        let mut lines = Lines::new(bytes, most);
        let mut out = Vec::new();
        loop {
            match lines.wait() {
                Line::Whole(line) => out.push(String::from_utf8(line).unwrap()),
                Line::TooLong(_) => out.push("too long".to_owned()),
                Line::End => return out,
            }
        }
    }

    #[test]
    fn lines_come_as_they_are_and_long_ones_not_at_all() {
        assert_eq!(
            all(b"a\r\n\nb\xe2\x80\xa8c\nhalf", 64),
            ["a\r\n", "\n", "b\u{2028}c\n", "half"]
        );
        let long = format!("{}\nb\n", "x".repeat(PIECE * 3));
        assert_eq!(all(long.as_bytes(), 100), ["too long", "b\n"]);
        assert_eq!(
            all(format!("{}\nb", "x".repeat(99)).as_bytes(), 100).len(),
            2
        );
        assert_eq!(all("x".repeat(PIECE * 3).as_bytes(), 100), ["too long"]);
    }
}
