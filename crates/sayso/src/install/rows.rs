//! Where each agent keeps its hooks, and in which form: a row an agent, so that another one is another row.

use std::path::{Path, PathBuf};

use super::hooks::{Event, LONG, SHORT};
use super::{Around, Refused};
use crate::agents::{Scope, Which};

/// How the hooks of an agent are written down.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// In settings, by event, in groups with a matcher; the unit of its times, in a second.
    Groups {
        /// The events that start the hook.
        events: &'static [Event],
        /// So many of its units of time are a second.
        units: u32,
    },
    /// In settings, by event, one behind the other.
    Flat {
        /// The events that start the hook.
        events: &'static [&'static str],
        /// What stands in each beside the command.
        beside: &'static [(&'static str, Beside)],
        /// The settings name their version.
        version: bool,
    },
    /// In a file of its own.
    Whole {
        /// Its text, for a command line as an agent gives it to a shell, and for the path of the program.
        text: fn(&str, &str) -> String,
        /// What stands in it and in no other file.
        mark: &'static str,
    },
}

/// A value beside a command.
#[derive(Clone, Copy, Debug)]
pub enum Beside {
    /// A number.
    Number(u32),
    /// Yes.
    Yes,
}

/// Where an agent keeps its hooks.
pub struct Row {
    /// The person's, below the home folder, or below the folder of configurations if it begins with `config:`.
    pub user: &'static str,
    /// The project's.
    pub project: Option<&'static str>,
    /// An administrator's, below `/etc`.
    pub managed: Option<&'static str>,
    /// Variables that lead it to other folders.
    pub elsewhere: &'static [&'static str],
    /// The form.
    pub form: Form,
    /// What is good to know.
    pub notes: &'static [&'static str],
}

const fn before(name: &'static str) -> Event {
    Event {
        name,
        seconds: LONG,
        blocks: false,
    }
}

const OPEN: &str = "where sayso is killed or cannot be started, the tool runs: this agent has no word for a hook that must not fail";
const UNRUN: &str = "this agent was never run with sayso: it is written after its documentation, so try a call that your policy denies";

/// The row of an agent; none of those that have a file of their own here, and of a program that nobody knows.
pub fn row(who: Which) -> Option<&'static Row> {
    match who {
        Which::Claude | Which::Codex | Which::Generic => None,
        Which::Gemini => Some(&GEMINI),
        Which::Qwen => Some(&QWEN),
        Which::Copilot => Some(&COPILOT),
        Which::Opencode => Some(&OPENCODE),
        Which::Cline => Some(&CLINE),
        Which::Cursor => Some(&CURSOR),
        Which::Windsurf => Some(&WINDSURF),
        Which::Droid => Some(&DROID),
        Which::Crush => Some(&CRUSH),
        Which::Goose => Some(&GOOSE),
    }
}

static GEMINI: Row = Row {
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
            },
        ],
        units: 1000,
    },
    notes: &[
        OPEN,
        "Gemini CLI starts no hook at all in a folder that you do not trust in it",
    ],
};

static QWEN: Row = Row {
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
            },
        ],
        units: 1,
    },
    notes: &[
        OPEN,
        "a hook of Qwen Code cannot change a command, so what may only run in a sandbox is denied there",
    ],
};

static DROID: Row = Row {
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
        units: 1,
    },
    notes: &[UNRUN, OPEN],
};

static COPILOT: Row = Row {
    user: ".copilot/hooks/sayso.json",
    project: None,
    managed: None,
    elsewhere: &["COPILOT_HOME"],
    form: Form::Whole {
        text: copilot,
        mark: " hook copilot --wait ",
    },
    notes: &[
        "where sayso is late, Copilot CLI runs the tool; where it is killed or cannot be started, it does not",
    ],
};

static OPENCODE: Row = Row {
    user: "config:opencode/plugins/sayso.js",
    project: Some(".opencode/plugins/sayso.js"),
    managed: None,
    elsewhere: &["OPENCODE_CONFIG_DIR"],
    form: Form::Whole {
        text: |_, program| plugin(include_str!("plugins/opencode.js"), program),
        mark: "\"hook\", \"opencode\"",
    },
    notes: &[
        "opencode goes on without a plugin that it cannot load, and with `--pure` without any: `sayso doctor --agents` tries it",
    ],
};

static CLINE: Row = Row {
    user: ".cline/plugins/sayso.js",
    project: Some(".cline/plugins/sayso.js"),
    managed: None,
    elsewhere: &["CLINE_DIR", "CLINE_DATA_DIR"],
    form: Form::Whole {
        text: |_, program| plugin(include_str!("plugins/cline.js"), program),
        mark: "\"hook\", \"cline\"",
    },
    notes: &[
        "Cline goes on without a plugin that it cannot load: `sayso doctor --agents` tries it",
    ],
};

static CURSOR: Row = Row {
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
};

static WINDSURF: Row = Row {
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
};

static CRUSH: Row = Row {
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
};

static GOOSE: Row = Row {
    user: ".agents/plugins/sayso/hooks/hooks.json",
    project: None,
    managed: None,
    elsewhere: &[],
    form: Form::Whole {
        text: goose,
        mark: " hook goose --wait ",
    },
    notes: &[UNRUN, OPEN],
};

/// The file that the hook stands in.
///
/// # Errors
/// When nobody knows where that is.
pub fn target(around: &Around, who: Which, scope: Scope) -> Result<PathBuf, Refused> {
    let Some(row) = row(who) else {
        return Err(Refused::new("nobody knows where the settings of another program are")
            .hint("let it start `sayso hook generic --wait 600` before each call: docs/guide/hooks.md says what it sends and gets"));
    };
    let none = |what: &str| Refused::new(format!("{} has no hooks {what}", who.title()));
    match scope {
        Scope::User => {
            own(around, row).ok_or_else(|| Refused::new("`HOME` is not an absolute path"))
        }
        Scope::Project => row
            .project
            .map(|file| around.folder.join(file))
            .ok_or_else(|| none("of a project that sayso would set")),
        Scope::Managed => row
            .managed
            .map(|file| around.etc.join(file))
            .ok_or_else(|| none("of an administrator")),
    }
}

/// The person's own file.
fn own(around: &Around, row: &Row) -> Option<PathBuf> {
    match row.user.strip_prefix("config:") {
        Some(file) => around
            .config
            .clone()
            .or_else(|| Some(around.home.as_ref()?.join(".config")))
            .map(|folder| folder.join(file)),
        None => around.home.as_ref().map(|home| home.join(row.user)),
    }
}

/// All files that an agent may read hooks from, those that count most first.
pub fn files(around: &Around, who: Which) -> Vec<(PathBuf, Scope)> {
    let scopes = [Scope::Managed, Scope::User, Scope::Project];
    scopes
        .into_iter()
        .filter_map(|scope| Some((target(around, who, scope).ok()?, scope)))
        .collect()
}

/// A plugin with the path of the program in it, and the part that all plugins have: each is one file.
fn plugin(text: &str, program: &str) -> String {
    let whole = text.replace("//{ask}\n", include_str!("plugins/ask.js"));
    whole.replace(
        "\"/usr/bin/sayso\"",
        &sayso_core::text::json::quote(program),
    )
}

/// The program that a plugin starts.
pub fn plugin_starts(text: &str) -> Option<String> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("const SAYSO = "))?;
    let node = sayso_core::text::json::read(
        line.trim_end_matches(';'),
        &sayso_core::text::Limits::default(),
    )
    .ok()?;
    node.as_text()
        .filter(|program| {
            Path::new(program)
                .file_name()
                .is_some_and(|name| name == "sayso")
        })
        .map(str::to_owned)
}

fn copilot(command: &str, _: &str) -> String {
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

fn goose(command: &str, _: &str) -> String {
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
