//! Copilot CLI.

pub mod hook;
pub mod install;
pub mod probe;

use crate::which::{Facts, Which};

/// Copilot CLI.
pub const COPILOT: Which = Which::new(&Facts {
    name: "copilot",
    title: "Copilot CLI",
    program: Some("copilot"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything while its hook is late",
    help: "Copilot CLI",
    has_call_ids: false,
    ..Facts::NONE
});
