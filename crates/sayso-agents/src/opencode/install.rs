//! opencode: where it keeps its hooks, and in which form.

use super::OPENCODE;
use crate::install::form::{Form, plugin};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of opencode comes into its settings.
pub static INSTALLER: Table = Table {
    who: OPENCODE,
    user: "config:opencode/plugins/sayso.js",
    project: Some(".opencode/plugins/sayso.js"),
    managed: None,
    elsewhere: &["OPENCODE_CONFIG_DIR"],
    form: Form::Whole {
        text: |_, program| plugin(include_str!("plugin.js"), program),
        mark: "\"hook\", \"opencode\"",
    },
    notes: &[
        "opencode goes on without a plugin that it cannot load, and with `--pure` without any: `sayso doctor --agents` tries it",
    ],
    switches: Switches {
        // A plugin of the same name in a project is loaded in place of the person's.
        names: &[".opencode/plugins/sayso.js", ".opencode/plugin/sayso.js"],
        ..Switches::NONE
    },
};
