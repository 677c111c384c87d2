//! Windsurf.

pub mod hook;
pub mod install;

use crate::which::{Facts, Which};

/// Windsurf.
pub const WINDSURF: Which = Which::new(&Facts {
    name: "windsurf",
    title: "Windsurf",
    program: Some("windsurf"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
    help: "Windsurf",
    ..Facts::NONE
});
