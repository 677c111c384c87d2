//! How Copilot CLI is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::node::{Node, Value};

use crate::probe::agent_process::{Folders, command, put};
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Copilot CLI.
pub(crate) struct Copilot;

impl Cage for Copilot {
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
            let field = |key: &str| hook.get(key).cloned().unwrap_or_else(|| Value::Null.into());
            let handler = Node::map([
                ("type", Node::text("command")),
                ("bash", field("command")),
                ("timeoutSec", field("seconds")),
            ]);
            let hooks = Node::map([("preToolUse", Value::List(vec![handler]).into())]);
            let settings = Node::map([
                ("version", Value::Number("1".to_owned()).into()),
                ("hooks", hooks),
            ]);
            put(&folders.home.join(".copilot/hooks/broken.json"), &settings)?;
        }
        let mut command = start(program, model, key, folders);
        command.env("HOME", &folders.home);
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
    command
        .env("COPILOT_OFFLINE", "true")
        .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url()));
    command
        .env("COPILOT_PROVIDER_API_KEY", key)
        .env("COPILOT_MODEL", "scripted");
    command.args(["-p", "a check by `sayso doctor`", "--allow-all-tools"]);
    command
}
