//! A look at the outside of a message: which keys it has, without reading what they hold.
//!
//! What a server says is not judged, and may be large: this finds who it answers, and copies nothing.

use sayso_core::text::Limits;
use sayso_core::text::json::{self, Scanner};

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
    let scanner = Scanner::outline(std::str::from_utf8(line).ok()?);
    scanner.fields(|key, value| out.note(key, value)).ok()?;
    Some(out)
}

/// The value of a key of an object, as JSON; none if there is none, or no object.
///
/// # Errors
/// When it stands there twice.
pub(crate) fn find<'a>(object: &'a str, name: &str) -> Result<Option<&'a str>, ()> {
    let (mut found, mut is_twice) = (None, false);
    let whole = Scanner::outline(object).fields(|key, value| {
        let is_it = match key.contains('\\') {
            false => key == name,
            true => text(&format!("\"{key}\"")).is_none_or(|key| key == name),
        };
        if is_it {
            is_twice |= found.replace(value).is_some();
        }
    });
    match (whole, is_twice) {
        (Err(_), _) => Ok(None),
        (Ok(()), true) => Err(()),
        (Ok(()), false) => Ok(found),
    }
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
    fn note(&mut self, key: &'a str, value: &'a str) {
        let slot = match key {
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
