//! Names and other bytes as JSON: as text where they are text, else in hex.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use sayso_core::text::node::Node;

/// A path or name as JSON; one that is no text is written in hex.
pub fn bytes_node(bytes: &OsStr) -> Node {
    match bytes.to_str() {
        Some(text) => Node::text(text),
        None => Node::map([(
            "hex",
            Node::text(
                bytes
                    .as_bytes()
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect::<String>(),
            ),
        )]),
    }
}

/// Reads what [`bytes_node`] wrote.
pub fn bytes_of(node: &Node) -> Option<OsString> {
    if let Some(text) = node.as_text() {
        return Some(OsString::from(text));
    }
    let hex = node.get("hex")?.as_text()?.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    Some(OsString::from_vec(
        hex.chunks(2).map(pair).collect::<Option<Vec<u8>>>()?,
    ))
}
