//! One entry as one line: made, taken apart, and checked by a plain hash over its bytes.
//!
//! `{"v":1,"n":7,"at":1789000000000,"prev":"<64 hex>","kind":"decided", …fields… ,"digest":"<64 hex>"}`
//!
//! `digest` is the SHA-256 of the bytes of the line before `,"digest":"`, and `prev` is the `digest` of the line before, so nothing has to
//! be read as JSON to check a line: the first keys stand in this order without white space, and the last 77 bytes are the digest.
//! What is in a value cannot end a line or a text: JSON escapes both.

use sayso_core::text::digest::Digest;
use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::error::JournalError;

/// The version of the form that is written.
pub(super) const VERSION: u64 = 1;
/// The longest line, with everything in it. Readers hold one line in memory.
pub(crate) const LONGEST: usize = 1 << 20;
/// More than the line takes for itself.
const OWN: usize = 512;
/// The longest fields of a line.
pub(super) const MAX_FIELDS: usize = LONGEST - OWN;
/// Deeper values are refused, so that every line that was written can be read.
pub(super) const DEEPEST: usize = 200;

const OPENING: &[u8] = b"{\"v\":1,\"n\":";
const AT: &[u8] = b",\"at\":";
const PREV: &[u8] = b",\"prev\":\"";
const KIND: &[u8] = b"\",\"kind\":\"";
const DIGEST: &[u8] = b",\"digest\":\"";
const CLOSING: &[u8] = b"\"}";
const HEX: usize = 64;

/// Names that the line itself uses.
const TAKEN: [&str; 7] = ["v", "n", "at", "prev", "kind", "back", "digest"];

/// A line that has the right form; whether its bytes are those that were written is for [`Line::is_whole`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub number: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The digest of the line before, in hex.
    pub prev: &'a [u8],
    pub kind: &'a str,
    /// The digest it says it has, in hex.
    pub stated: &'a [u8],
    /// What the digest is of.
    body: &'a [u8],
}

/// Why a line cannot be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// Another version wrote it.
    Version(u64),
    /// It is no line of the journal.
    Form,
}

/// What a new line follows, and when it is written.
pub(crate) struct Place {
    pub number: u64,
    pub at: i64,
    pub prev: Digest,
    /// By how many milliseconds the clock is behind the line before.
    pub back: Option<i64>,
}

/// The digest before the first line.
pub(crate) fn nothing() -> Digest {
    Digest::from_hex(&[b'0'; HEX]).unwrap_or_else(|| Digest::of_bytes(&[]))
}

/// The fields as they stand in the line, each behind a comma.
pub(crate) fn fields(fields: &[(&str, Node)]) -> Result<String, JournalError> {
    let mut out = String::new();
    for (index, (name, node)) in fields.iter().enumerate() {
        let twice = fields.iter().take(index).any(|(other, _)| other == name);
        if TAKEN.contains(name) || twice || !is_name(name) {
            return Err(JournalError::FieldName((*name).to_owned()));
        }
        if node.is_deeper_than(DEEPEST) {
            return Err(JournalError::TooDeep((*name).to_owned()));
        }
        out.push_str(",\"");
        out.push_str(name);
        out.push_str("\":");
        // A person may look at the file itself: nothing in it moves a cursor or hides.
        out.push_str(&json::write_plain(node));
    }
    Ok(out)
}

/// Whether an entry of this kind with these fields can be a line. To be asked before anything is written.
pub(crate) fn check(kind: &str, fields: &str) -> Result<(), JournalError> {
    if !is_name(kind) {
        return Err(JournalError::Kind(kind.to_owned()));
    }
    if fields.len() > MAX_FIELDS {
        return Err(JournalError::TooLong {
            bytes: fields.len(),
        });
    }
    Ok(())
}

/// Adds a line to the text, and returns its digest.
pub(crate) fn push(out: &mut String, place: &Place, kind: &str, fields: &str) -> Digest {
    let start = out.len();
    let Place {
        number,
        at,
        prev,
        back,
    } = place;
    out.push_str(&format!(
        "{{\"v\":{VERSION},\"n\":{number},\"at\":{at},\"prev\":\""
    ));
    out.extend(prev.hex().map(char::from));
    out.push_str("\",\"kind\":\"");
    out.push_str(kind);
    out.push('"');
    if let Some(back) = back {
        out.push_str(&format!(",\"back\":{back}"));
    }
    out.push_str(fields);
    let digest = Digest::of_bytes(out.as_bytes().get(start..).unwrap_or_default());
    out.push_str(",\"digest\":\"");
    out.extend(digest.hex().map(char::from));
    out.push_str("\"}\n");
    digest
}

impl<'a> Line<'a> {
    /// Takes a line apart that stands without its line feed.
    pub fn parse(line: &'a [u8]) -> Result<Line<'a>, Wrong> {
        Line::try_parse(line).ok_or_else(|| match version(line) {
            Some(version) if version != VERSION => Wrong::Version(version),
            _ => Wrong::Form,
        })
    }

    fn try_parse(line: &'a [u8]) -> Option<Line<'a>> {
        let (number, rest) = whole(line.strip_prefix(OPENING)?)?;
        let rest = rest.strip_prefix(AT)?;
        let (sign, rest) = rest.strip_prefix(b"-").map_or((1, rest), |rest| (-1, rest));
        let (at, rest) = whole(rest)?;
        let (prev, rest) = rest.strip_prefix(PREV)?.split_at_checked(HEX)?;
        let rest = rest.strip_prefix(KIND)?;
        let kind = rest.get(..rest.iter().position(|byte| *byte == b'"')?)?;
        let (body, end) =
            line.split_at_checked(line.len().checked_sub(DIGEST.len() + HEX + CLOSING.len())?)?;
        let stated = end.strip_prefix(DIGEST)?.strip_suffix(CLOSING)?;
        let kind = std::str::from_utf8(kind).ok()?;
        Some(Line {
            number,
            at: sign * i64::try_from(at).ok()?,
            prev,
            kind,
            stated,
            body,
        })
    }

    /// The number of the line that starts like this.
    pub fn number_at_start(start: &[u8]) -> Option<u64> {
        let (number, rest) = whole(start.strip_prefix(OPENING)?)?;
        rest.starts_with(b",").then_some(number)
    }

    /// The digest that its bytes have.
    pub fn digest(&self) -> Digest {
        Digest::of_bytes(self.body)
    }

    /// Whether its bytes are those that were written.
    pub fn is_whole(&self) -> bool {
        self.digest().hex() == self.stated
    }
}

/// The version that a line says it has.
fn version(line: &[u8]) -> Option<u64> {
    whole(line.strip_prefix(b"{\"v\":")?).map(|(version, _)| version)
}

/// The number at the start, and what follows it.
fn whole(text: &[u8]) -> Option<(u64, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// Small letters, digits and `_`: nothing that would have to be escaped.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}
