//! Qwen Code: where it keeps its hooks, and in which form.

use super::QWEN;
use crate::install::form::{Form, OPEN, before};
use crate::install::grouped_hooks::{Event, SHORT};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Qwen Code comes into its settings.
pub static INSTALLER: Table = Table {
    who: QWEN,
    user: ".qwen/settings.json",
    project: Some(".qwen/settings.json"),
    managed: Some("qwen-code/settings.json"),
    elsewhere: &["QWEN_HOME", "QWEN_CODE_SYSTEM_SETTINGS_PATH"],
    form: Form::Groups {
        events: &[
            before("PreToolUse"),
            before("PostToolUse"),
            before("PostToolUseFailure"),
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
        "a hook of Qwen Code cannot change a command, so what may only run in a sandbox is denied there",
    ],
    switches: Switches {
        names: &[
            ".qwen/settings.json",
            ".qwen/settings.local.json",
            ".qwen/trustedFolders.json",
        ],
        beside: &["trustedFolders.json"],
        managed: &["qwen-code"],
    },
};
