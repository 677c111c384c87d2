//! Cline.

pub mod hook;
pub mod import;
pub mod install;
pub mod probe;

use crate::which::{Facts, Which};

/// Cline.
pub const CLINE: Which = Which::new(&Facts {
    name: "cline",
    title: "Cline",
    program: Some("cline"),
    was_run: true,
    not_seen: "everything where its plugin cannot be loaded, or where a project brings a plugin of the same name",
    help: "Cline",
    ..Facts::NONE
});
