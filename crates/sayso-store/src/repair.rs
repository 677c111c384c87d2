//! Closes a record that is damaged, and goes on behind the damage.
//!
//! Nothing that is there is changed: the damaged files stay as they are, and `verify` tells of them for ever. A new segment begins behind
//! them, and its first entry, of kind `repaired`, names the last whole entry before the damage and what is damaged. Where the end itself is
//! damaged, so that nothing says what the next entry follows, it follows the last whole one, and its number is greater than any that a lost
//! line can have had.

use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use crate::folder::Folder;
use crate::journal::line::{self, Line};
use crate::journal::lines::{Lines, Next};
use crate::journal::{Appended, Behind, Journal, JournalError, ReadError, Sync, segments};
use crate::verify::{Report, What, verify};

/// The kind of the entry that tells of it.
const KIND: &str = "repaired";

/// Closes a damaged record and goes on. None if there is nothing that was not closed before.
///
/// # Errors
/// When the record cannot be read or written, or a newer sayso wrote it.
pub fn repair(state: &Path) -> Result<Option<Appended>, JournalError> {
    if segments::folder(state)?.is_none() {
        return Ok(None);
    }
    let journal = Journal::open(state)?;
    if let Some(done) = journal.go_on(KIND, behind)? {
        return Ok(Some(done));
    }
    let report = verify(state, None)?;
    if report.unsettled == 0 {
        return Ok(None);
    }
    // A segment of any length is full, so that a new one begins.
    journal
        .with_segments_of(0)
        .append(KIND, settled(&report), Sync::Disk)
        .map(Some)
}

/// What an entry says that settles a damage in the middle.
fn settled(report: &Report) -> Vec<(&'static str, Node)> {
    let before = report
        .faults
        .iter()
        .rposition(|fault| matches!(fault.what, What::Repaired(_)));
    let first = report.faults.get(before.map_or(0, |place| place + 1));
    let last = first
        .and_then(|fault| fault.number)
        .map_or(0, |number| number.saturating_sub(1));
    let mut fields = vec![("last", whole(last)), ("faults", whole(report.unsettled))];
    fields.extend(first.map(|fault| ("file", Node::text(&fault.file))));
    fields.extend(first.map(|fault| ("damage", Node::text(fault.to_string()))));
    fields
}

fn whole(number: u64) -> Node {
    Value::Number(number.to_string()).into()
}

/// Looks for the last whole entry, and at what stands behind it.
fn behind(folder: &Folder) -> Result<Behind, ReadError> {
    let segments = segments::list(folder)?;
    let mut last = (0, line::nothing(), i64::MIN);
    let (mut lines, mut bytes) = (0_u64, 0_u64);
    let mut damaged = String::new();
    for segment in &segments {
        let file = segments::name(*segment);
        let failed = |error| ReadError::io(&file, error);
        let opened = folder
            .read(&file)?
            .ok_or_else(|| ReadError::TakenAway(file.clone()))?;
        let length = opened.metadata().map_err(failed)?.len();
        let mut reader = Lines::new(opened, length);
        loop {
            match reader.next().map_err(failed)? {
                Next::Line(text) => match Line::parse(text)
                    .ok()
                    .filter(|line| line.is_whole() && line.number > last.0)
                {
                    Some(line) => {
                        last = (
                            line.number,
                            Digest::from_hex(line.stated).unwrap_or_else(line::nothing),
                            line.at,
                        );
                        (lines, bytes) = (0, 0);
                        damaged.clear();
                    }
                    None => {
                        lines += 1;
                        bytes += text.len() as u64 + 1;
                        damaged.clone_from(&file);
                    }
                },
                Next::TooLong => {
                    lines += 1;
                    damaged.clone_from(&file);
                }
                Next::End([]) => break,
                Next::End(rest) => {
                    lines += 1;
                    bytes += rest.len() as u64;
                    damaged.clone_from(&file);
                    break;
                }
            }
        }
    }
    let (number, digest, at) = last;
    Ok(Behind {
        segment: segments.last().map_or(1, |last| last + 1),
        number: number.saturating_add(lines),
        digest,
        at,
        fields: vec![
            ("last", whole(number)),
            ("head", Node::text(String::from_utf8_lossy(&digest.hex()))),
            ("file", Node::text(damaged)),
            ("lines", whole(lines)),
            ("bytes", whole(bytes)),
        ],
    })
}
