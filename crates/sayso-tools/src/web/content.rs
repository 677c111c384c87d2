//! Turns the bytes of an answer into what the agent gets: text as text, anything else as its type and size.

use sayso_core::call::url::Url;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::error::shown;
use crate::result::ToolResult;

/// Types that are text although they are not `text/…`.
const TEXTS: [&str; 13] = [
    "application/json",
    "application/ld+json",
    "application/x-ndjson",
    "application/xml",
    "application/javascript",
    "application/ecmascript",
    "application/x-javascript",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/graphql",
    "application/x-sh",
    "application/x-www-form-urlencoded",
];

pub(super) fn result(
    status: u16,
    reason: Option<&str>,
    url: &Url,
    kind: Option<&str>,
    bytes: Vec<u8>,
) -> ToolResult {
    let size = bytes.len();
    let (essence, charset) = read_kind(kind.unwrap_or(""));
    let named = shown(if essence.is_empty() {
        "unknown type"
    } else {
        &essence
    });
    let output = if is_text(&essence, &bytes) {
        text(bytes, charset.as_deref())
    } else {
        format!("[{named}, {size} bytes]")
    };
    let success = (200..300).contains(&status);
    let error = if success {
        String::new()
    } else {
        let reason = reason
            .map(|reason| format!(" {reason}"))
            .unwrap_or_default();
        format!("`{}` answered {status}{reason}", shown(&url.written))
    };
    let number = |number: usize| Node::from(Value::Number(number.to_string()));
    ToolResult {
        success,
        output,
        error,
        facts: Vec::new(),
    }
    .with("status", number(status.into()))
    .with("url", Node::text(&url.written))
    .with("content_type", Node::text(visible(kind.unwrap_or(""))))
    .with("bytes", number(size))
}

/// The type without its parameters, and the character set among them; both in lowercase.
fn read_kind(kind: &str) -> (String, Option<String>) {
    let mut parts = kind.split(';').map(|part| part.trim().to_ascii_lowercase());
    let essence = parts.next().unwrap_or_default();
    let charset = parts.find_map(|part| {
        part.strip_prefix("charset=")
            .map(|name| name.trim_matches(['"', '\'', ' ']).to_owned())
    });
    (essence, charset)
}

fn is_text(essence: &str, bytes: &[u8]) -> bool {
    if essence.is_empty() {
        return !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    }
    essence.starts_with("text/")
        || TEXTS.contains(&essence)
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

/// UTF-8 unless it says that it is Latin-1; what is neither is shown with replacement characters.
fn text(bytes: Vec<u8>, charset: Option<&str>) -> String {
    if matches!(
        charset,
        Some("iso-8859-1" | "latin1" | "latin-1" | "iso_8859-1" | "l1")
    ) {
        return bytes.into_iter().map(char::from).collect();
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(kind: Option<&str>, bytes: &[u8]) -> String {
        result(
            200,
            None,
            &Url::parse("http://a.example/").unwrap(),
            kind,
            bytes.to_vec(),
        )
        .output
    }

    #[test]
    fn text_is_told_from_other_things() {
        for (kind, bytes, wanted) in [
            (Some("text/html; charset=UTF-8"), "<p>ä".as_bytes(), "<p>ä"),
            (Some("TEXT/Plain;charset=\"ISO-8859-1\""), b"\xe4", "ä"),
            (Some("text/plain"), b"\xe4", "\u{fffd}"),
            (
                Some("text/plain; charset=utf-16"),
                b"\xff\xfea\0",
                "\u{fffd}\u{fffd}a\0",
            ),
            (Some("application/problem+json"), b"{}", "{}"),
            (Some("text/plain"), b"\xef\xbb\xbfa", "a"),
            (None, b"plain", "plain"),
            (None, b"a\0b", "[unknown type, 3 bytes]"),
            (Some("image/png"), b"abc", "[image/png, 3 bytes]"),
            (Some("x/\x1b[2J"), b"abc", "[x/␛[2j, 3 bytes]"),
            (Some("text/plain"), b"", ""),
        ] {
            assert_eq!(output(kind, bytes), wanted, "{kind:?}");
        }
    }
}
