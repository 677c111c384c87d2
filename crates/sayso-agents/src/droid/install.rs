//! Droid: where it keeps its hooks, and in which form.

use super::DROID;
use crate::install::form::{Form, OPEN, UNRUN, before};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Droid comes into its settings.
pub static INSTALLER: Table = Table {
    who: DROID,
    user: ".factory/settings.json",
    project: Some(".factory/settings.local.json"),
    managed: None,
    elsewhere: &[],
    form: Form::Groups {
        events: &[
            before("PreToolUse"),
            before("PostToolUse"),
            before("SessionStart"),
        ],
    },
    notes: &[UNRUN, OPEN],
    switches: Switches {
        names: &[
            ".factory/settings.json",
            ".factory/settings.local.json",
            ".factory/hooks.json",
        ],
        ..Switches::NONE
    },
};
