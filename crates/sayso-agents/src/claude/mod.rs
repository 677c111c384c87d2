//! Claude Code.

pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod mcp;
pub mod probe;
mod rules;

use crate::which::{Facts, Which};

/// From here on a hook of Claude Code that fails can be a denial.
pub const BLOCKS_SINCE: [u32; 3] = [2, 1, 295];

/// Claude Code.
pub const CLAUDE: Which = Which::new(&Facts {
    name: "claude",
    title: "Claude Code",
    program: Some("claude"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and, unless they are an administrator's, sessions with `--bare` or `--safe-mode` and projects that set `disableAllHooks`",
    help: "Claude Code",
    blocks_since: Some(BLOCKS_SINCE),
    when_open: Some("set `\"onFailure\": \"block\"` at the hook: `sayso install claude` does"),
    ..Facts::NONE
});
