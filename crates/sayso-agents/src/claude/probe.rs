//! How Claude Code is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use crate::probe::agent_process::{Folders, command};
use crate::probe::ask_modes::Trial;
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Claude Code.
pub(crate) struct Claude;

impl Cage for Claude {
    fn own(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
    ) -> Result<Command, ProbeError> {
        // Settings may set variables themselves, and these count more than what it was started with; what is named here counts more still.
        let variables = variables(model, key).map(|(name, value)| (name, Node::text(value)));
        let settings = Node::map([("env", Node::map(variables))]);
        start(program, model, key, folders, &settings)
    }

    fn copy(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
        hook: Option<&Node>,
    ) -> Result<Command, ProbeError> {
        let groups: Node = Value::List(hook.into_iter().cloned().collect()).into();
        let settings = Node::map([("hooks", Node::map([("PreToolUse", groups)]))]);
        let mut command = start(program, model, key, folders, &settings)?;
        command
            .env("HOME", &folders.home)
            .env_remove("CLAUDE_CONFIG_DIR");
        Ok(command)
    }

    fn step(&self, command: &str) -> Step {
        let input = Node::map([
            ("command", Node::text(command)),
            ("description", Node::text("a call of `sayso doctor`")),
        ]);
        vec![Use {
            tool: "Bash".to_owned(),
            input,
        }]
    }

    fn modes(&self) -> &'static [&'static str] {
        &[
            "default",
            "acceptEdits",
            "plan",
            "auto",
            "dontAsk",
            "bypassPermissions",
        ]
    }

    fn set_mode(&self, command: &mut Command, mode: &str) {
        command.args(["--permission-mode", mode]);
    }

    fn trials(&self, workspace: &Path) -> Result<Vec<Trial>, ProbeError> {
        let [ran, written, edited] = ["ran", "written", "edited"].map(|name| workspace.join(name));
        std::fs::write(&edited, "before\n").map_err(ProbeError::FileNotWritten)?;
        let text = |path: &Path| Node::text(path.to_string_lossy());
        let one = |tool: &str, input: Node| {
            vec![Use {
                tool: tool.to_owned(),
                input,
            }]
        };
        let write = one(
            "Write",
            Node::map([
                ("file_path", text(&written)),
                ("content", Node::text("after\n")),
            ]),
        );
        let read = one("Read", Node::map([("file_path", text(&edited))]));
        let fields = [
            ("file_path", text(&edited)),
            ("old_string", Node::text("before")),
            ("new_string", Node::text("after")),
        ];
        let command = format!(
            "echo after > {}",
            sayso_shell::quote(&[ran.to_string_lossy().into_owned()])
        );
        Ok(vec![
            Trial {
                tool: "Bash",
                step: self.step(&command),
                leaves: Some((ran, "after")),
            },
            Trial {
                tool: "Write",
                step: write,
                leaves: Some((written, "after")),
            },
            Trial {
                tool: "Read",
                step: read,
                leaves: None,
            },
            Trial {
                tool: "Edit",
                step: one("Edit", Node::map(fields)),
                leaves: Some((edited, "after")),
            },
        ])
    }
}

/// Everything that keeps it on this machine.
fn variables(model: &Model, key: &str) -> [(&'static str, String); 8] {
    [
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", key.to_owned()),
        ("ANTHROPIC_AUTH_TOKEN", String::new()),
        ("CLAUDE_CODE_USE_BEDROCK", String::new()),
        ("CLAUDE_CODE_USE_VERTEX", String::new()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("HTTPS_PROXY", model.url()),
    ]
}

fn start(
    program: &Path,
    model: &Model,
    key: &str,
    folders: &Folders,
    settings: &Node,
) -> Result<Command, ProbeError> {
    let file = folders.file("settings.json");
    std::fs::write(&file, json::write(settings)).map_err(ProbeError::SettingsNotWritten)?;
    let mut command = command(program, model, folders);
    command.envs(variables(model, key));
    // What the model wants is harmless, and runs unless a hook stops it.
    command.args([
        "-p",
        "a check by `sayso doctor`",
        "--output-format",
        "json",
        "--no-session-persistence",
        "--strict-mcp-config",
    ]);
    command
        .args(["--allowedTools", "Bash", "--settings"])
        .arg(&file);
    Ok(command)
}
