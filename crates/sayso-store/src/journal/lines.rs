//! The lines of one segment from the first to the last, read in large blocks and held one at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::line::LONGEST;

/// A block; lines go over from one to the next.
const BLOCK: usize = 1 << 20;

/// Goes through a segment up to a length that was looked at before: what is added meanwhile does not count.
pub(crate) struct Lines {
    file: File,
    buffer: Vec<u8>,
    /// What of the buffer was not given out yet.
    start: usize,
    end: usize,
    /// Where in the file the end of the buffer is.
    offset: u64,
    length: u64,
}

/// What stands next.
pub(crate) enum Next<'a> {
    /// A line, without its line feed.
    Line(&'a [u8]),
    /// A line longer than any that is written.
    TooLong,
    /// The end, and the bytes before it that no line feed ends.
    End(&'a [u8]),
}

impl Lines {
    pub fn new(file: File, length: u64) -> Self {
        Lines {
            file,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            length,
        }
    }

    /// The next line.
    pub fn next(&mut self) -> io::Result<Next<'_>> {
        let mut searched = 0;
        let mut dropped = false;
        loop {
            let rest = self
                .buffer
                .get(self.start + searched..self.end)
                .unwrap_or_default();
            if let Some(feed) = rest.iter().position(|byte| *byte == b'\n') {
                let from = self.start;
                let to = from + searched + feed;
                self.start = to + 1;
                let line = self.buffer.get(from..to).unwrap_or_default();
                return Ok(if dropped || line.len() >= LONGEST {
                    Next::TooLong
                } else {
                    Next::Line(line)
                });
            }
            searched = self.end - self.start;
            if searched >= LONGEST {
                (self.start, searched, dropped) = (self.end, 0, true);
            }
            if !self.fill()? {
                let from = std::mem::replace(&mut self.start, self.end);
                return Ok(Next::End(
                    self.buffer.get(from..self.end).unwrap_or_default(),
                ));
            }
        }
    }

    /// Reads another block behind what is left of the last; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let left = usize::try_from(self.length.saturating_sub(self.offset))
            .unwrap_or(usize::MAX)
            .min(BLOCK);
        if left == 0 {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= std::mem::take(&mut self.start);
        if self.buffer.len() < self.end + left {
            self.buffer.resize(self.end + left, 0);
        }
        let room = self
            .buffer
            .get_mut(self.end..self.end + left)
            .unwrap_or_default();
        let read = loop {
            match self.file.read_at(room, self.offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += read;
        self.offset += read as u64;
        // A file that became shorter ends where it ends.
        Ok(read > 0)
    }
}
