//! Droid of Factory.

pub mod hook;
pub mod install;

use crate::which::{Facts, Which};

/// Droid of Factory.
pub const DROID: Which = Which::new(&Facts {
    name: "droid",
    title: "Droid",
    program: Some("droid"),
    was_run: false,
    not_seen: "whatever it does without its documented hooks, and everything while its hook is killed or late: it was never run with sayso",
    help: "Droid of Factory",
    ..Facts::NONE
});
