//! Gemini CLI: where it keeps its hooks, and in which form.

use super::GEMINI;
use crate::install::form::{Form, OPEN, before};
use crate::install::grouped_hooks::{Event, SHORT};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Gemini CLI comes into its settings.
pub static INSTALLER: Table = Table {
    who: GEMINI,
    user: ".gemini/settings.json",
    project: Some(".gemini/settings.json"),
    managed: Some("gemini-cli/settings.json"),
    elsewhere: &["GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"],
    form: Form::Groups {
        events: &[
            before("BeforeTool"),
            before("AfterTool"),
            before("SessionStart"),
            Event {
                name: "SessionEnd",
                seconds: SHORT,
                blocks: false,
                status: None,
            },
        ],
    },
    notes: &[
        OPEN,
        "Gemini CLI starts no hook at all in a folder that you do not trust in it",
    ],
    switches: Switches {
        // `hooksConfig`; no hook is started in a folder that is not trusted.
        names: &[".gemini/settings.json", ".gemini/trustedFolders.json"],
        beside: &["trustedFolders.json"],
        managed: &["gemini-cli"],
    },
};
