//! Gemini CLI.

pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod probe;

use crate::which::{Facts, Which};

/// Gemini CLI.
pub const GEMINI: Which = Which::new(&Facts {
    name: "gemini",
    title: "Gemini CLI",
    program: Some("gemini"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything in a folder that you do not trust in it, where a project switches hooks off, or while its hook is killed or late",
    help: "Gemini CLI",
    units: 1000,
    has_call_ids: false,
    when_silent: &[(
        Some("auth method"),
        "start Gemini CLI once and choose how it logs in: before that it talks to no model, and there is nothing to prove",
    )],
    ..Facts::NONE
});
