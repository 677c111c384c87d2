//! The end of the journal: which line is the last whole one, and what stands behind it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use sayso_core::text::digest::Digest;

use super::error::{JournalError, ReadError};
use super::line::{self, LONGEST, Line, Wrong};
use super::segments;
use crate::folder::Folder;

/// What the next line follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    pub segment: u64,
    /// Where the next line starts in the segment: behind the last whole line.
    pub length: u64,
    /// The number of the last line; 0 before the first.
    pub number: u64,
    /// When the last line was written.
    pub at: i64,
    /// The digest of the last line.
    pub digest: Digest,
}

/// A line nearly always is shorter than this.
const FIRST_LOOK: u64 = 4096;
/// How far back a whole line is looked for. More than one line of torn bytes takes a loss of power, or somebody's hand.
const FURTHEST: u64 = 4 * LONGEST as u64;

/// Looks for the end; what stands behind it is torn. The lock must be held: otherwise a line that is just being written looks torn.
pub(crate) fn find(folder: &Folder) -> Result<Tail, JournalError> {
    let segments = segments::list(folder)?;
    let mut rest = segments.iter().rev();
    let Some(&last) = rest.next() else {
        return Ok(start());
    };
    if let (Some(tail), _) = last_whole(folder, last)? {
        return Ok(tail);
    }
    // Nothing whole in it: whoever began this segment did not get to its first line.
    let Some(&before) = rest.next() else {
        // Only the very first segment has nothing before it.
        return if last == 1 {
            Ok(start())
        } else {
            Err(damaged(folder, last))
        };
    };
    match last_whole(folder, before)? {
        (Some(tail), end) if tail.length == end => Ok(Tail {
            segment: last,
            length: 0,
            ..tail
        }),
        _ => Err(damaged(folder, before)),
    }
}

/// Before the first line.
fn start() -> Tail {
    Tail {
        segment: 1,
        length: 0,
        number: 0,
        at: i64::MIN,
        digest: line::nothing(),
    }
}

/// The last whole line of a segment, if it has one, and how long the segment is.
fn last_whole(folder: &Folder, segment: u64) -> Result<(Option<Tail>, u64), JournalError> {
    let name = segments::name(segment);
    let failed = |error| ReadError::io(&name, error);
    let file = folder
        .read(&name)?
        .ok_or_else(|| ReadError::TakenAway(name.clone()))?;
    let length = file.metadata().map_err(failed)?.len();
    let mut reach = FIRST_LOOK;
    loop {
        let from = length.saturating_sub(reach);
        let bytes = read(&file, from, length).map_err(failed)?;
        let newer = |version| JournalError::Newer {
            file: name.clone(),
            version,
        };
        if let Some((end, line)) = last_in(&bytes, from == 0).map_err(newer)? {
            let digest = Digest::from_hex(line.stated).unwrap_or_else(line::nothing);
            return Ok((
                Some(Tail {
                    segment,
                    length: from + end as u64,
                    number: line.number,
                    at: line.at,
                    digest,
                }),
                length,
            ));
        }
        if from == 0 {
            return Ok((None, length));
        }
        if reach >= FURTHEST {
            return Err(damaged(folder, segment));
        }
        reach = (reach * 8).min(FURTHEST);
    }
}

/// The last whole line in these bytes, and where it ends; the version, where a line is of another one.
fn last_in(bytes: &[u8], from_start: bool) -> Result<Option<(usize, Line<'_>)>, u64> {
    let mut rest = bytes;
    while let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') {
        let before = rest.get(..end).unwrap_or_default();
        let line = match before.iter().rposition(|byte| *byte == b'\n') {
            Some(feed) => before.get(feed + 1..).unwrap_or_default(),
            None if from_start => before,
            None => break,
        };
        match Line::parse(line) {
            Ok(line) if line.is_whole() => return Ok(Some((end + 1, line))),
            Err(Wrong::Version(version)) => return Err(version),
            _ => rest = before,
        }
    }
    Ok(None)
}

/// The bytes of a file between two places.
pub(crate) fn read(file: &File, from: u64, to: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

fn damaged(folder: &Folder, segment: u64) -> JournalError {
    JournalError::DamagedEnd(folder.path().join(segments::name(segment)))
}
