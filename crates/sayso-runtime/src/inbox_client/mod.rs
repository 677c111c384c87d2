//! The way to the inbox from other processes: its folder, the socket, and questions and answers as they travel.

pub mod client;
pub mod folder;
pub mod wire;

use sayso_core::text::node::{Node, Value};

/// The version of what hooks and the inbox say to each other. Another one is refused.
pub const PROTOCOL: u32 = 1;
/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A whole number, however it is written: `3` and `3.0` are the same to many programs.
pub fn whole(node: &Node) -> Option<u64> {
    let Value::Number(text) = &node.value else {
        return None;
    };
    let (digits, rest) = text.split_once('.').unwrap_or((text, ""));
    rest.bytes()
        .all(|byte| byte == b'0')
        .then(|| digits.parse().ok())
        .flatten()
}
