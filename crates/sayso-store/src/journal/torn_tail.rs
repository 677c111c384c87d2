//! Bytes behind the last whole line: what a writer left that was killed, or that the disk lost. They are put aside, and the record says so.
//!
//! No writer was told that such bytes are an entry, so nothing that counts is lost. They go into a file of their own (`000001-1.torn`), which
//! is on the disk before the journal is cut, and the next line is a `torn` entry with their number, their digest and the name of that file.
//! A writer that is killed or finds no room between the cut and that line leaves a `.torn` file that no entry names.
//!
//! A line feed is the last byte of a write, so a killed writer leaves none. Where `lines` says that there were some, whole lines were not as
//! they had been written: the disk lost something, or somebody changed them. For `verify` that is a fault.

use std::fs::File;
use std::io::{self, Write as _};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use super::error::JournalError;
use super::segments;
use super::tail::{self, Tail};
use crate::folder::{Action, Folder};

/// The kind of the entry that tells of it.
pub(crate) const KIND: &str = "torn";

/// Puts the bytes aside, cuts the segment, and returns the fields of the entry. The lock must be held.
pub(crate) fn set_aside(
    folder: &Folder,
    segment: &File,
    tail: &Tail,
    torn: u64,
) -> Result<Vec<(&'static str, Node)>, JournalError> {
    let failed = |action: Action, source: io::Error| JournalError::TornEnd {
        action,
        file: segments::name(tail.segment),
        source,
    };
    let bytes = tail::read(segment, tail.length, tail.length + torn)
        .map_err(|error| failed(Action::Read, error))?;
    let (name, mut aside) = new_file(folder, tail.segment)?;
    let kept = aside.write_all(&bytes).and_then(|()| aside.sync_all());
    if let Err(error) = kept {
        folder.remove(&name)?;
        return Err(failed(Action::PutAside, error));
    }
    folder.sync()?;
    segment
        .set_len(tail.length)
        .map_err(|error| failed(Action::CutOff, error))?;
    Ok(vec![
        ("bytes", Value::Number(torn.to_string()).into()),
        (
            "lines",
            Value::Number(
                bytes
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count()
                    .to_string(),
            )
            .into(),
        ),
        (
            "sha256",
            Node::text(String::from_utf8_lossy(&Digest::of_bytes(&bytes).hex())),
        ),
        ("file", Node::text(name)),
    ])
}

fn new_file(folder: &Folder, segment: u64) -> Result<(String, File), JournalError> {
    for count in 1_u64.. {
        let name = format!("{segment:06}-{count}.torn");
        if let Some(file) = folder.create_new(&name)? {
            return Ok((name, file));
        }
    }
    Err(JournalError::TooManyTorn)
}
