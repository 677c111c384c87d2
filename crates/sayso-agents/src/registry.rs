//! All agents: a row for each. Whatever depends on which agent it is goes through its row.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use sayso_core::analysis::own_files::InstalledPath;
use sayso_world::locations::Whereabouts;

use crate::hook::agent::Agent;
use crate::import::related_systems;
use crate::install::mcp_client::McpClient;
use crate::install::{Installer, installed_paths};
use crate::probe::Cage;
use crate::which::Which;
use crate::{
    claude, cline, codex, copilot, crush, cursor, droid, export, gemini, generic, goose, import,
    opencode, qwen, roo, vscode, windsurf, zed,
};

/// An agent that sayso has a hook for, and the parts that it has.
struct Row {
    /// Its name and what else is to be known of it.
    who: Which,
    /// How its hook is answered.
    hook: &'static dyn Agent,
    /// How the hook comes into its settings.
    installer: &'static dyn Installer,
    /// How it is started with a scripted model; none where it was never run so.
    probe: Option<&'static dyn Cage>,
}

/// The agents, in the order in which people are told of them.
const ROWS: [Row; 13] = [
    Row {
        who: claude::CLAUDE,
        hook: &claude::hook::Claude,
        installer: &claude::install::Own,
        probe: Some(&claude::probe::Claude),
    },
    Row {
        who: codex::CODEX,
        hook: &codex::hook::Codex,
        installer: &codex::install::Own,
        probe: Some(&codex::probe::Codex),
    },
    Row {
        who: gemini::GEMINI,
        hook: &gemini::hook::GEMINI,
        installer: &gemini::install::INSTALLER,
        probe: Some(&gemini::probe::Gemini),
    },
    Row {
        who: qwen::QWEN,
        hook: &qwen::hook::QWEN,
        installer: &qwen::install::INSTALLER,
        probe: Some(&qwen::probe::Qwen),
    },
    Row {
        who: copilot::COPILOT,
        hook: &copilot::hook::COPILOT,
        installer: &copilot::install::INSTALLER,
        probe: Some(&copilot::probe::Copilot),
    },
    Row {
        who: opencode::OPENCODE,
        hook: &opencode::hook::OPENCODE,
        installer: &opencode::install::INSTALLER,
        probe: Some(&opencode::probe::Opencode),
    },
    Row {
        who: cline::CLINE,
        hook: &cline::hook::CLINE,
        installer: &cline::install::INSTALLER,
        probe: Some(&cline::probe::Cline),
    },
    Row {
        who: cursor::CURSOR,
        hook: &cursor::hook::CURSOR,
        installer: &cursor::install::INSTALLER,
        probe: None,
    },
    Row {
        who: windsurf::WINDSURF,
        hook: &windsurf::hook::WINDSURF,
        installer: &windsurf::install::INSTALLER,
        probe: None,
    },
    Row {
        who: droid::DROID,
        hook: &droid::hook::DROID,
        installer: &droid::install::INSTALLER,
        probe: None,
    },
    Row {
        who: crush::CRUSH,
        hook: &crush::hook::CRUSH,
        installer: &crush::install::INSTALLER,
        probe: None,
    },
    Row {
        who: goose::GOOSE,
        hook: &goose::hook::GOOSE,
        installer: &goose::install::INSTALLER,
        probe: None,
    },
    Row {
        who: generic::GENERIC,
        hook: &generic::hook::GENERIC,
        installer: &generic::install::Generic,
        probe: None,
    },
];

/// All of them.
#[expect(
    clippy::indexing_slicing,
    reason = "a constant, so an index that is too large does not compile"
)]
pub const ALL: [Which; ROWS.len()] = {
    let mut all = [ROWS[0].who; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        all[at] = ROWS[at].who;
        at += 1;
    }
    all
};

/// Systems whose policies can be brought along.
const IMPORTS: [import::System; 13] = {
    let [kollabor, kollabor_spec, llm_do, forge] = related_systems::SYSTEMS;
    [
        claude::import::SYSTEM,
        codex::import::SYSTEM,
        gemini::import::SYSTEM,
        opencode::import::SYSTEM,
        zed::import::SYSTEM,
        roo::import::SYSTEM,
        cline::import::SYSTEM,
        goose::import::SYSTEM,
        crush::import::SYSTEM,
        kollabor,
        kollabor_spec,
        llm_do,
        forge,
    ]
};

/// Systems for which rules can be written.
const EXPORTS: [export::System; 4] = [
    claude::export::SYSTEM,
    codex::export::SYSTEM,
    gemini::export::SYSTEM,
    opencode::export::SYSTEM,
];

/// Clients of MCP servers.
const MCP_CLIENTS: [McpClient; 6] = [
    claude::mcp::CLAUDE_CODE,
    claude::mcp::CLAUDE_DESKTOP,
    cursor::mcp::CURSOR,
    vscode::mcp::VSCODE,
    codex::mcp::CODEX,
    generic::mcp::CLIENT,
];

impl Which {
    /// Claude Code.
    pub const CLAUDE: Which = claude::CLAUDE;
    /// Codex.
    pub const CODEX: Which = codex::CODEX;
    /// Gemini CLI.
    pub const GEMINI: Which = gemini::GEMINI;
    /// Qwen Code.
    pub const QWEN: Which = qwen::QWEN;
    /// Copilot CLI.
    pub const COPILOT: Which = copilot::COPILOT;
    /// opencode.
    pub const OPENCODE: Which = opencode::OPENCODE;
    /// Cline.
    pub const CLINE: Which = cline::CLINE;
    /// Cursor.
    pub const CURSOR: Which = cursor::CURSOR;
    /// Windsurf.
    pub const WINDSURF: Which = windsurf::WINDSURF;
    /// Droid.
    pub const DROID: Which = droid::DROID;
    /// Crush.
    pub const CRUSH: Which = crush::CRUSH;
    /// Goose.
    pub const GOOSE: Which = goose::GOOSE;
    /// Any other program.
    pub const GENERIC: Which = generic::GENERIC;

    /// The agent of this name.
    pub fn of(name: &str) -> Option<Which> {
        ALL.into_iter().find(|which| which.name() == name)
    }

    fn row(self) -> &'static Row {
        static ALL_ROWS: [Row; ROWS.len()] = ROWS;
        // Every agent has a row: a test says so.
        let [first, ..] = &ALL_ROWS;
        ALL_ROWS.iter().find(|row| row.who == self).unwrap_or(first)
    }

    /// How its hook is answered.
    pub fn hook(self) -> &'static dyn Agent {
        self.row().hook
    }

    /// How the hook comes into its settings.
    pub fn installer(self) -> &'static dyn Installer {
        self.row().installer
    }

    /// How it is started with a scripted model; none where it was never run so.
    pub fn probe(self) -> Option<&'static dyn Cage> {
        self.row().probe
    }
}

impl ValueEnum for Which {
    fn value_variants<'a>() -> &'a [Which] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.facts().help))
    }
}

impl import::System {
    /// The system of an agent of this name, if its own rules can be brought along when sayso is installed there.
    pub fn of(name: &str) -> Option<import::System> {
        IMPORTS
            .into_iter()
            .find(|system| system.reader().name == name)
    }
}

impl ValueEnum for import::System {
    fn value_variants<'a>() -> &'a [import::System] {
        &IMPORTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.reader().name).help(self.reader().help))
    }
}

impl ValueEnum for export::System {
    fn value_variants<'a>() -> &'a [export::System] {
        &EXPORTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.writer().name).help(self.writer().help))
    }
}

impl ValueEnum for McpClient {
    fn value_variants<'a>() -> &'a [McpClient] {
        &MCP_CLIENTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.facts().word).help(self.facts().help))
    }
}

/// Everything that counts as sayso's own on this machine, besides its folders.
pub fn installed_paths(whereabouts: &Whereabouts) -> Vec<InstalledPath> {
    let agents = ROWS.map(|row| row.installer);
    installed_paths::look(whereabouts, &agents, &MCP_CLIENTS)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sayso_core::text::node::Node;
    use sayso_core::text::{Limits, json};

    use super::*;
    use crate::install::grouped_hooks::started;
    use crate::probe::Broken;
    use crate::probe::configured_hooks::{Places, files, hooks};
    use crate::which::Scope;

    #[test]
    fn every_agent_has_its_own_row() {
        for which in ALL {
            let row = which.row();
            assert_eq!(row.who, which);
            assert_eq!(row.hook.name(), which.name());
            assert_eq!(row.installer.who(), which);
            assert_eq!(Which::of(which.name()), Some(which));
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, blocks) in [
            ("2.1.295", true),
            ("2.1.1000", true),
            ("2.2", true),
            ("3.0.0-beta", true),
            ("2.1.294", false),
            ("2.1", false),
            ("", false),
            ("x", false),
        ] {
            assert_eq!(Which::CLAUDE.blocks_since(version), blocks, "{version}");
            assert!(!Which::CODEX.blocks_since(version));
        }
    }

    fn handler(command: &str) -> Node {
        Node::map([
            ("type", Node::text("command")),
            ("command", Node::text(command)),
        ])
    }

    #[test]
    fn a_command_that_starts_sayso_is_known() {
        for (command, program) in [
            ("/usr/bin/sayso hook claude", Some("/usr/bin/sayso")),
            (
                "'/opt/my tools/sayso' hook codex",
                Some("/opt/my tools/sayso"),
            ),
            ("\"/usr/bin/sayso\" hook claude", Some("/usr/bin/sayso")),
            ("sayso hook claude", Some("sayso")),
            ("/usr/bin/sayso hook nobody", None),
            ("/usr/bin/other hook claude", None),
            ("echo", None),
            ("", None),
        ] {
            let found = ALL
                .iter()
                .find_map(|which| started(*which, &handler(command)));
            assert_eq!(found.as_deref(), program, "{command}");
        }
    }

    #[test]
    fn every_place_is_looked_at_and_an_administrators_counts_first() {
        let places = Places {
            home: Some("/h".into()),
            project: "/h".into(),
            etc: "/nonexistent".into(),
        };
        let found = files(Which::CODEX.installer(), &places);
        let scopes: Vec<Scope> = found.iter().map(|(_, scope)| *scope).collect();
        assert_eq!(scopes, [Scope::Managed, Scope::User], "{found:?}");
        assert_eq!(files(Which::CLAUDE.installer(), &places).len(), 3);
    }

    #[test]
    fn a_copy_keeps_everything_but_the_program() {
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
            {"type": "command", "command": "other"},
            {"type": "command", "command": "/usr/bin/sayso hook claude", "timeout": 60, "onFailure": "block"}]}]}}"#;
        let settings = json::read(text, &Limits::default()).unwrap();
        let found = hooks(
            Which::CLAUDE,
            &settings,
            text,
            Path::new("/x"),
            Scope::User,
            "2.1.325",
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].blocks_on_failure && found[0].for_all_tools);
        let copy = json::write(&found[0].broken(Broken::Killed));
        assert!(
            copy.contains("onFailure")
                && copy.contains("kill -9")
                && copy.contains("\"matcher\":\"*\""),
            "{copy}"
        );
        assert!(!copy.contains("sayso") && !copy.contains("other"), "{copy}");
    }
}
