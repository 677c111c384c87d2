//! What the index of a git repository says, without what git only remembers of the files: any `git status` writes that anew.

use sayso_core::text::digest::{Digest, Pieces};

const SIGNATURE: &[u8] = b"DIRC";
/// The times, device, inode, owner and size of a file; the mode is in the middle of them.
const STAT: usize = 40;
const MODE: std::ops::Range<usize> = 24..28;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// A digest of the names, modes, objects and flags in an index; none where it cannot be read.
pub fn meaning(bytes: &[u8]) -> Option<Digest> {
    // Objects have names of 20 or 32 bytes, and the index does not say which.
    [20, 32].into_iter().find_map(|length| read(bytes, length))
}

fn read(bytes: &[u8], object: usize) -> Option<Digest> {
    let body = bytes.get(..bytes.len().checked_sub(object)?)?;
    let mut from = Reader { body, at: 0 };
    if from.take(4)? != SIGNATURE {
        return None;
    }
    let version = from.number()?;
    let count = from.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut meaning = Pieces::default();
    let mut name = Vec::new();
    for _ in 0..count {
        let start = from.at;
        let stat = from.take(STAT)?;
        let id = from.take(object)?;
        let flags = u16::from_be_bytes(*from.take(2)?.as_array()?);
        let more = match flags & EXTENDED {
            0 => &[][..],
            _ => from.take(2)?,
        };
        if version == 4 {
            let keep = name.len().checked_sub(from.offset()?)?;
            name.truncate(keep);
            name.extend_from_slice(from.until_nul()?);
        } else {
            name = from.until_nul()?.to_vec();
            // Entries end with one to eight NULs, at a multiple of eight.
            let length = from.at - start;
            from.take(length.next_multiple_of(8) - length)?;
        }
        for part in [
            stat.get(MODE)?,
            id,
            &(flags & !NAME_LENGTH).to_be_bytes(),
            more,
        ] {
            meaning.add(part);
        }
        meaning.add(&(name.len() as u64).to_be_bytes());
        meaning.add(&name);
    }
    while from.at < body.len() {
        let [first, ..] = from.take(4)? else {
            return None;
        };
        // The name of an extension that must be understood begins with a small letter.
        if !first.is_ascii_uppercase() {
            return None;
        }
        let length = usize::try_from(from.number()?).ok()?;
        from.take(length)?;
    }
    Some(meaning.finish())
}

struct Reader<'a> {
    body: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.body.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(*self.take(4)?.as_array()?))
    }

    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let rest = self.body.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        let taken = self.take(length)?;
        self.take(1)?;
        Some(taken)
    }

    /// How many bytes of the last name go, as packs write offsets.
    fn offset(&mut self) -> Option<usize> {
        let [byte] = *self.take(1)? else { return None };
        let mut value = usize::from(byte & 0x7f);
        let mut last = byte;
        while last & 0x80 != 0 {
            let [byte] = *self.take(1)? else { return None };
            value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
            last = byte;
        }
        Some(value)
    }
}
