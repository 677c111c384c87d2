//! opencode.

pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod probe;

use crate::which::{Facts, Which};

/// opencode.
pub const OPENCODE: Which = Which::new(&Facts {
    name: "opencode",
    title: "opencode",
    program: Some("opencode"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything with `--pure` or where the plugin cannot be loaded",
    help: "opencode",
    ..Facts::NONE
});
