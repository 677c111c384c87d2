//! A listing as bytes: each path without what it shares with the one before, and numbers as short as they are.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use sayso_core::text::digest::Digest;

use crate::attributes::Attributes;
use crate::listing::{Entry, Identity, Listing, What};

const FORMAT: &[u8] = b"sayso listing 2\n";

impl Listing {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(self.entries.len() * 96 + 256));
        out.0.extend_from_slice(FORMAT);
        out.bytes(self.root.as_os_str().as_bytes());
        out.signed(self.taken);
        out.number(u64::from(self.mode));
        out.attributes(&self.attributes);
        let mut last: &[u8] = &[];
        for Entry { path, what } in &self.entries {
            let path = path.as_os_str().as_bytes();
            let shared = last.iter().zip(path).take_while(|(a, b)| a == b).count();
            out.number(shared as u64);
            out.bytes(path.get(shared..).unwrap_or_default());
            out.what(what, self.taken);
            last = path;
        }
        out.0
    }

    /// Reads what [`Listing::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Listing> {
        let mut from = Reader(bytes.strip_prefix(FORMAT)?);
        let root = PathBuf::from(OsStr::from_bytes(from.bytes()?));
        let taken = from.signed()?;
        let mut listing = Listing {
            root,
            taken,
            mode: u32::try_from(from.number()?).ok()?,
            attributes: from.attributes()?,
            entries: Vec::new(),
        };
        let mut path = Vec::new();
        while !from.0.is_empty() {
            path.truncate(from.size()?);
            path.extend_from_slice(from.bytes()?);
            listing.entries.push(Entry {
                path: PathBuf::from(OsString::from_vec(path.clone())),
                what: from.what(taken)?,
            });
        }
        Some(listing)
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.wide(u128::from(number));
    }

    fn wide(&mut self, mut number: u128) {
        loop {
            let low = u8::try_from(number & 0x7f).unwrap_or(0);
            number >>= 7;
            if number == 0 {
                return self.0.push(low);
            }
            self.0.push(low | 0x80);
        }
    }

    fn signed(&mut self, number: i128) {
        self.wide(((number << 1) ^ (number >> 127)) as u128);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn attributes(&mut self, attributes: &Attributes) {
        let Some(pairs) = attributes.pairs() else {
            return self.number(0);
        };
        self.number(pairs.len() as u64 + 1);
        for (name, value) in pairs {
            self.bytes(name);
            self.bytes(value);
        }
    }

    /// Times are written as far as they are from when the listing was taken: most are not far.
    fn identity(&mut self, identity: &Identity, taken: i128) {
        self.number(identity.device);
        self.number(identity.inode);
        self.number(identity.size);
        self.signed(taken.wrapping_sub(identity.modified));
        self.signed(identity.changed.wrapping_sub(identity.modified));
    }

    fn what(&mut self, what: &What, taken: i128) {
        match what {
            What::File {
                identity,
                mode,
                names,
                digest,
                attributes,
            } => {
                self.0.push(if digest.is_some() { b'F' } else { b'f' });
                self.identity(identity, taken);
                self.number(u64::from(*mode));
                self.number(*names);
                self.attributes(attributes);
                self.0
                    .extend_from_slice(digest.as_ref().map_or(&[], |digest| digest.bytes()));
            }
            What::Folder { mode, attributes } => {
                self.0.push(b'd');
                self.number(u64::from(*mode));
                self.attributes(attributes);
            }
            What::Link(target) => {
                self.0.push(b'l');
                self.bytes(target.as_bytes());
            }
            What::Special => self.0.push(b's'),
            What::Hidden(identity) => {
                self.0.push(b'h');
                self.identity(identity, taken);
            }
            What::ReadOnly(identity) => {
                self.0.push(b'r');
                self.identity(identity, taken);
            }
            What::Rebuildable { identity, made_by } => {
                self.0.push(b'b');
                self.identity(identity, taken);
                self.bytes(made_by.as_bytes());
            }
            What::Closed(mode) => {
                self.0.push(b'c');
                self.number(u64::from(*mode));
            }
            What::Unseen => self.0.push(b'u'),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn wide(&mut self) -> Option<u128> {
        let mut number = 0_u128;
        for shift in (0..128).step_by(7) {
            let [byte] = self.take(1)? else { return None };
            number |= u128::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn number(&mut self) -> Option<u64> {
        u64::try_from(self.wide()?).ok()
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn signed(&mut self) -> Option<i128> {
        let number = self.wide()?;
        Some((number >> 1) as i128 ^ -((number & 1) as i128))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.size()?;
        self.take(count)
    }

    fn attributes(&mut self) -> Option<Attributes> {
        let Some(count) = self.number()?.checked_sub(1) else {
            return Some(Attributes::default());
        };
        let pairs = (0..count).map(|_| Some((self.bytes()?.to_vec(), self.bytes()?.to_vec())));
        Some(Attributes::from_pairs(pairs.collect::<Option<_>>()?))
    }

    fn identity(&mut self, taken: i128) -> Option<Identity> {
        let (device, inode, size) = (self.number()?, self.number()?, self.number()?);
        let modified = taken.wrapping_sub(self.signed()?);
        Some(Identity {
            device,
            inode,
            size,
            modified,
            changed: modified.wrapping_add(self.signed()?),
        })
    }

    fn mode(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn what(&mut self, taken: i128) -> Option<What> {
        let [tag] = self.take(1)? else { return None };
        Some(match tag {
            b'f' | b'F' => What::File {
                identity: self.identity(taken)?,
                mode: self.mode()?,
                names: self.number()?,
                attributes: self.attributes()?,
                digest: match tag {
                    b'f' => None,
                    _ => Some(Digest::from(*self.take(32)?.as_array::<32>()?)),
                },
            },
            b'd' => What::Folder {
                mode: self.mode()?,
                attributes: self.attributes()?,
            },
            b'l' => What::Link(OsString::from_vec(self.bytes()?.to_vec())),
            b's' => What::Special,
            b'h' => What::Hidden(self.identity(taken)?),
            b'r' => What::ReadOnly(self.identity(taken)?),
            b'b' => What::Rebuildable {
                identity: self.identity(taken)?,
                made_by: OsString::from_vec(self.bytes()?.to_vec()),
            },
            b'c' => What::Closed(self.mode()?),
            b'u' => What::Unseen,
            _ => return None,
        })
    }
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
        let pairs = vec![(b"user.a".to_vec(), vec![0, 1, 255])];
        let all = [
            What::File {
                identity,
                mode: 0o4755,
                names: 2,
                digest: Some(Digest::of_bytes(b"x")),
                attributes: Attributes::from_pairs(pairs),
            },
            What::File {
                identity,
                mode: 0,
                names: 1,
                digest: None,
                attributes: Attributes::default(),
            },
            What::Folder {
                mode: 0o1777,
                attributes: Attributes::none(),
            },
            What::Link(OsString::from_vec(vec![b'\n', 0xff, b' '])),
            What::Special,
            What::Hidden(identity),
            What::ReadOnly(identity),
            What::Rebuildable {
                identity,
                made_by: OsString::from("s"),
            },
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
            attributes: Attributes::none(),
            taken: 12,
            entries,
        };
        let bytes = listing.to_bytes();
        assert_eq!(Listing::from_bytes(&bytes), Some(listing));
        let short = bytes.get(..bytes.len() - 1).unwrap_or_default();
        assert!(Listing::from_bytes(short).is_none_or(|short| short.entries.len() < 10));
        assert_eq!(Listing::from_bytes(b""), None);
    }
}
