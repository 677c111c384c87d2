//! A look at the outside of a message: which keys it has, without reading what they hold.
//!
//! What a server says is not judged, and may be large: this finds who it answers, and copies nothing.

use sayso_core::text::{Limits, json};

/// The outside of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Peeked<'a> {
    /// The id, as JSON.
    pub id: Option<&'a str>,
    /// The method, as JSON.
    pub method: Option<&'a str>,
    /// The result, as JSON.
    pub result: Option<&'a str>,
    /// There is an error.
    pub is_error: bool,
    /// A key stands there twice, or in a spelling that only some take for it.
    pub is_ambiguous: bool,
}

/// Looks at a message; none if it is no object from end to end.
pub(crate) fn peek(line: &[u8]) -> Option<Peeked<'_>> {
    let mut at = Scan { bytes: line, at: 0 };
    at.blank();
    at.take(b'{')?;
    let mut out = Peeked::default();
    at.blank();
    if at.peek()? == b'}' {
        at.at += 1;
    } else {
        loop {
            at.blank();
            let key = at.string()?;
            at.blank();
            at.take(b':')?;
            at.blank();
            let value = at.value()?;
            out.note(key, std::str::from_utf8(value).ok()?);
            at.blank();
            match at.next()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
    }
    at.blank();
    (at.at == line.len()).then_some(out)
}

impl<'a> Peeked<'a> {
    fn note(&mut self, key: &'a [u8], value: &'a str) {
        let Ok(written) = std::str::from_utf8(key) else { return self.is_ambiguous = true };
        let plain = written.trim_matches('"');
        let slot = match plain {
            "id" => &mut self.id,
            "method" => &mut self.method,
            "result" => &mut self.result,
            "error" => return self.is_ambiguous |= std::mem::replace(&mut self.is_error, true),
            "jsonrpc" | "params" => return,
            // Another spelling of one of these is a trap; anything else is none of ours.
            other => {
                let same = ["id", "method", "result", "error"].iter().any(|name| name.eq_ignore_ascii_case(other));
                return self.is_ambiguous |= same || other.contains('\\');
            }
        };
        self.is_ambiguous |= slot.replace(value).is_some();
    }

    /// What the method says.
    pub(crate) fn method(&self) -> Option<String> {
        let node = json::read(self.method?, &Limits { bytes: 4096, depth: 1, nodes: 1 }).ok()?;
        node.as_text().map(str::to_owned)
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// A string with its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            let rest = self.bytes.get(self.at..)?;
            self.at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))? + 1;
            match self.bytes.get(self.at - 1)? {
                b'"' => return self.bytes.get(start..self.at),
                _ => self.at += 1,
            }
        }
    }

    /// A value, whatever it is.
    fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b'}' | b']' if depth == 0 => break,
                _ => {
                    let rest = self.bytes.get(self.at..)?;
                    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b',')).unwrap_or(rest.len());
                    self.at += end.max(1);
                    continue;
                }
            }
            if depth == 0 {
                break;
            }
        }
        let value = self.bytes.get(start..self.at)?.trim_ascii_end();
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outside_is_seen_and_nothing_of_the_inside() {
        let peeked = peek(br#" {"jsonrpc":"2.0", "id" : "a\"b" ,"result":{"id":3,"method":"x","a":["}",{"b":"\\"}]}} "#).unwrap();
        assert_eq!((peeked.id, peeked.method, peeked.result.is_some()), (Some(r#""a\"b""#), None, true));
        let peeked = peek(br#"{"method":"tools\/list","id":1,"params":[1,2,{"x":null}]}"#).unwrap();
        assert_eq!((peeked.method().as_deref(), peeked.id), (Some("tools/list"), Some("1")));
        assert_eq!(peek(b"{}"), Some(Peeked::default()));
    }

    #[test]
    fn what_stands_twice_is_ambiguous() {
        for line in [
            r#"{"id":1,"id":2,"result":{}}"#,
            r#"{"id":1,"result":1,"result":2}"#,
            r#"{"id":1,"ID":2,"result":{}}"#,
            r#"{"i\u0064":2,"id":1,"result":{}}"#,
            r#"{"method":"a","method":"b"}"#,
            r#"{"error":{},"error":{}}"#,
        ] {
            assert!(peek(line.as_bytes()).unwrap().is_ambiguous, "{line}");
        }
    }

    #[test]
    fn half_messages_and_other_things_are_none() {
        for line in
            ["", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[]", "1", "{\"a\":1}x", "{\"a\" 1}", "{\"a\":\"x}", "{,}", "{\"a\":,}"]
        {
            assert_eq!(peek(line.as_bytes()), None, "{line}");
        }
    }
}
