//! Any other program: its hook speaks sayso's own form, and it can hand calls over as a batch or as JSON lines.

pub mod batch;
pub mod hook;
pub mod install;
pub mod jsonl;
pub mod mcp;

use crate::which::{Facts, Which};

/// Any program that can start a command with JSON on its input.
pub const GENERIC: Which = Which::new(&Facts {
    name: "generic",
    title: "any other program",
    program: None,
    was_run: false,
    not_seen: "whatever that program does without asking",
    help: "Any program that can start a command with JSON on its input",
    ..Facts::NONE
});
