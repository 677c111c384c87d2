//! Goes on reading where the journal ended, as others write it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use super::Stored;
use crate::folder::Folder;
use crate::journal::line::LONGEST;
use crate::journal::{Position, ReadError, segments};

/// So much is read at once; more comes with the next look.
const MOST: usize = 4 << 20;

/// A place at the end of the journal, from which new entries are read.
#[derive(Debug)]
pub struct Follow {
    state: PathBuf,
    /// The segment, and how much of it was read; none while nothing was ever recorded.
    at: Option<(u64, u64)>,
}

impl Follow {
    /// From the end as it is now: what is being written there comes when it is whole.
    ///
    /// # Errors
    /// When the journal is there, but cannot be read or relied on.
    pub fn from_end(state: &Path) -> Result<Follow, ReadError> {
        let mut follow = Follow {
            state: state.to_owned(),
            at: None,
        };
        if let Some(folder) = segments::folder(state)?
            && let Some(last) = segments::list(&folder)?.last()
        {
            follow.at = Some((*last, end_of_lines(&folder, *last)?));
        }
        Ok(follow)
    }

    /// The entries that came since the last look, in their order. A line that is not as it was written is an error in its place.
    ///
    /// # Errors
    /// When the journal cannot be read, or is another one by now.
    pub fn look(&mut self) -> Result<Vec<Result<Stored, ReadError>>, ReadError> {
        let mut found = Vec::new();
        let Some(folder) = segments::folder(&self.state)? else {
            return Ok(found);
        };
        loop {
            let all = segments::list(&folder)?;
            let Some((segment, offset)) = self.at.or_else(|| all.first().map(|first| (*first, 0)))
            else {
                return Ok(found);
            };
            // Asked for before the file is read: when there is a next one, nothing more comes into this one.
            let next = all.iter().find(|other| **other > segment).copied();
            let name = segments::name(segment);
            let Some(file) = folder.read(&name)? else {
                return Err(ReadError::TakenAwayFollowed(name));
            };
            let (read, is_end) = whole_lines(&file, &name, offset, &mut found)?;
            let offset = offset + read;
            match next {
                Some(next) if is_end => self.at = Some((next, 0)),
                _ => {
                    self.at = Some((segment, offset));
                    return Ok(found);
                }
            }
        }
    }
}

/// Reads the whole lines from here on. Says how long they are, and whether there is nothing more behind them.
fn whole_lines(
    file: &File,
    name: &str,
    offset: u64,
    found: &mut Vec<Result<Stored, ReadError>>,
) -> Result<(u64, bool), ReadError> {
    let failed = |error| ReadError::io(name, error);
    let length = file.metadata().map_err(failed)?.len();
    let left = length
        .checked_sub(offset)
        .ok_or_else(|| ReadError::Shortened(name.to_owned()))?;
    let mut bytes = vec![0; usize::try_from(left).unwrap_or(usize::MAX).min(MOST)];
    let read = file.read_at(&mut bytes, offset).map_err(failed)?;
    bytes.truncate(read);
    let mut done = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(body) = line.strip_suffix(b"\n") else {
            break;
        };
        let stored = Stored::read(body);
        found.push(
            stored.ok_or_else(|| ReadError::not_as_written(name, Position::Byte(offset + done))),
        );
        done += line.len() as u64;
    }
    // No line is that long: it is passed over with all that follows in this block.
    if done == 0 && read > LONGEST {
        found.push(Err(ReadError::not_as_written(name, Position::Byte(offset))));
        done = read as u64;
    }
    // What was cut before another file followed is no entry, and never becomes one.
    Ok((done, read as u64 == left))
}

/// Where the last whole line of a segment ends.
fn end_of_lines(folder: &Folder, segment: u64) -> Result<u64, ReadError> {
    let name = segments::name(segment);
    let Some(file) = folder.read(&name)? else {
        return Ok(0);
    };
    let failed = |error| ReadError::io(&name, error);
    let mut end = file.metadata().map_err(failed)?.len();
    let mut block = vec![0; 64 << 10];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let piece = block
            .get_mut(..usize::try_from(end - start).unwrap_or(0))
            .unwrap_or_default();
        file.read_exact_at(piece, start).map_err(failed)?;
        if let Some(feed) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + feed as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}
