//! SHA-256 over a typed canonical encoding: `true`, `1` and `"1"` differ, the order of keys does not matter,
//! numbers count by their source text, and no two different values share an encoding.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::packed::{Packed, Packer, Unpacker};
use crate::text::node::{Node, Value};

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

/// Collects values into one digest. Every value is written with a tag and its length, so the parts cannot run into each other.
#[derive(Clone)]
pub struct Encoder(Sha256);

/// The digest of plain bytes that come piece by piece: the same as [`Digest::of_bytes`] of all of them.
#[derive(Clone, Default)]
pub struct Pieces(Sha256);

impl Digest {
    /// The digest of plain bytes, such as a file.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of one value.
    pub fn of_node(node: &Node) -> Self {
        let mut encoder = Encoder::new("value");
        encoder.node(node);
        encoder.finish()
    }

    /// Reads `sha256:` and 64 hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        Digest::from_hex(text.strip_prefix("sha256:")?.as_bytes())
    }

    /// Reads 64 hex digits.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        if hex.len() != 64 {
            return None;
        }
        let digit = |byte: u8| {
            (byte as char)
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        };
        let mut bytes = [0; 32];
        for (slot, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *slot = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Digest(bytes))
    }

    /// The 64 hex digits, in small letters.
    pub fn hex(&self) -> [u8; 64] {
        let digit = |half: u8| half + if half < 10 { b'0' } else { b'a' - 10 };
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        hex
    }

    /// The digest itself.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(71);
        text.push_str("sha256:");
        text.extend(self.hex().map(char::from));
        out.pad(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Digest(bytes)
    }
}

impl Packed for Digest {
    fn pack(&self, out: &mut Packer) {
        out.raw(&self.0);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.raw(32)?.as_array().copied().map(Digest)
    }
}

impl Pieces {
    /// Adds a piece.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Encoder {
    /// An encoder for one purpose; digests of different purposes never meet.
    pub fn new(purpose: &str) -> Self {
        let mut encoder = Encoder(Sha256::new());
        encoder.tagged(b'p', purpose.as_bytes());
        encoder
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.tagged(b's', text.as_bytes());
    }

    /// Adds a value with everything in it.
    pub fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Null => self.0.update(b"z"),
            Value::Bool(true) => self.0.update(b"t"),
            Value::Bool(false) => self.0.update(b"f"),
            Value::Number(source) => self.tagged(b'n', source.as_bytes()),
            Value::Text(text) => self.tagged(b's', text.as_bytes()),
            Value::List(items) => {
                self.count(b'l', items.len());
                for item in items {
                    self.node(item);
                }
            }
            Value::Map(entries) => self.map(
                entries
                    .iter()
                    .map(|entry| (entry.key.as_str(), &entry.node)),
            ),
        }
    }

    /// Adds a map of these; nothing of it is copied, as it may be large.
    pub fn map<'a>(&mut self, entries: impl Iterator<Item = (&'a str, &'a Node)>) {
        let mut sorted: Vec<(&str, &Node)> = entries.collect();
        sorted.sort_by(|one, other| one.0.cmp(other.0));
        self.count(b'm', sorted.len());
        for (key, node) in sorted {
            self.text(key);
            self.node(node);
        }
    }

    /// The digest of everything added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }

    fn tagged(&mut self, tag: u8, bytes: &[u8]) {
        self.count(tag, bytes.len());
        self.0.update(bytes);
    }

    fn count(&mut self, tag: u8, count: usize) {
        self.0.update([tag]);
        self.0.update((count as u64).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Node {
        Value::Number(text.into()).into()
    }

    #[test]
    fn h_33_values_of_different_types_never_share_a_digest() {
        let values: Vec<Node> = vec![
            Value::Null.into(),
            Value::Bool(true).into(),
            Value::Bool(false).into(),
            number("1"),
            number("1.0"),
            number("1e0"),
            Node::text("1"),
            Node::text("true"),
            Node::text(""),
            Value::List(vec![]).into(),
            Value::List(vec![Node::text("1")]).into(),
            Node::map::<String>([]),
            Node::map([("1", number("2"))]),
            Node::map([("1", Node::text("2"))]),
            Value::List(vec![Value::List(vec![]).into(), Value::List(vec![]).into()]).into(),
            Value::List(vec![Value::List(vec![Value::List(vec![]).into()]).into()]).into(),
        ];
        for (index, one) in values.iter().enumerate() {
            for other in values.iter().skip(index + 1) {
                assert_ne!(
                    Digest::of_node(one),
                    Digest::of_node(other),
                    "{one:?} and {other:?}"
                );
            }
        }
    }

    #[test]
    fn h_33_the_order_of_keys_does_not_matter() {
        let one = Node::map([("a", number("1")), ("b", number("2"))]);
        let other = Node::map([("b", number("2")), ("a", number("1"))]);
        assert_eq!(Digest::of_node(&one), Digest::of_node(&other));
    }

    #[test]
    fn pieces_make_the_digest_of_the_whole() {
        let mut pieces = Pieces::default();
        for piece in ["ab", "", "c"] {
            pieces.add(piece.as_bytes());
        }
        assert_eq!(pieces.finish(), Digest::of_bytes(b"abc"));
    }

    #[test]
    fn a_digest_reads_back() {
        let digest = Digest::of_bytes(b"x");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("sha256:zz"), None);
    }
}
