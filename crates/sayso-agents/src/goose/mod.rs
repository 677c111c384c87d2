//! Goose.

pub mod hook;
pub mod import;
pub mod install;

use crate::which::{Facts, Which};

/// Goose.
pub const GOOSE: Which = Which::new(&Facts {
    name: "goose",
    title: "Goose",
    program: Some("goose"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
    help: "Goose",
    ..Facts::NONE
});
