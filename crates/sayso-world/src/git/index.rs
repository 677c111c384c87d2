//! Reads from git's index which folders are submodules: `git status` and `git diff` go into those, with the settings that lie there.
//!
//! A repository in a folder that is no such entry is never entered, so only the index can tell the two apart; `.gitmodules` need not name
//! it. It is read entry by entry as git does. What git might read in another way (a split or sparse index, tables that do not match) is
//! not read at all, and the caller asks: to go by other signs of submodules there would leave a way to hide one.

use std::collections::HashSet;

use sayso_core::paths::secret;

use crate::file_cache::Remembered;
use crate::search::is_odd;

/// The longest index that is read; about 300,000 files.
const LONGEST_INDEX: u64 = 32 * 1024 * 1024;

/// How many submodules are looked at.
pub(crate) const MOST_SUBMODULES: usize = 32;

/// How many names of secrets are kept.
const MOST_SECRETS: usize = 1000;

/// How many names that are no plain words are kept.
const MOST_ODD: usize = 1000;

const GITLINK: u32 = 0o160_000;
const REGULAR: u32 = 0o100_000;
const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;
const LONG_NAME: usize = 0xfff;

/// Indexes that were read, by the kind of names objects have.
pub(crate) struct Indexes {
    pub sha1: Remembered<Gitlinks>,
    pub sha256: Remembered<Gitlinks>,
    pub tracked_sha1: Remembered<Tracked>,
    pub tracked_sha256: Remembered<Tracked>,
    pub secrets_sha1: Remembered<Secrets>,
    pub secrets_sha256: Remembered<Secrets>,
}

impl Default for Indexes {
    fn default() -> Self {
        Indexes {
            sha1: Remembered::up_to(LONGEST_INDEX, |bytes| Gitlinks::parse(bytes, 20)),
            sha256: Remembered::up_to(LONGEST_INDEX, |bytes| Gitlinks::parse(bytes, 32)),
            tracked_sha1: Remembered::up_to(LONGEST_INDEX, |bytes| Tracked::parse(bytes, 20)),
            tracked_sha256: Remembered::up_to(LONGEST_INDEX, |bytes| Tracked::parse(bytes, 32)),
            secrets_sha1: Remembered::up_to(LONGEST_INDEX, |bytes| Secrets::parse(bytes, 20)),
            secrets_sha256: Remembered::up_to(LONGEST_INDEX, |bytes| Secrets::parse(bytes, 32)),
        }
    }
}

/// What counts of an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gitlinks {
    /// The submodules that it names, as paths below the work tree; none if it cannot be read or names too many.
    pub links: Option<Vec<String>>,
    /// Names in it that may become other words where they are handed to another program: `git ls-files` prints them also if there are no
    /// such files. None if there are too many.
    pub odd: Option<Vec<String>>,
}

/// All that an index names, and the folders on the way; none if it cannot be read. Few questions need it, and it costs more than the rest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tracked(Option<HashSet<u64>>);

/// A file of an index, with what was known of it on disk when git looked last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its path below the work tree.
    pub name: String,
    /// When it was changed, and when anything of it was: seconds and billionths.
    pub modified: (u32, u32),
    pub changed: (u32, u32),
    /// The lower half of its size.
    pub size: u32,
    /// Nothing but a plain file that is whole: no conflict, no promise to add it later.
    pub plain: bool,
}

/// Files of an index that may be secret by their names, wherever the repository lies; none if it cannot be read, or has too many.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Secrets(pub Option<Vec<Entry>>);

impl Secrets {
    /// Reads an index; `hash` is how many bytes the name of an object has.
    pub(crate) fn parse(bytes: &[u8], hash: usize) -> Self {
        let mut reader = Reader::new(bytes, hash);
        reader.secrets = Some(Vec::new());
        let whole = reader.index().is_some();
        Secrets(
            reader
                .secrets
                .filter(|found| whole && found.len() <= MOST_SECRETS),
        )
    }
}

/// Whether a path below any work tree may be secret by its name. Where the work tree is a home, more names are.
fn may_be_secret(name: &str) -> bool {
    let path = format!("/w/{name}");
    secret(&path, Some("/w")).is_some()
}

impl Tracked {
    /// Reads an index; `hash` is how many bytes the name of an object has.
    pub(crate) fn parse(bytes: &[u8], hash: usize) -> Self {
        let mut reader = Reader::new(bytes, hash);
        reader.tracked = Some(HashSet::new());
        let whole = reader.index().is_some();
        Tracked(reader.tracked.filter(|_| whole))
    }

    /// Whether a path below the work tree is in it, or something below that path; none if it cannot be read. What is spelled in another way on
    /// disk counts as well.
    pub(crate) fn has(&self, path: &str) -> Option<bool> {
        self.0
            .as_ref()
            .map(|tracked| !path.is_ascii() || tracked.contains(&hashed(path.as_bytes())))
    }
}

impl Gitlinks {
    /// Reads an index; `hash` is how many bytes the name of an object has.
    pub(crate) fn parse(bytes: &[u8], hash: usize) -> Self {
        let mut reader = Reader::new(bytes, hash);
        let whole = reader.index().is_some();
        let few = whole && reader.found.len() <= MOST_SUBMODULES;
        let links = if few {
            reader
                .found
                .into_iter()
                .map(|name| String::from_utf8(name).ok())
                .collect()
        } else {
            None
        };
        Gitlinks {
            links,
            odd: Some(reader.odd).filter(|odd| whole && odd.len() <= MOST_ODD),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    hash: usize,
    at: usize,
    /// Where each entry begins, and whether its name stands alone.
    starts: Vec<(usize, bool)>,
    found: Vec<Vec<u8>>,
    odd: Vec<String>,
    /// All names, where they are wanted.
    tracked: Option<HashSet<u64>>,
    /// Those of secrets, where they are wanted.
    secrets: Option<Vec<Entry>>,
}

/// A number for a name in whichever case. Two names with one number count as one, which only asks more.
fn hashed(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], hash: usize) -> Self {
        Reader {
            bytes,
            hash,
            at: 0,
            starts: Vec::new(),
            found: Vec::new(),
            odd: Vec::new(),
            tracked: None,
            secrets: None,
        }
    }

    fn take(&mut self, length: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn index(&mut self) -> Option<()> {
        if self.take(4)? != b"DIRC" {
            return None;
        }
        let version = self.number().filter(|version| (2..=4).contains(version))?;
        let count = self.number()?;
        let mut name: Vec<u8> = Vec::new();
        for _ in 0..count {
            self.entry(version, &mut name)?;
        }
        self.extensions()
    }

    /// Reads one entry; `name` is that of the one before, which version 4 builds upon.
    fn entry(&mut self, version: u32, name: &mut Vec<u8>) -> Option<()> {
        let start = self.at;
        let changed = (self.number()?, self.number()?);
        let modified = (self.number()?, self.number()?);
        self.take(8)?;
        let mode = self.number()?;
        self.take(8)?;
        let size = self.number()?;
        self.take(self.hash)?;
        let flags = self.short()?;
        let mut more = 0;
        if flags & EXTENDED != 0 {
            more = self.short().filter(|_| version > 2)?;
        }
        let kept = if version == 4 {
            name.len().checked_sub(self.variable()?)?
        } else {
            0
        };
        self.starts.push((start, kept == 0));
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.truncate(kept);
        name.extend_from_slice(rest.get(..length)?);
        // git goes by this length and not by the end of the name.
        let said = usize::from(flags) & LONG_NAME;
        if said != name.len().min(LONG_NAME) {
            return None;
        }
        self.at += length + 1;
        if version < 4 {
            let padding = (self.at - start).next_multiple_of(8) - (self.at - start);
            self.take(padding)?;
        }
        if let Some(tracked) = &mut self.tracked {
            tracked.insert(hashed(name));
            let folders = name
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, byte)| **byte == b'/')
                .map(|(at, _)| name.get(..at).unwrap_or_default());
            for folder in folders {
                // Those above it were put in with it.
                if !tracked.insert(hashed(folder)) {
                    break;
                }
            }
        }
        let text = String::from_utf8_lossy(name);
        if let Some(secrets) = &mut self.secrets
            && mode & 0o170_000 == REGULAR
            && secrets.len() <= MOST_SECRETS
            && may_be_secret(&text)
        {
            secrets.push(Entry {
                name: text.clone().into_owned(),
                modified,
                changed,
                size,
                plain: flags & STAGE == 0 && more == 0,
            });
        }
        if self.odd.len() <= MOST_ODD && text.split('/').any(is_odd) {
            self.odd.push(text.into_owned());
        }
        // More than enough to know that there are too many.
        if mode & 0o170_000 == GITLINK && self.found.len() <= MOST_SUBMODULES {
            self.found.push(name.clone());
        }
        Some(())
    }

    /// A number in git's own form: seven bits each, where one more byte also means one more.
    fn variable(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value
                .checked_add(1)?
                .checked_mul(128)?
                .checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }

    /// Extensions in small letters change what the entries mean. Two more tell where to find things, which has to agree with what was read.
    fn extensions(&mut self) -> Option<()> {
        let end = self.bytes.len().checked_sub(self.hash)?;
        let first = self.at;
        while self.at < end {
            let name: [u8; 4] = self.take(4)?.try_into().ok()?;
            let length = usize::try_from(self.number()?).ok()?;
            let after = self.at.checked_add(length).filter(|after| *after <= end)?;
            match &name {
                b"EOIE" if usize::try_from(self.number()?).ok()? != first => return None,
                b"IEOT" if !self.blocks_match(after)? => return None,
                [b'A'..=b'Z', ..] => {}
                _ => return None,
            }
            self.at = after;
        }
        (self.at == end).then_some(())
    }

    /// Whether the table by which several threads of git share the entries names the same entries, and none builds upon another's.
    fn blocks_match(&mut self, after: usize) -> Option<bool> {
        let version = self.number()?;
        let mut entry = 0_usize;
        while self.at < after {
            let offset = usize::try_from(self.number()?).ok()?;
            if self.starts.get(entry) != Some(&(offset, true)) {
                return Some(false);
            }
            entry = entry.checked_add(usize::try_from(self.number()?).ok()?)?;
        }
        Some(version == 1 && entry == self.starts.len())
    }
}
