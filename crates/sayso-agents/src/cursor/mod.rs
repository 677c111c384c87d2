//! Cursor.

pub mod hook;
pub mod install;
pub mod mcp;

use crate::which::{Facts, Which};

/// Cursor.
pub const CURSOR: Which = Which::new(&Facts {
    name: "cursor",
    title: "Cursor",
    program: Some("cursor-agent"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks: it was never run with sayso",
    help: "Cursor",
    ..Facts::NONE
});
