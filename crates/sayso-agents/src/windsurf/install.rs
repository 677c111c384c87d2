//! Windsurf: where it keeps its hooks, and in which form.

use super::WINDSURF;
use crate::install::form::{Beside, Form, OPEN, UNRUN};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Windsurf comes into its settings.
pub static INSTALLER: Table = Table {
    who: WINDSURF,
    user: ".codeium/windsurf/hooks.json",
    project: Some(".windsurf/hooks.json"),
    managed: Some("windsurf/hooks.json"),
    elsewhere: &[],
    form: Form::Flat {
        events: &[
            "pre_run_command",
            "pre_write_code",
            "pre_read_code",
            "pre_mcp_tool_use",
            "post_run_command",
            "post_write_code",
        ],
        beside: &[("show_output", Beside::Yes)],
        version: false,
    },
    notes: &[
        UNRUN,
        OPEN,
        "the hook takes the folder that Windsurf starts it in for the workspace",
    ],
    switches: Switches {
        names: &[".windsurf/hooks.json"],
        managed: &["windsurf"],
        ..Switches::NONE
    },
};
