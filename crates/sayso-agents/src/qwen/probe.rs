//! How Qwen Code is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::node::{Node, Value};

use crate::probe::agent_process::{Folders, command, put};
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Qwen Code.
pub(crate) struct Qwen;

impl Cage for Qwen {
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
        put(&folders.home.join(".qwen/settings.json"), &settings)?;
        let mut command = start(program, model, key, folders);
        command.env("HOME", &folders.home);
        Ok(command)
    }

    fn step(&self, command: &str) -> Step {
        let fields = [
            ("command", Node::text(command)),
            ("description", Node::text("a call of `sayso doctor`")),
            ("is_background", Value::Bool(false).into()),
        ];
        vec![Use {
            tool: "run_shell_command".to_owned(),
            input: Node::map(fields),
        }]
    }
}

fn start(program: &Path, model: &Model, key: &str, folders: &Folders) -> Command {
    let mut command = command(program, model, folders);
    command
        .env("OPENAI_API_KEY", key)
        .env("OPENAI_BASE_URL", format!("{}/v1", model.url()))
        .env("OPENAI_MODEL", "scripted");
    command.args([
        "--auth-type",
        "openai",
        "--yolo",
        "-p",
        "a check by `sayso doctor`",
    ]);
    command
}
