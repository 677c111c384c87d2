//! How opencode is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use super::install::INSTALLER;
use crate::probe::agent_process::{Folders, command, put_text};
use crate::probe::plugin::broken_plugin;
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// opencode.
pub(crate) struct Opencode;

impl Cage for Opencode {
    fn own(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
    ) -> Result<Command, ProbeError> {
        Ok(start(program, model, key, folders))
    }

    fn copy(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
        hook: Option<&Node>,
    ) -> Result<Command, ProbeError> {
        if let Some(hook) = hook {
            put_text(
                &folders.home.join(".config/opencode/plugins/sayso.js"),
                &broken_plugin(&INSTALLER, hook, folders)?,
            )?;
        }
        let mut command = start(program, model, key, folders);
        command
            .env("HOME", &folders.home)
            .env_remove("XDG_CONFIG_HOME");
        Ok(command)
    }

    fn step(&self, command: &str) -> Step {
        let input = Node::map([
            ("command", Node::text(command)),
            ("description", Node::text("a call of `sayso doctor`")),
        ]);
        vec![Use {
            tool: "bash".to_owned(),
            input,
        }]
    }
}

fn start(program: &Path, model: &Model, key: &str, folders: &Folders) -> Command {
    let mut command = command(program, model, folders);
    let limit = Node::map([("context", number(100_000)), ("output", number(4_000))]);
    let scripted = Node::map([
        ("name", Node::text("scripted")),
        ("tool_call", Value::Bool(true).into()),
        ("limit", limit),
    ]);
    let options = Node::map([
        ("baseURL", Node::text(format!("{}/v1", model.url()))),
        ("apiKey", Node::text(key)),
    ]);
    let provider = Node::map([
        ("npm", Node::text("@ai-sdk/openai-compatible")),
        ("name", Node::text("a check by `sayso doctor`")),
        ("options", options),
        ("models", Node::map([("scripted", scripted)])),
    ]);
    let settings = Node::map([
        ("model", Node::text("sayso-canary/scripted")),
        ("small_model", Node::text("sayso-canary/scripted")),
        ("share", Node::text("disabled")),
        ("provider", Node::map([("sayso-canary", provider)])),
        ("permission", Node::map([("bash", Node::text("allow"))])),
    ]);
    command.env("OPENCODE_CONFIG_CONTENT", json::write(&settings));
    command
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
    // It wants to fetch what plugins may need; ours needs nothing, and there is no way out.
    command
        .env("npm_config_fetch_retries", "0")
        .env("npm_config_offline", "true");
    command.env("XDG_DATA_HOME", folders.home.join("data"));
    command.args(["run", "a check by `sayso doctor`"]);
    command
}

fn number(number: u32) -> Node {
    Value::Number(number.to_string()).into()
}
