//! Crush: where it keeps its hooks, and in which form.

use super::CRUSH;
use crate::install::form::{Beside, Form, OPEN, UNRUN};
use crate::install::grouped_hooks::LONG;
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Crush comes into its settings.
pub static INSTALLER: Table = Table {
    who: CRUSH,
    user: "config:crush/crush.json",
    project: Some(".crush.json"),
    managed: None,
    elsewhere: &["CRUSH_GLOBAL_CONFIG"],
    form: Form::Flat {
        events: &["PreToolUse"],
        beside: &[("timeout", Beside::Number(LONG))],
        version: false,
    },
    notes: &[UNRUN, OPEN, "what sub-agents of Crush do starts no hook"],
    switches: Switches {
        names: &[".crush.json", "crush.json"],
        ..Switches::NONE
    },
};
