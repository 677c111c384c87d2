//! How Claude Code is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::node::{Node, Value};
use sayso_core::text::json;

use super::Cage;
use super::started::{Folders, command};
use crate::scripted::{Model, Step, Use};

/// Claude Code.
pub(super) struct Claude;

impl Cage for Claude {
    fn own(&self, program: &Path, model: &Model, key: &str, folders: &Folders) -> Result<Command, String> {
        // Settings may set variables themselves, and these count more than what it was started with; what is named here counts more still.
        let variables = variables(model, key).map(|(name, value)| (name, Node::text(value)));
        let settings = Node::map([("env", Node::map(variables))]);
        start(program, model, key, folders, &settings)
    }

    fn copy(&self, program: &Path, model: &Model, key: &str, folders: &Folders, hook: Option<&Node>) -> Result<Command, String> {
        let groups: Node = Value::List(hook.into_iter().cloned().collect()).into();
        let settings = Node::map([("hooks", Node::map([("PreToolUse", groups)]))]);
        let mut command = start(program, model, key, folders, &settings)?;
        command.env("HOME", &folders.home).env_remove("CLAUDE_CONFIG_DIR");
        Ok(command)
    }

    fn step(&self, command: &str) -> Step {
        let input = Node::map([("command", Node::text(command)), ("description", Node::text("a call of `sayso doctor`"))]);
        vec![Use { tool: "Bash".to_owned(), input }]
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

fn start(program: &Path, model: &Model, key: &str, folders: &Folders, settings: &Node) -> Result<Command, String> {
    let file = folders.file("settings.json");
    std::fs::write(&file, json::write(settings)).map_err(|error| format!("the settings of the canary cannot be written: {error}"))?;
    let mut command = command(program, model, folders);
    command.envs(variables(model, key));
    // What the model wants is harmless, and runs unless a hook stops it.
    command.args(["-p", "a check by `sayso doctor`", "--output-format", "json", "--no-session-persistence", "--strict-mcp-config"]);
    command.args(["--allowedTools", "Bash", "--settings"]).arg(&file);
    Ok(command)
}
