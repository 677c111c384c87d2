//! Goose: where it keeps its hooks, and in which form.

use super::GOOSE;
use crate::install::form::{Form, OPEN, UNRUN};
use crate::install::grouped_hooks::LONG;
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Goose comes into its settings.
pub static INSTALLER: Table = Table {
    who: GOOSE,
    user: ".agents/plugins/sayso/hooks/hooks.json",
    project: None,
    managed: None,
    elsewhere: &[],
    form: Form::Whole {
        text: hooks_file,
        mark: " hook goose --wait ",
    },
    notes: &[UNRUN, OPEN],
    switches: Switches {
        names: &[".agents/plugins/sayso"],
        ..Switches::NONE
    },
};

fn hooks_file(command: &str, _: &str) -> String {
    let quoted = sayso_core::text::json::quote(command);
    let event = |name: &str| {
        format!(
            "    \"{name}\": [{{\"matcher\": \"*\", \"hooks\": [{{\"type\": \"command\", \"command\": {quoted}, \"timeout\": {LONG}}}]}}]"
        )
    };
    let events = ["PreToolUse", "PostToolUse", "SessionStart"]
        .map(event)
        .join(",\n");
    format!("{{\n  \"hooks\": {{\n{events}\n  }}\n}}\n")
}
