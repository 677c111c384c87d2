//! Cursor: where it keeps its hooks, and in which form.

use super::CURSOR;
use crate::install::form::{Beside, Form, UNRUN};
use crate::install::grouped_hooks::LONG;
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Cursor comes into its settings.
pub static INSTALLER: Table = Table {
    who: CURSOR,
    user: ".cursor/hooks.json",
    project: Some(".cursor/hooks.json"),
    managed: Some("cursor/hooks.json"),
    elsewhere: &[],
    form: Form::Flat {
        events: &[
            "preToolUse",
            "beforeShellExecution",
            "beforeMCPExecution",
            "postToolUse",
        ],
        beside: &[
            ("timeout", Beside::Number(LONG)),
            ("failClosed", Beside::Yes),
        ],
        version: true,
    },
    notes: &[
        UNRUN,
        "the same call may come by two events, and is judged at each",
    ],
    switches: Switches {
        names: &[".cursor/hooks.json"],
        managed: &["cursor"],
        ..Switches::NONE
    },
};
