//! Reads entries: from the first to the last, from the last to the first, and one by its number.
//!
//! Nothing is locked: an entry that is just being written is not there yet. A line that is not as it was written is an error in its place,
//! and the ones behind it still come; [`verify`](crate::verify) tells more.

mod backwards;
mod follow;

use std::collections::VecDeque;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use crate::folder::Folder;
use crate::journal::line::Line;
use crate::journal::lines::{Lines, Next};
use crate::journal::{Position, segments};
use crate::verify::Head;

pub use crate::journal::ReadError;
pub use backwards::Backwards;
pub use follow::Follow;

/// An entry of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its number, from 1.
    pub number: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What kind of entry it is.
    pub kind: String,
    /// The digest of its line.
    pub digest: Digest,
    /// The line as it stands in the journal, without its line feed.
    pub text: String,
}

/// The journal, open for reading.
#[derive(Debug)]
pub struct Reader {
    /// None where nothing was ever recorded.
    folder: Option<Folder>,
}

impl Stored {
    /// The entry as a value, with the keys of the line and those of the fields.
    ///
    /// # Errors
    /// When the line is no JSON; no line that sayso wrote is.
    pub fn node(&self) -> Result<Node, ReadError> {
        json::read(
            &self.text,
            &Limits {
                depth: 256,
                ..Limits::default()
            },
        )
        .map_err(|cause| ReadError::NoJson {
            number: self.number,
            cause,
        })
    }

    /// Whether it was written right behind that one.
    pub(crate) fn follows(&self, before: &Stored) -> bool {
        let linked =
            Line::parse(self.text.as_bytes()).is_ok_and(|line| line.prev == before.digest.hex());
        linked && Some(self.number) == before.number.checked_add(1)
    }

    fn read(line: &[u8]) -> Option<Stored> {
        let text = std::str::from_utf8(line).ok()?.to_owned();
        let line = Line::parse(line).ok().filter(Line::is_whole)?;
        Some(Stored {
            number: line.number,
            at: line.at,
            kind: line.kind.to_owned(),
            digest: Digest::from_hex(line.stated)?,
            text,
        })
    }
}

impl Reader {
    /// Opens the journal in this state folder, and makes nothing.
    ///
    /// # Errors
    /// When it is there, but cannot be opened or relied on.
    pub fn open(state: &Path) -> Result<Reader, ReadError> {
        Ok(Reader {
            folder: segments::folder(state)?,
        })
    }

    /// All entries from the first on.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn forwards(&self) -> Result<Forwards<'_>, ReadError> {
        Ok(Forwards {
            folder: self.folder.as_ref(),
            segments: self.segments()?.into(),
            open: None,
            holding: None,
            after: 0,
        })
    }

    /// All entries from this number on.
    ///
    /// # Errors
    /// When the folder cannot be listed, or a file cannot be read.
    pub fn from(
        &self,
        number: u64,
    ) -> Result<impl Iterator<Item = Result<Stored, ReadError>> + '_, ReadError> {
        let mut segments = VecDeque::from(self.segments()?);
        if let Some(folder) = &self.folder {
            // The last segment that does not begin behind it; where damage hides how one begins, the one before counts.
            let mut before = 0;
            for (place, segment) in segments.iter().enumerate().rev() {
                if first_number(folder, *segment)?.is_some_and(|first| first <= number) {
                    before = place;
                    break;
                }
            }
            segments.drain(..before);
        }
        let mut entries = Forwards {
            segments,
            after: number.saturating_sub(1),
            ..self.forwards()?
        };
        let entries = std::iter::from_fn(move || entries.step().transpose());
        Ok(entries.filter(move |entry| {
            entry
                .as_ref()
                .map_or(true, |stored| stored.number >= number)
        }))
    }

    /// All entries from the last on.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn backwards(&self) -> Result<Backwards<'_>, ReadError> {
        Ok(Backwards::new(self.folder.as_ref(), self.segments()?))
    }

    /// The entries, from the first on, that have this text in a field of this name: those of one call, or of one session.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn about<'a>(
        &'a self,
        field: &'a str,
        text: &'a str,
    ) -> Result<impl Iterator<Item = Result<Stored, ReadError>> + 'a, ReadError> {
        let holding = format!(
            "{}:{}",
            json::quote(field),
            json::write_plain(&Node::text(text))
        );
        let entries = Forwards {
            holding: Some(holding),
            ..self.forwards()?
        };
        // The words may also stand deeper in a line.
        let has = move |stored: &Stored| {
            stored
                .node()
                .is_ok_and(|node| node.get(field).and_then(Node::as_text) == Some(text))
        };
        Ok(entries.filter(move |entry| entry.as_ref().map_or(true, has)))
    }

    /// The entry with this number.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn find(&self, number: u64) -> Result<Option<Stored>, ReadError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        // Damage can hide where a segment begins; then it is looked through with the one before.
        let mut candidates = VecDeque::new();
        for segment in self.segments()?.into_iter().rev() {
            match first_number(folder, segment)? {
                Some(first) if first > number => candidates.clear(),
                Some(_) => {
                    candidates.push_front(segment);
                    break;
                }
                None => candidates.push_front(segment),
            }
        }
        for segment in candidates {
            let file = segments::name(segment);
            let Some(mut lines) = open(folder, &file)? else {
                continue;
            };
            loop {
                match lines.next().map_err(|error| ReadError::io(&file, error))? {
                    Next::Line(line)
                        if Line::parse(line).is_ok_and(|line| line.number == number) =>
                    {
                        if let Some(stored) = Stored::read(line) {
                            return Ok(Some(stored));
                        }
                    }
                    Next::Line(_) | Next::TooLong => {}
                    Next::End(_) => break,
                }
            }
        }
        Ok(None)
    }

    /// The last entry, to be kept elsewhere and handed to [`verify`](crate::verify::verify) later.
    ///
    /// # Errors
    /// When the last line is not as it was written.
    pub fn head(&self) -> Result<Option<Head>, ReadError> {
        let last = self.backwards()?.next().transpose()?;
        Ok(last.map(|Stored { number, digest, .. }| Head { number, digest }))
    }

    fn segments(&self) -> Result<Vec<u64>, ReadError> {
        self.folder
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), |folder| Ok(segments::list(folder)?))
    }
}

/// Entries from the first to the last.
pub struct Forwards<'a> {
    folder: Option<&'a Folder>,
    /// Those that were not begun.
    segments: VecDeque<u64>,
    open: Option<(String, Lines, u64)>,
    /// Only lines with this in them.
    holding: Option<String>,
    /// Lines that say they have this number or a smaller one are passed over, without a look at the rest of them.
    after: u64,
}

impl Forwards<'_> {
    fn step(&mut self) -> Result<Option<Stored>, ReadError> {
        loop {
            let Some((file, lines, place)) = &mut self.open else {
                let (Some(folder), Some(segment)) = (self.folder, self.segments.pop_front()) else {
                    return Ok(None);
                };
                let file = segments::name(segment);
                self.open = open(folder, &file)?.map(|lines| (file, lines, 0));
                continue;
            };
            *place += 1;
            let next = match lines.next() {
                Ok(next) => next,
                Err(error) => {
                    let reason = ReadError::io(file, error);
                    self.open = None;
                    return Err(reason);
                }
            };
            let bytes = match next {
                Next::Line(bytes) => bytes,
                Next::TooLong => {
                    return Err(ReadError::not_as_written(file, Position::Line(*place)));
                }
                Next::End(rest) => {
                    let cut = !rest.is_empty() && !self.segments.is_empty();
                    let reason = ReadError::not_as_written(file, Position::Line(*place));
                    self.open = None;
                    if cut {
                        return Err(reason);
                    }
                    continue;
                }
            };
            if self.after > 0
                && Line::number_at_start(bytes).is_some_and(|number| number <= self.after)
            {
                continue;
            }
            if let Some(holding) = &self.holding
                && !std::str::from_utf8(bytes).is_ok_and(|text| text.contains(holding.as_str()))
            {
                continue;
            }
            return Stored::read(bytes)
                .map(Some)
                .ok_or_else(|| ReadError::not_as_written(file, Position::Line(*place)));
        }
    }
}

impl Iterator for Forwards<'_> {
    type Item = Result<Stored, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// The lines of a segment as long as it is now; none if it is gone.
fn open(folder: &Folder, file: &str) -> Result<Option<Lines>, ReadError> {
    let Some(opened) = folder.read(file)? else {
        return Ok(None);
    };
    let length = opened
        .metadata()
        .map_err(|error| ReadError::io(file, error))?
        .len();
    Ok(Some(Lines::new(opened, length)))
}

/// The number in the first line of a segment, if it can be told.
fn first_number(folder: &Folder, segment: u64) -> Result<Option<u64>, ReadError> {
    let file = segments::name(segment);
    let Some(opened) = folder.read(&file)? else {
        return Ok(None);
    };
    let mut start = [0; 32];
    let read = opened
        .read_at(&mut start, 0)
        .map_err(|error| ReadError::io(&file, error))?;
    Ok(start.get(..read).and_then(Line::number_at_start))
}
