//! How Codex is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};

use crate::probe::agent_process::{Folders, command};
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Codex.
pub(crate) struct Codex;

impl Cage for Codex {
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
        let groups: Node = Value::List(hook.into_iter().cloned().collect()).into();
        let settings = Node::map([("hooks", Node::map([("PreToolUse", groups)]))]);
        std::fs::write(folders.home.join("hooks.json"), json::write(&settings))
            .map_err(ProbeError::SettingsNotWritten)?;
        let mut command = start(program, model, key, folders);
        // Its sandbox and the trust in its hooks are not what is tried here.
        command
            .env("HOME", &folders.home)
            .env("CODEX_HOME", &folders.home);
        command.args([
            "--dangerously-bypass-hook-trust",
            "--sandbox",
            "danger-full-access",
        ]);
        Ok(command)
    }

    fn step(&self, command: &str) -> Step {
        let one = |tool: &str, argument: &str| Use {
            tool: tool.to_owned(),
            input: Node::map([(argument, Node::text(command))]),
        };
        let words: Node = Value::List(["bash", "-c", command].map(Node::text).into()).into();
        let older = Use {
            tool: "shell".to_owned(),
            input: Node::map([("command", words)]),
        };
        vec![
            one("exec_command", "cmd"),
            one("shell_command", "command"),
            older,
        ]
    }
}

fn start(program: &Path, model: &Model, key: &str, folders: &Folders) -> Command {
    let mut command = command(program, model, folders);
    command.env("SAYSO_CANARY_KEY", key);
    let provider = format!(
        "model_providers.sayso-canary={{name=\"sayso-canary\",base_url=\"{}/v1\",wire_api=\"responses\",env_key=\"SAYSO_CANARY_KEY\",\
         supports_websockets=false,request_max_retries=0,stream_max_retries=0}}",
        model.url()
    );
    // To a model that it does not know it offers its tools one by one, and the record then has the ids of the model's calls.
    command.args([
        "exec",
        "--skip-git-repo-check",
        "--json",
        "--ephemeral",
        "--model",
        "scripted",
    ]);
    for setting in [
        "model_provider=\"sayso-canary\"",
        &provider,
        "mcp_servers={}",
        "analytics.enabled=false",
        "notify=[]",
    ] {
        command.args(["-c", setting]);
    }
    command.arg("a check by `sayso doctor`");
    command
}
