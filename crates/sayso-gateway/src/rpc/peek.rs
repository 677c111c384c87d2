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
    /// What goes with the method, as JSON.
    pub params: Option<&'a str>,
    /// There is an error.
    pub is_error: bool,
    /// A key stands there twice, or in a spelling that only some take for it.
    pub is_ambiguous: bool,
}

/// Looks at a message; none if it is no object from end to end.
pub(crate) fn peek(line: &[u8]) -> Option<Peeked<'_>> {
    let mut out = Peeked::default();
    each(line, |key, value| out.note(key, value))?;
    Some(out)
}

/// The value of a key of an object, as JSON; none if there is none, or no object.
///
/// # Errors
/// When it stands there twice.
pub(crate) fn find<'a>(object: &'a str, name: &str) -> Result<Option<&'a str>, ()> {
    let (mut found, mut is_twice) = (None, false);
    let whole = each(object.as_bytes(), |key, value| {
        let is_it = match key.contains(&b'\\') {
            false => {
                key.strip_prefix(b"\"")
                    .and_then(|key| key.strip_suffix(b"\""))
                    == Some(name.as_bytes())
            }
            true => std::str::from_utf8(key)
                .ok()
                .and_then(text)
                .is_none_or(|key| key == name),
        };
        if is_it {
            is_twice |= found.replace(value).is_some();
        }
    });
    match (whole, is_twice) {
        (None, _) => Ok(None),
        (Some(()), true) => Err(()),
        (Some(()), false) => Ok(found),
    }
}

/// Goes through the keys of an object and their values; none if it is no object from end to end.
fn each<'a>(line: &'a [u8], mut take: impl FnMut(&'a [u8], &'a str)) -> Option<()> {
    let mut at = Scan { bytes: line, at: 0 };
    at.blank();
    at.take(b'{')?;
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
            take(key, std::str::from_utf8(value).ok()?);
            at.blank();
            match at.next()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
    }
    at.blank();
    (at.at == line.len()).then_some(())
}

/// What a short string of JSON says.
fn text(json: &str) -> Option<String> {
    let node = json::read(
        json,
        &Limits {
            bytes: 4096,
            depth: 1,
            nodes: 1,
        },
    )
    .ok()?;
    node.as_text().map(str::to_owned)
}

impl<'a> Peeked<'a> {
    fn note(&mut self, key: &'a [u8], value: &'a str) {
        let Ok(written) = std::str::from_utf8(key) else {
            return self.is_ambiguous = true;
        };
        let plain = written.trim_matches('"');
        let slot = match plain {
            "id" => &mut self.id,
            "method" => &mut self.method,
            "result" => &mut self.result,
            "error" => return self.is_ambiguous |= std::mem::replace(&mut self.is_error, true),
            "params" => &mut self.params,
            "jsonrpc" => return,
            // Another spelling of one of these is a trap; anything else is none of ours.
            other => {
                let same = ["id", "method", "params", "result", "error"]
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(other));
                return self.is_ambiguous |= same || other.contains('\\');
            }
        };
        self.is_ambiguous |= slot.replace(value).is_some();
    }

    /// What the method says.
    pub(crate) fn method(&self) -> Option<String> {
        text(self.method?)
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
                    let end = rest
                        .iter()
                        .position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b','))
                        .unwrap_or(rest.len());
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
        assert_eq!(
            (peeked.id, peeked.method, peeked.result.is_some()),
            (Some(r#""a\"b""#), None, true)
        );
        let peeked = peek(br#"{"method":"tools\/list","id":1,"params":[1,2,{"x":null}]}"#).unwrap();
        assert_eq!(
            (peeked.method().as_deref(), peeked.id),
            (Some("tools/list"), Some("1"))
        );
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
            r#"{"method":"a","params":1,"params":2}"#,
            r#"{"method":"a","Params":1}"#,
        ] {
            assert!(peek(line.as_bytes()).unwrap().is_ambiguous, "{line}");
        }
    }

    #[test]
    fn a_key_is_found_however_it_is_written() {
        assert_eq!(
            find(r#"{"a":{"tools":1},"tools":[2]}"#, "tools"),
            Ok(Some("[2]"))
        );
        assert_eq!(find(r#"{"t\u006fols" : [2] }"#, "tools"), Ok(Some("[2]")));
        assert_eq!(find(r#"{"a":"\"tools\":1"}"#, "tools"), Ok(None));
        assert_eq!(find(r#"{"tools":1,"t\u006fols":2}"#, "tools"), Err(()));
        assert_eq!(
            (find("[1]", "tools"), find("{", "tools")),
            (Ok(None), Ok(None))
        );
    }

    #[test]
    fn half_messages_and_other_things_are_none() {
        for line in [
            "",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,",
            "[]",
            "1",
            "{\"a\":1}x",
            "{\"a\" 1}",
            "{\"a\":\"x}",
            "{,}",
            "{\"a\":,}",
        ] {
            assert_eq!(peek(line.as_bytes()), None, "{line}");
        }
    }
}
