//! Qwen Code.

pub mod hook;
pub mod install;
pub mod probe;

use crate::which::{Facts, Which};

/// Qwen Code.
pub const QWEN: Which = Which::new(&Facts {
    name: "qwen",
    title: "Qwen Code",
    program: Some("qwen"),
    was_run: true,
    not_seen: "files named with `@` in a prompt, what you type behind `!`, and everything with `--bare` or `--safe-mode`, where a project sets `disableAllHooks`, or while its hook is killed or late",
    help: "Qwen Code",
    ..Facts::NONE
});
