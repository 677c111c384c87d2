//! Goes through the whole chain and tells every place where it does not hold.
//!
//! Found are: a changed byte anywhere, a line or a segment that was taken out, put in or moved, and a cut in the middle. Whoever may write
//! the folder can cut off the end or write the whole chain anew, and no chain shows that by itself: hand in a head that was kept elsewhere.
//!
//! Two things are no faults. A torn end is what a killed writer leaves; the next writer puts it aside (whole lines that are put aside are
//! one). And the oldest segments may be gone if a later entry of kind `pruned` says so: `through` is the number of the last entry that went,
//! `head` its digest. A damage that was [repaired](crate::repair) stays a fault for ever.

use std::fmt;
use std::path::Path;

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_core::text::{Limits, json};

use crate::folder::Folder;
use crate::journal::line::{self, Line, Wrong};
use crate::journal::lines::{Lines, Next};
use crate::journal::{PATIENCE, ReadError, lock, segments};

/// The last entry, or one that was the last when somebody wrote it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub number: u64,
    /// The digest of its line.
    pub digest: Digest,
}

/// A place where the chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file of the journal.
    pub file: String,
    /// The line in it, from 1; 0 for the whole file.
    pub line: u64,
    /// The number of the entry that stands there, or should.
    pub number: Option<u64>,
    /// What is wrong.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The bytes of the line are not those that were written.
    Changed,
    /// It is no line of the journal.
    NoEntry,
    /// It is longer than any line that is written.
    TooLong,
    /// This sayso does not know the version.
    Version(u64),
    /// Entries from one number to another should stand before it.
    Missing(u64, u64),
    /// Its number was there before: it was put in or moved.
    OutOfOrder,
    /// It does not carry the digest of the line before.
    NotLinked,
    /// The file ends in the middle of a line, though another follows.
    CutShort,
    /// The whole file is gone.
    MissingSegment,
    /// So many whole lines, which were not as they had been written, were put aside before it.
    PutAside(u64),
    /// The record was damaged and goes on here; the last entry before that is this one.
    Repaired(u64),
    /// The journal ends before the entry whose head was handed in.
    CutEnd(u64),
    /// The entry is another one than that whose head was handed in.
    OtherHead,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many entries there are.
    pub entries: u64,
    /// How many files.
    pub segments: u64,
    /// How many bytes.
    pub bytes: u64,
    /// When the first of them was written, in milliseconds since 1970.
    pub since: Option<i64>,
    /// The last entry.
    pub head: Option<Head>,
    /// Where the last file has how many bytes behind its last line.
    pub torn: Option<(String, u64)>,
    /// The first faults, in order.
    pub faults: Vec<Fault>,
    /// How many more there are.
    pub more_faults: u64,
    /// How many of them all the last `repaired` entry does not know of.
    pub unsettled: u64,
}

/// Faults that are told one by one.
const MOST_FAULTS: usize = 100;

/// Verifies the journal in this state folder, up to where it is when this starts.
///
/// # Errors
/// When the folder or a file cannot be read or relied on; a chain that does not hold is a report.
pub fn verify(state: &Path, expected: Option<Head>) -> Result<Report, ReadError> {
    verify_telling(state, expected, &mut |_, _| {})
}

/// The same, and tells after each file how many bytes of how many were gone through.
///
/// # Errors
/// As [`verify`].
pub fn verify_telling(
    state: &Path,
    expected: Option<Head>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, ReadError> {
    let Some(folder) = segments::folder(state)? else {
        let mut walk = Walk::new(expected);
        walk.finish(&segments::name(1));
        return Ok(walk.report);
    };
    let (segments, lengths) = measure(&folder)?;
    let mut walk = Walk::new(expected);
    let mut file = segments::name(1);
    let mut wanted = 1;
    let all = lengths.iter().sum();
    for (segment, length) in segments.iter().zip(lengths) {
        for missing in (wanted..*segment).take(MOST_FAULTS) {
            walk.missing_segment(segments::name(missing));
        }
        wanted = segment + 1;
        file = segments::name(*segment);
        walk.segment(&folder, &file, length, Some(segment) == segments.last())?;
        progress(walk.report.bytes, all);
    }
    walk.finish(&file);
    Ok(walk.report)
}

/// The segments and their lengths at one moment between two writes.
fn measure(folder: &Folder) -> Result<(Vec<u64>, Vec<u64>), ReadError> {
    let lock = folder.read(segments::LOCK)?;
    // Somebody who hangs with the lock, or a copy without one, is no reason not to look.
    let _held = lock
        .as_ref()
        .and_then(|file| lock::hold(file, PATIENCE).ok());
    let segments = segments::list(folder)?;
    let length = |segment: &u64| {
        let stat = folder.look(&segments::name(*segment))?;
        Ok(stat
            .and_then(|stat| u64::try_from(stat.st_size).ok())
            .unwrap_or(0))
    };
    let lengths = segments
        .iter()
        .map(length)
        .collect::<Result<_, ReadError>>()?;
    Ok((segments, lengths))
}

/// The digests that the next line may carry, in hex.
enum Link {
    /// What the line before says it has, and what it has; two only where it was changed.
    Either([u8; 64], [u8; 64]),
    /// Nothing is known of the line before.
    Any,
}

struct Walk {
    report: Report,
    expected: Option<Head>,
    /// The number that comes next.
    next: u64,
    link: Link,
    /// The faults of a beginning that is gone, with what a `pruned` entry must say to excuse them.
    gone: Option<(Vec<Fault>, u64, Digest)>,
    /// Somebody has settled what is damaged up to some entry.
    is_repaired: bool,
}

impl Walk {
    fn new(expected: Option<Head>) -> Self {
        let nothing = line::nothing().hex();
        Walk {
            report: Report::default(),
            expected,
            next: 1,
            link: Link::Either(nothing, nothing),
            gone: None,
            is_repaired: false,
        }
    }

    fn segment(
        &mut self,
        folder: &Folder,
        file: &str,
        length: u64,
        is_last: bool,
    ) -> Result<(), ReadError> {
        let opened = folder
            .read(file)?
            .ok_or_else(|| ReadError::TakenAway(file.to_owned()))?;
        let mut lines = Lines::new(opened, length);
        self.report.segments += 1;
        self.report.bytes += length;
        for number in 1.. {
            match lines.next().map_err(|error| ReadError::io(file, error))? {
                Next::Line(bytes) => self.line(file, number, bytes),
                Next::TooLong => self.unreadable(file, number, What::TooLong),
                Next::End([]) => break,
                Next::End(rest) => {
                    // A whole line with another byte in place of its line feed is nothing a killed writer leaves.
                    let body = rest.split_last().map_or(rest, |(_, body)| body);
                    if Line::parse(body).is_ok_and(|line| line.is_whole()) {
                        self.unreadable(file, number, What::Changed);
                    } else if is_last {
                        self.report.torn = Some((file.to_owned(), rest.len() as u64));
                    } else {
                        self.fault(file, number, None, What::CutShort);
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, file: &str, place: u64, bytes: &[u8]) {
        let line = match Line::parse(bytes) {
            Ok(line) => line,
            Err(Wrong::Form) => return self.unreadable(file, place, What::NoEntry),
            Err(Wrong::Version(version)) => {
                return self.unreadable(file, place, What::Version(version));
            }
        };
        self.report.entries += 1;
        self.report.since.get_or_insert(line.at);
        let digest = line.digest();
        let hex = digest.hex();
        let stated: [u8; 64] = line.stated.try_into().unwrap_or(hex);
        if hex != line.stated {
            self.fault(file, place, Some(self.next), What::Changed);
            self.next = self.next.saturating_add(1);
            self.link = Link::Either(stated, hex);
            return;
        }
        if line.number < self.next {
            return self.fault(file, place, Some(line.number), What::OutOfOrder);
        }
        let linked = match &self.link {
            Link::Either(one, other) => line.prev == one || line.prev == other,
            Link::Any => true,
        };
        if line.kind == "repaired" {
            // What it goes on from is told as damage for ever, so nobody gains by writing such an entry.
            let last = value(bytes)
                .and_then(|node| node.get("last")?.as_whole())
                .unwrap_or(0);
            self.fault(file, place, Some(line.number), What::Repaired(last));
            (self.is_repaired, self.report.unsettled) = (true, 0);
        } else if line.number > self.next {
            self.missing(file, place, &line);
        } else if !linked {
            self.fault(file, place, Some(line.number), What::NotLinked);
        }
        if self
            .expected
            .is_some_and(|head| head.number == line.number && head.digest != digest)
        {
            self.fault(file, place, Some(line.number), What::OtherHead);
        }
        match line.kind {
            "pruned" => self.pruned(bytes),
            "torn" => self.torn(file, place, line.number, bytes),
            _ => {}
        }
        self.next = line.number.saturating_add(1);
        self.link = Link::Either(stated, hex);
        self.report.head = Some(Head {
            number: line.number,
            digest,
        });
    }

    /// Lines are missing; at the very beginning they may have been pruned.
    fn missing(&mut self, file: &str, place: u64, line: &Line<'_>) {
        let what = What::Missing(self.next, line.number - 1);
        let fault = Fault {
            file: file.to_owned(),
            line: place,
            number: Some(line.number),
            what,
        };
        match Digest::from_hex(line.prev) {
            Some(prev) if self.next == 1 && self.report.entries == 1 => {
                let mut faults = std::mem::take(&mut self.report.faults);
                faults.push(fault);
                self.report.unsettled = 0;
                self.gone = Some((faults, line.number - 1, prev));
            }
            _ => self.push(fault),
        }
    }

    /// A killed writer leaves no whole line: where one was put aside, it had been changed.
    fn torn(&mut self, file: &str, place: u64, number: u64, bytes: &[u8]) {
        let lines = value(bytes).and_then(|node| node.get("lines")?.as_whole());
        if let Some(lines) = lines.filter(|lines| *lines > 0) {
            self.fault(file, place, Some(number), What::PutAside(lines));
        }
    }

    fn pruned(&mut self, bytes: &[u8]) {
        let Some(node) = value(bytes) else { return };
        let through = node.get("through").and_then(|node| node.as_whole());
        let head = node
            .get("head")
            .and_then(|node| Digest::from_hex(node.as_text()?.as_bytes()));
        if self
            .gone
            .as_ref()
            .is_some_and(|(_, number, digest)| Some(*number) == through && Some(*digest) == head)
        {
            self.gone = None;
        }
    }

    fn missing_segment(&mut self, file: String) {
        self.push(Fault {
            file,
            line: 0,
            number: None,
            what: What::MissingSegment,
        });
    }

    /// A line of which nothing can be known stands where the next entry should.
    fn unreadable(&mut self, file: &str, place: u64, what: What) {
        self.fault(file, place, Some(self.next), what);
        self.report.entries += 1;
        self.next = self.next.saturating_add(1);
        self.link = Link::Any;
    }

    fn finish(&mut self, file: &str) {
        if let Some((mut faults, _, _)) = self.gone.take() {
            // They stand before every entry.
            self.report.unsettled += if self.is_repaired {
                0
            } else {
                faults.len() as u64
            };
            faults.append(&mut self.report.faults);
            self.report.faults = faults;
        }
        if let Some(head) = self.expected.filter(|head| head.number >= self.next) {
            self.fault(file, 0, Some(self.next), What::CutEnd(head.number));
        }
    }

    fn fault(&mut self, file: &str, line: u64, number: Option<u64>, what: What) {
        self.push(Fault {
            file: file.to_owned(),
            line,
            number,
            what,
        });
    }

    fn push(&mut self, fault: Fault) {
        self.report.unsettled += 1;
        if self.report.faults.len() < MOST_FAULTS {
            self.report.faults.push(fault);
        } else {
            self.report.more_faults += 1;
        }
    }
}

fn value(bytes: &[u8]) -> Option<Node> {
    json::read(
        std::str::from_utf8(bytes).ok()?,
        &Limits {
            depth: 256,
            ..Limits::default()
        },
    )
    .ok()
}

impl Report {
    /// Whether the chain holds.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`", self.file)?;
        if self.line > 0 {
            write!(out, ", line {}", self.line)?;
        }
        if let Some(number) = self.number {
            write!(out, ", entry {number}")?;
        }
        write!(out, ": {}", self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Changed => out.write_str("the line was changed after it was written"),
            What::NoEntry => out.write_str("this is no entry: the line was changed, cut or put in"),
            What::TooLong => out.write_str("the line is longer than any that sayso writes"),
            What::Version(version) => write!(out, "the entry has version {version}, which this sayso does not know"),
            What::Missing(from, to) if from == to => write!(out, "entry {from} is missing before it"),
            What::Missing(from, to) => write!(out, "entries {from} to {to} are missing before it"),
            What::OutOfOrder => out.write_str("the entry stands in the wrong place: it was put in, moved or doubled"),
            What::NotLinked => out.write_str("the entry does not follow the one before it: one of the two was replaced"),
            What::CutShort => out.write_str("the file ends in the middle of a line"),
            What::MissingSegment => out.write_str("the file is missing"),
            What::PutAside(1) => out.write_str("a line that was changed after it was written was put aside before it"),
            What::PutAside(lines) => write!(out, "{lines} lines that were changed after they were written were put aside before it"),
            What::Repaired(last) => {
                write!(out, "the record before it was damaged; it was closed, and goes on here behind entry {last}, the last whole one")
            }
            What::CutEnd(number) => write!(out, "the record ends here, but entry {number} was in it when its head was kept"),
            What::OtherHead => out.write_str("this is another entry than the one whose head was kept: the record was written anew"),
        }
    }
}
