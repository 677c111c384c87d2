//! Text in and out: JSON and YAML to a [`Node`](crate::text::node::Node) with a place for every value and an error for every doubt, and how
//! values, sizes and secrets are written for people.

mod build;
pub mod count;
pub mod diagnostic;
pub mod digest;
pub mod duration;
pub mod json;
pub mod node;
pub mod redact;
pub mod sentence;
pub mod size;
pub mod visible;
pub(crate) mod words;
pub mod yaml;

#[cfg(test)]
mod tests;

/// The deepest nesting any reader makes, whatever the limits say: dropping a tree uses the stack.
const DEEPEST: usize = 256;

/// How large a text may be before a reader gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The length of the text.
    pub bytes: usize,
    /// How many lists and maps may stand inside each other; never more than 256.
    pub depth: usize,
    /// How many values there may be, lists and maps included.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 16 << 20,
            depth: 64,
            nodes: 2_000_000,
        }
    }
}

impl Limits {
    /// What a policy may have: a person writes and reads it.
    pub fn policy() -> Self {
        Limits {
            bytes: 4 << 20,
            depth: 64,
            nodes: 500_000,
        }
    }
}
