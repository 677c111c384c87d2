//! Codex.

pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod mcp;
pub mod probe;
pub mod trust;

use crate::which::{Facts, Which};

/// Codex.
pub const CODEX: Which = Which::new(&Facts {
    name: "codex",
    title: "Codex",
    program: Some("codex"),
    was_run: true,
    not_seen: "what is typed into a running command, its own web search, and everything while its hook is killed, late, or not trusted by you",
    help: "Codex",
    when_silent: &[(
        None,
        "accept the hook in `/hooks` of Codex: it starts no hook that you did not trust",
    )],
    ..Facts::NONE
});
