//! Cline: where it keeps its hooks, and in which form.

use super::CLINE;
use crate::install::form::{Form, plugin};
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Cline comes into its settings.
pub static INSTALLER: Table = Table {
    who: CLINE,
    user: ".cline/plugins/sayso.js",
    project: Some(".cline/plugins/sayso.js"),
    managed: None,
    elsewhere: &["CLINE_DIR", "CLINE_DATA_DIR"],
    form: Form::Whole {
        text: |_, program| plugin(include_str!("plugin.js"), program),
        mark: "\"hook\", \"cline\"",
    },
    notes: &[
        "Cline goes on without a plugin that it cannot load: `sayso doctor --agents` tries it",
    ],
    switches: Switches {
        names: &[".cline/plugins/sayso.js"],
        ..Switches::NONE
    },
};
