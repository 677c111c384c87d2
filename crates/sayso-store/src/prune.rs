//! Lets the oldest segments of the record go, whole files only, so that the chain over the rest still holds.
//!
//! For each segment an entry of kind `pruned` is on the disk before the file goes: `through` is the number of its last entry, `head` the
//! digest. Whoever is killed in between leaves a record that verifies. A file in which `verify` finds a fault stays, with the one
//! before it and everything behind it: it is what somebody will want to look at.

use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use thiserror::Error as ThisError;

use crate::folder::{Folder, FolderError};
use crate::index::{Index, IndexError};
use crate::journal::line::Line;
use crate::journal::lines::{Lines, Next};
use crate::journal::{Journal, JournalError, ReadError, Sync, segments};
use crate::verify::{Head, verify};

/// What has to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything from this time on, in milliseconds since 1970.
    Since(i64),
    /// About so many bytes of the newest.
    Bytes(u64),
}

/// What can go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The segments, the oldest first.
    pub segments: Vec<Segment>,
    /// A file that stays, and all behind it, because a fault was found in it.
    pub stopped_by: Option<String>,
}

/// A closed segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u64,
    /// How many entries it has.
    pub entries: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The latest time in it, in milliseconds since 1970.
    pub newest: i64,
    /// Its last entry.
    pub last: Head,
}

/// Why not all segments of a plan went.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum PruneError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("the record `{0}` is another by now; nothing more was removed")]
    Replaced(String),
}

impl Plan {
    /// How many entries would go.
    pub fn entries(&self) -> u64 {
        self.segments.iter().map(|segment| segment.entries).sum()
    }

    /// How many bytes would go.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }
}

/// What can go of the record in this state folder. Nothing is changed.
///
/// # Errors
/// When the record cannot be read.
pub fn plan(state: &Path, keep: Keep) -> Result<Plan, ReadError> {
    let Some(folder) = segments::folder(state)? else {
        return Ok(Plan::default());
    };
    let report = verify(state, None)?;
    let all = segments::list(&folder)?;
    let mut left = report.bytes;
    let mut plan = Plan::default();
    // The last one is being written; one that was only begun does not count as it.
    let mut closed = all.as_slice();
    while let Some((last, rest)) = closed.split_last() {
        closed = rest;
        if look(&folder, *last)?.is_some() {
            break;
        }
    }
    for number in closed {
        let name = segments::name(*number);
        if report.faults.iter().any(|fault| fault.file == name) || report.more_faults > 0 {
            plan.stopped_by = Some(name);
            // So that what is damaged still has something whole before it that it is held against.
            plan.segments.pop();
            break;
        }
        let Some(segment) = look(&folder, *number)? else {
            break;
        };
        let goes = match keep {
            Keep::Since(time) => segment.newest < time,
            Keep::Bytes(bytes) => left > bytes,
        };
        if !goes {
            break;
        }
        left = left.saturating_sub(segment.bytes);
        plan.segments.push(segment);
    }
    Ok(plan)
}

/// Lets the segments of a plan go, and says how many went.
///
/// # Errors
/// When an entry cannot be written or a file not be removed; what was done until then stands, and the record verifies.
pub fn prune(journal: &Journal, plan: &Plan, user: u32) -> Result<u64, PruneError> {
    if plan.segments.is_empty() {
        return Ok(0);
    }
    // What is remembered is remembered by its entries: before they go, it is said again.
    let about = [("user", Value::Number(user.to_string()).into())];
    Index::open(journal.state(), &mut |_| {})?.restate(journal, &about)?;
    for segment in &plan.segments {
        step(journal, segment, user)?;
    }
    Ok(plan.segments.len() as u64)
}

/// One segment: first the entry, then the file.
fn step(journal: &Journal, segment: &Segment, user: u32) -> Result<(), PruneError> {
    let folder = journal.folder();
    let whole = |number: u64| -> Node { Value::Number(number.to_string()).into() };
    // Another process may have let it go meanwhile, or somebody changed it.
    match look(folder, segment.number)? {
        None => return Ok(()),
        Some(now) if now == *segment => {}
        Some(_) => {
            return Err(PruneError::Replaced(segments::name(segment.number)));
        }
    }
    let fields = vec![
        ("user", whole(u64::from(user))),
        ("through", whole(segment.last.number)),
        (
            "head",
            Node::text(String::from_utf8_lossy(&segment.last.digest.hex())),
        ),
        ("entries", whole(segment.entries)),
    ];
    journal.append("pruned", fields, Sync::Disk)?;
    folder.remove(&segments::name(segment.number))?;
    // What was torn off it goes with it.
    let torn = format!("{:06}-", segment.number);
    for name in folder
        .names()?
        .iter()
        .filter(|name| name.starts_with(&torn) && name.ends_with(".torn"))
    {
        folder.remove(name)?;
    }
    Ok(folder.sync()?)
}

/// What a segment holds; none if there is no whole entry in it.
fn look(folder: &Folder, number: u64) -> Result<Option<Segment>, ReadError> {
    let name = segments::name(number);
    let failed = |error| ReadError::io(&name, error);
    let Some(opened) = folder.read(&name)? else {
        return Ok(None);
    };
    let bytes = opened.metadata().map_err(failed)?.len();
    let mut lines = Lines::new(opened, bytes);
    let (mut entries, mut newest, mut last) = (0, i64::MIN, None);
    loop {
        match lines.next().map_err(failed)? {
            Next::Line(text) => {
                let Ok(line) = Line::parse(text) else {
                    continue;
                };
                entries += 1;
                newest = newest.max(line.at);
                last = Digest::from_hex(line.stated).map(|digest| Head {
                    number: line.number,
                    digest,
                });
            }
            Next::TooLong => {}
            Next::End(_) => break,
        }
    }
    Ok(last.map(|last| Segment {
        number,
        entries,
        bytes,
        newest,
        last,
    }))
}
