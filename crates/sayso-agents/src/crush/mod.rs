//! Crush.

pub mod hook;
pub mod import;
pub mod install;

use crate::which::{Facts, Which};

/// Crush.
pub const CRUSH: Which = Which::new(&Facts {
    name: "crush",
    title: "Crush",
    program: Some("crush"),
    was_run: false,
    not_seen: "what its sub-agents do, and everything while its hook is killed or late: it was never run with sayso",
    help: "Crush",
    ..Facts::NONE
});
