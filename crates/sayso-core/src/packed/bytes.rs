//! Bytes being written, and bytes being read with every bound checked.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::packed::Packed;

/// Texts of these lengths are written once, and after that only by their place. Longer ones are not: bytes that somebody made up could
/// name a long one so often that no memory would do.
const SHARED: std::ops::RangeInclusive<usize> = 4..=128;

/// How a text is written; the lowest bits of its first number.
const HERE: u64 = 0;
const BEFORE: u64 = 1;
/// A text that ends in `:` and a number, such as the place of a rule: every rule of a file has another, and the same name in it.
const NUMBERED: u64 = 2;

/// The digits of the largest `u32`.
const MOST_DIGITS: usize = 10;

/// Collects bytes.
#[derive(Debug, Default)]
pub struct Packer {
    bytes: Vec<u8>,
    /// The places of texts.
    texts: HashMap<String, u64>,
}

impl Packer {
    /// Nothing yet.
    pub fn new() -> Packer {
        Packer::default()
    }

    /// All bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Adds bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a number: seven bits a byte, the lowest first.
    pub fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        match numbered(text) {
            Some((start, number)) => {
                self.number(u64::from(number) << 2 | NUMBERED);
                self.plain(start);
            }
            None => self.plain(text),
        }
    }

    fn plain(&mut self, text: &str) {
        if let Some(place) = self.texts.get(text) {
            return self.number(place << 2 | BEFORE);
        }
        if SHARED.contains(&text.len()) {
            self.texts.insert(text.to_owned(), self.bytes.len() as u64);
        }
        self.number((text.len() as u64) << 2 | HERE);
        self.raw(text.as_bytes());
    }

    /// Adds the items of a list.
    pub fn list<T: Packed>(&mut self, items: &[T]) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| item.pack(self));
    }

    /// Adds what `fill` adds, with its length before it, so that a reader can pass over it.
    pub fn apart(&mut self, fill: impl FnOnce(&mut Packer)) {
        // Four bytes, whatever the length is: the places of texts inside are known before it is.
        let start = self.bytes.len();
        self.raw(&[0; 4]);
        fill(self);
        let length = u32::try_from(self.bytes.len() - start - 4).unwrap_or(u32::MAX);
        if let Some(place) = self.bytes.get_mut(start..start + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// `policy.yaml:12` as its two parts, where the number has only one spelling.
fn numbered(text: &str) -> Option<(&str, u32)> {
    let (start, digits) = text.rsplit_once(':')?;
    let number = digits
        .parse::<u32>()
        .ok()
        .filter(|_| digits.starts_with(|first: char| ('1'..='9').contains(&first)))?;
    Some((start, number))
}

/// Takes bytes from the front. What does not fit is none.
#[derive(Clone, Debug)]
pub struct Unpacker<'a> {
    whole: &'a Arc<Vec<u8>>,
    at: usize,
}

impl<'a> Unpacker<'a> {
    /// From the beginning.
    pub fn new(whole: &'a Arc<Vec<u8>>) -> Self {
        Unpacker { whole, at: 0 }
    }

    /// From a place.
    pub(crate) fn from_place(whole: &'a Arc<Vec<u8>>, at: u32) -> Self {
        Unpacker {
            whole,
            at: at as usize,
        }
    }

    /// Everything, with what was taken and what was not.
    pub(crate) fn whole(&self) -> &'a Arc<Vec<u8>> {
        self.whole
    }

    /// Whether all bytes were taken.
    pub fn is_done(&self) -> bool {
        self.at == self.whole.len()
    }

    /// Takes one byte.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = self.whole.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes so many bytes.
    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let bytes = self.whole.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    /// Takes a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // What would be lost at the top is no number.
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Takes a text.
    pub fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        self.text_into(&mut text)?;
        Some(text)
    }

    /// Takes a text and puts it to the end of another.
    pub(crate) fn text_into(&mut self, text: &mut String) -> Option<()> {
        let first = self.number()?;
        if first & 3 != NUMBERED {
            text.push_str(self.plain(first)?);
            return Some(());
        }
        let second = self.number()?;
        let (start, number) = (self.plain(second)?, u32::try_from(first >> 2).ok()?);
        text.reserve(start.len() + MOST_DIGITS + 1);
        text.push_str(start);
        write!(text, ":{number}").ok()
    }

    fn plain(&mut self, first: u64) -> Option<&'a str> {
        let rest = usize::try_from(first >> 2).ok()?;
        let bytes = match first & 3 {
            HERE => self.raw(rest)?,
            BEFORE => {
                let mut before = Unpacker {
                    whole: self.whole,
                    at: rest,
                };
                let length = before.number().filter(|first| first & 3 == HERE)? >> 2;
                before.raw(
                    usize::try_from(length)
                        .ok()
                        .filter(|length| SHARED.contains(length))?,
                )?
            }
            _ => return None,
        };
        std::str::from_utf8(bytes).ok()
    }

    /// Takes how many items follow. Each has a byte at least, so there are no more than bytes.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.whole.len().saturating_sub(self.at)).then_some(count)
    }

    /// Takes the items of a list.
    pub fn list<T: Packed>(&mut self) -> Option<Vec<T>> {
        let count = self.count()?;
        // Room for no more than the bytes could fill: a count can be made up.
        let room = self.whole.len().saturating_sub(self.at) / size_of::<T>().max(1);
        let mut items = Vec::with_capacity(count.min(room));
        for _ in 0..count {
            items.push(T::unpack(self)?);
        }
        Some(items)
    }

    /// Passes over what was added [apart](Packer::apart); gives its place.
    pub fn apart(&mut self) -> Option<u32> {
        let length = u32::from_le_bytes(*self.raw(4)?.as_array()?);
        let place = u32::try_from(self.at).ok()?;
        self.raw(usize::try_from(length).ok()?)?;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpacked<T: Packed>(bytes: Vec<u8>) -> Option<T> {
        let bytes = Arc::new(bytes);
        let mut from = Unpacker::new(&bytes);
        T::unpack(&mut from).filter(|_| from.is_done())
    }

    fn packed<T: Packed>(value: &T) -> Vec<u8> {
        let mut out = Packer::new();
        value.pack(&mut out);
        out.finish()
    }

    proptest! {
        #[test]
        fn numbers_come_back(number: u64, signed: i64) {
            prop_assert_eq!(unpacked::<u64>(packed(&number)), Some(number));
            prop_assert_eq!(unpacked::<i64>(packed(&signed)), Some(signed));
        }

        #[test]
        fn texts_come_back(texts in prop::collection::vec("[ab:0-9]{0,6}|policy.yaml:[0-9]{0,11}|\\PC{0,200}|:+", 0..12)) {
            let twice: Vec<String> = texts.iter().chain(&texts).cloned().collect();
            prop_assert_eq!(unpacked::<Vec<String>>(packed(&twice)), Some(twice));
        }

        #[test]
        fn anything_is_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            unpacked::<Vec<String>>(bytes.clone());
            unpacked::<Vec<Vec<u64>>>(bytes.clone());
            unpacked::<Vec<Option<(String, bool)>>>(bytes);
        }
    }

    #[test]
    fn the_same_name_is_written_once() {
        let places: Vec<String> = (1..=100)
            .map(|line| format!("/home/person/project/policy.yaml:{line}"))
            .collect();
        assert!(packed(&places).len() < 400);
    }

    #[test]
    fn made_up_lengths_are_refused() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(unpacked::<u64>(huge.to_vec()), Some(u64::MAX));
        assert_eq!(
            unpacked::<u64>([&huge[..9], &[0x02]].concat()),
            None,
            "65 bits"
        );
        assert_eq!(unpacked::<Vec<u64>>(huge.to_vec()), None);
        assert_eq!(unpacked::<String>(huge.to_vec()), None);
        // 2^40 texts, of which none is there.
        assert_eq!(
            unpacked::<Vec<String>>(vec![0x80, 0x80, 0x80, 0x80, 0x80, 0x20]),
            None
        );
    }

    #[test]
    fn a_text_is_never_named_in_a_ring() {
        // The text at place 0 is the text at place 0.
        assert_eq!(unpacked::<String>(vec![1]), None);
        assert_eq!(
            unpacked::<Vec<String>>(vec![2, 1 << 2 | 1, 1 << 2 | 1]),
            None
        );
    }
}
