//! Copilot CLI: where it keeps its hooks, and in which form.

use super::COPILOT;
use crate::install::form::Form;
use crate::install::grouped_hooks::LONG;
use crate::install::switches::Switches;
use crate::install::table::Table;

/// How the hook of Copilot CLI comes into its settings.
pub static INSTALLER: Table = Table {
    who: COPILOT,
    user: ".copilot/hooks/sayso.json",
    project: None,
    managed: None,
    elsewhere: &["COPILOT_HOME"],
    form: Form::Whole {
        text: hooks_file,
        mark: " hook copilot --wait ",
    },
    notes: &[
        "where sayso is late, Copilot CLI runs the tool; where it is killed or cannot be started, it does not",
    ],
    switches: Switches {
        // `disableAllHooks`.
        names: &[
            ".copilot/settings.json",
            ".copilot/config.json",
            ".copilot/hooks/sayso.json",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
        ],
        ..Switches::NONE
    },
};

fn hooks_file(command: &str, _: &str) -> String {
    let quoted = sayso_core::text::json::quote(command);
    let event = |name: &str| {
        format!(
            "    \"{name}\": [{{\"type\": \"command\", \"bash\": {quoted}, \"timeoutSec\": {LONG}}}]"
        )
    };
    let events = ["preToolUse", "postToolUse", "sessionStart", "sessionEnd"]
        .map(event)
        .join(",\n");
    format!("{{\n  \"version\": 1,\n  \"hooks\": {{\n{events}\n  }}\n}}\n")
}
