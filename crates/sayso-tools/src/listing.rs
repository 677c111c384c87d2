//! What stood in a workspace at one moment, in a form that can be written down and compared.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::Stat;
use sayso_core::text::digest::Digest;

use crate::open_nofollow::mode;
use crate::path_state::State;

/// What a file system says of a file without opening it. A file that was written to has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The disk.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// How many bytes.
    pub size: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about it last changed. No program can choose this.
    pub changed: i128,
}

/// What stands under one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A file that is kept.
    File {
        /// By which it is known again.
        identity: Identity,
        /// Its permission bits.
        mode: u32,
        /// How many names it has.
        names: u64,
        /// The digest of its bytes; none where it was not read.
        digest: Option<Digest>,
    },
    /// A folder, with its permission bits. What is in it follows.
    Folder(u32),
    /// A link and what it says.
    Link(OsString),
    /// A pipe, a socket or a device.
    Special,
    /// Ignored by git, so it is neither kept nor looked into; with its identity if it is protected.
    Ignored(Option<Identity>),
    /// The folder in which git keeps its own, which is not looked into either.
    Git(Identity),
    /// A folder, with its permission bits, that cannot be looked into.
    Closed(u32),
    /// New, and one too many to be looked at.
    Unseen,
}

/// One name in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path below the workspace.
    pub path: PathBuf,
    /// What stands there.
    pub what: What,
}

/// All names of a workspace: each folder right before what is in it, and the names of a folder in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The workspace.
    pub root: PathBuf,
    /// Its permission bits.
    pub mode: u32,
    /// When the look at it began, in nanoseconds since 1970.
    pub taken: i128,
    /// What is in it.
    pub entries: Vec<Entry>,
}

const FORMAT: &[u8] = b"sayso listing 1";
/// A file that was written so shortly before it was looked at can be written again without a trace in its times, as some disks count in
/// whole seconds.
const TOO_FRESH: i128 = 2_000_000_000;

/// The time in nanoseconds since 1970.
pub fn now() -> i128 {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i128::try_from(now.as_nanos()).unwrap_or(i128::MAX)
}

impl Identity {
    /// From what the system says.
    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "these numbers have other types on other systems"
    )]
    pub fn of(found: &Stat) -> Identity {
        const SECOND: i128 = 1_000_000_000;
        Identity {
            device: found.st_dev as u64,
            inode: found.st_ino as u64,
            size: u64::try_from(found.st_size).unwrap_or(0),
            modified: i128::from(found.st_mtime) * SECOND + found.st_mtime_nsec as i128,
            changed: i128::from(found.st_ctime) * SECOND + found.st_ctime_nsec as i128,
        }
    }

    fn read(words: &mut std::str::SplitAsciiWhitespace<'_>) -> Option<Identity> {
        Some(Identity {
            device: words.next()?.parse().ok()?,
            inode: words.next()?.parse().ok()?,
            size: words.next()?.parse().ok()?,
            modified: words.next()?.parse().ok()?,
            changed: words.next()?.parse().ok()?,
        })
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} {} {} {} {}",
            self.device, self.inode, self.size, self.modified, self.changed
        )
    }
}

impl What {
    /// A file that was not read.
    #[allow(
        clippy::unnecessary_cast,
        reason = "this number has other types on other systems"
    )]
    pub fn file(found: &Stat) -> What {
        What::File {
            identity: Identity::of(found),
            mode: mode(found),
            names: found.st_nlink as u64,
            digest: None,
        }
    }

    /// Whether it can be brought back.
    pub fn is_kept(&self) -> bool {
        matches!(self, What::File { .. } | What::Folder(_) | What::Link(_))
    }

    /// As it is written down in a change, of a folder only itself.
    pub fn state(&self) -> State {
        match self {
            What::File {
                identity,
                mode,
                digest,
                ..
            } => State::File {
                digest: *digest,
                size: identity.size,
                mode: *mode,
            },
            What::Folder(mode) | What::Closed(mode) => State::Folder {
                mode: *mode,
                inside: None,
            },
            What::Link(target) => State::Link {
                target: target.clone(),
            },
            What::Special | What::Ignored(_) | What::Git(_) | What::Unseen => State::Special,
        }
    }

    fn facts(&self) -> (String, &OsStr) {
        let none = OsStr::new("");
        match self {
            What::File {
                identity,
                mode,
                names,
                digest,
            } => {
                let digest = digest.map_or_else(|| "-".to_owned(), |digest| digest.to_string());
                (format!("file {identity} {mode:o} {names} {digest}"), none)
            }
            What::Folder(mode) => (format!("folder {mode:o}"), none),
            What::Closed(mode) => (format!("closed {mode:o}"), none),
            What::Link(target) => ("link".to_owned(), target),
            What::Special => ("special".to_owned(), none),
            What::Ignored(None) => ("ignored".to_owned(), none),
            What::Ignored(Some(identity)) => (format!("ignored {identity}"), none),
            What::Git(identity) => (format!("git {identity}"), none),
            What::Unseen => ("unseen".to_owned(), none),
        }
    }

    fn read(facts: &[u8], text: &[u8]) -> Option<What> {
        let mut words = std::str::from_utf8(facts).ok()?.split_ascii_whitespace();
        let kind = words.next()?;
        let mode = |words: &mut std::str::SplitAsciiWhitespace<'_>| {
            u32::from_str_radix(words.next()?, 8).ok()
        };
        Some(match kind {
            "file" => What::File {
                identity: Identity::read(&mut words)?,
                mode: mode(&mut words)?,
                names: words.next()?.parse().ok()?,
                digest: match words.next()? {
                    "-" => None,
                    digest => Some(Digest::parse(digest)?),
                },
            },
            "folder" => What::Folder(mode(&mut words)?),
            "closed" => What::Closed(mode(&mut words)?),
            "link" => What::Link(OsString::from_vec(text.to_vec())),
            "special" => What::Special,
            "ignored" => What::Ignored(Identity::read(&mut words)),
            "git" => What::Git(Identity::read(&mut words)?),
            "unseen" => What::Unseen,
            _ => return None,
        })
    }
}

impl Listing {
    /// Whether a file with this identity may have been written to since without a trace in its times.
    pub fn is_too_fresh(&self, identity: &Identity) -> bool {
        identity.modified.max(identity.changed) >= self.taken - TOO_FRESH
    }

    /// The digests of all files in it.
    pub fn digests(&self) -> impl Iterator<Item = Digest> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            What::File { digest, .. } => *digest,
            _ => None,
        })
    }

    /// As bytes. No path holds a NUL, so that one stands between all parts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * 192);
        let mut part = |part: &[u8]| {
            bytes.extend_from_slice(part);
            bytes.push(0);
        };
        part(FORMAT);
        part(self.root.as_os_str().as_bytes());
        part(format!("{} {:o}", self.taken, self.mode).as_bytes());
        for Entry { path, what } in &self.entries {
            let (facts, text) = what.facts();
            part(path.as_os_str().as_bytes());
            part(facts.as_bytes());
            part(text.as_bytes());
        }
        bytes
    }

    /// Reads what [`Listing::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Listing> {
        let mut parts = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        if parts.next()? != FORMAT {
            return None;
        }
        let root = path(parts.next()?);
        let (taken, mode) = std::str::from_utf8(parts.next()?).ok()?.split_once(' ')?;
        let mut listing = Listing {
            root,
            taken: taken.parse().ok()?,
            mode: u32::from_str_radix(mode, 8).ok()?,
            entries: Vec::new(),
        };
        while let Some(name) = parts.next() {
            let what = What::read(parts.next()?, parts.next()?)?;
            listing.entries.push(Entry {
                path: path(name),
                what,
            });
        }
        Some(listing)
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listing_reads_back() {
        let identity = Identity {
            device: 1,
            inode: u64::MAX,
            size: 3,
            modified: -5,
            changed: i128::from(i64::MAX),
        };
        let all = [
            What::File {
                identity,
                mode: 0o4755,
                names: 2,
                digest: Some(Digest::of_bytes(b"x")),
            },
            What::File {
                identity,
                mode: 0,
                names: 1,
                digest: None,
            },
            What::Folder(0o1777),
            What::Link(OsString::from_vec(vec![b'\n', 0xff, b' '])),
            What::Special,
            What::Ignored(None),
            What::Ignored(Some(identity)),
            What::Git(identity),
            What::Closed(0),
            What::Unseen,
        ];
        let name = |index: usize| {
            PathBuf::from(OsString::from_vec(vec![
                b'a',
                b'\n',
                0xfe,
                u8::try_from(index).unwrap_or(0) + 1,
            ]))
        };
        let entries = all
            .into_iter()
            .enumerate()
            .map(|(index, what)| Entry {
                path: name(index),
                what,
            })
            .collect();
        let listing = Listing {
            root: PathBuf::from("/w\n s"),
            mode: 0o750,
            taken: 12,
            entries,
        };
        let bytes = listing.to_bytes();
        assert_eq!(Listing::from_bytes(&bytes), Some(listing));
        let short = bytes.get(..bytes.len() - 9).unwrap_or_default();
        assert_eq!(Listing::from_bytes(short), None);
        assert_eq!(Listing::from_bytes(b""), None);
    }
}
