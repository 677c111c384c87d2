//! Crush: where it keeps its hooks, and in which form.

use super::CRUSH;
use crate::agents::install::form::{Beside, Form, OPEN, UNRUN};
use crate::agents::install::grouped_hooks::LONG;
use crate::agents::install::switches::Switches;
use crate::agents::install::table::Table;

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
