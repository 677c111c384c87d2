//! Entries from the last to the first, in blocks from the end: the last hundred cost the same in any journal.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::Stored;
use crate::folder::Folder;
use crate::journal::line::LONGEST;
use crate::journal::{Position, ReadError, segments};

const BLOCK: u64 = 64 << 10;

/// Entries from the last to the first.
pub struct Backwards<'a> {
    folder: Option<&'a Folder>,
    /// Those that were not begun; the next is the last one.
    segments: Vec<u64>,
    open: Option<Open>,
    is_first: bool,
}

/// A segment that is read from its end.
struct Open {
    name: String,
    file: File,
    /// Where in the file the bytes start.
    from: u64,
    /// Whole lines that were read and not given out, behind the last part of a line.
    bytes: Vec<u8>,
    /// Whether everything up to the line feed before is left out.
    skipping: bool,
}

/// What came of a step.
enum Step {
    Line(Vec<u8>),
    TooLong(u64),
    End,
}

impl<'a> Backwards<'a> {
    pub(super) fn new(folder: Option<&'a Folder>, segments: Vec<u64>) -> Self {
        Backwards {
            folder,
            segments,
            open: None,
            is_first: true,
        }
    }

    fn step(&mut self) -> Result<Option<Stored>, ReadError> {
        loop {
            let Some(open) = &mut self.open else {
                let (Some(folder), Some(segment)) = (self.folder, self.segments.pop()) else {
                    return Ok(None);
                };
                let name = segments::name(segment);
                let Some(file) = folder.read(&name)? else {
                    continue;
                };
                let length = file
                    .metadata()
                    .map_err(|error| ReadError::io(&name, error))?
                    .len();
                let is_first = std::mem::take(&mut self.is_first);
                let ended = length == 0
                    || last_byte(&file, length).map_err(|error| ReadError::io(&name, error))?
                        == b'\n';
                let reason = ReadError::not_as_written(&name, Position::Byte(length));
                self.open = Some(Open {
                    name,
                    file,
                    from: length,
                    bytes: Vec::new(),
                    skipping: !ended,
                });
                if !ended && !is_first {
                    return Err(reason);
                }
                continue;
            };
            match open.step() {
                Ok(Step::Line(line)) => {
                    let at = open.from + open.bytes.len() as u64;
                    return Stored::read(&line)
                        .map(Some)
                        .ok_or_else(|| ReadError::not_as_written(&open.name, Position::Byte(at)));
                }
                Ok(Step::TooLong(at)) => {
                    return Err(ReadError::not_as_written(&open.name, Position::Byte(at)));
                }
                Ok(Step::End) => self.open = None,
                Err(error) => {
                    let reason = ReadError::io(&open.name, error);
                    self.open = None;
                    return Err(reason);
                }
            }
        }
    }
}

impl Open {
    /// The line before those that were given out.
    fn step(&mut self) -> std::io::Result<Step> {
        loop {
            if let Some((_, before)) = self.bytes.split_last() {
                let start = match before.iter().rposition(|byte| *byte == b'\n') {
                    Some(feed) => Some(feed + 1),
                    None => (self.from == 0).then_some(0),
                };
                if let Some(start) = start {
                    let mut line = self.bytes.split_off(start);
                    line.pop();
                    return Ok(Step::Line(line));
                }
                if self.bytes.len() > LONGEST {
                    self.bytes.clear();
                    self.skipping = true;
                    return Ok(Step::TooLong(self.from));
                }
            }
            if self.from == 0 {
                return Ok(Step::End);
            }
            self.fill()?;
        }
    }

    /// Reads the block before.
    fn fill(&mut self) -> std::io::Result<()> {
        let start = self.from.saturating_sub(BLOCK);
        let mut block = vec![0; usize::try_from(self.from - start).unwrap_or(0)];
        self.file.read_exact_at(&mut block, start)?;
        self.from = start;
        if self.skipping {
            let feed = block.iter().rposition(|byte| *byte == b'\n');
            block.truncate(feed.map_or(0, |feed| feed + 1));
            self.skipping = feed.is_none();
        }
        block.append(&mut self.bytes);
        self.bytes = block;
        Ok(())
    }
}

impl Iterator for Backwards<'_> {
    type Item = Result<Stored, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

fn last_byte(file: &File, length: u64) -> std::io::Result<u8> {
    let mut byte = [0];
    file.read_exact_at(&mut byte, length.saturating_sub(1))?;
    let [byte] = byte;
    Ok(byte)
}
