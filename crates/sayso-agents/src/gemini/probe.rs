//! How Gemini CLI is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::node::{Node, Value};

use crate::probe::agent_process::{Folders, command, put};
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Gemini CLI.
pub(crate) struct Gemini;

impl Cage for Gemini {
    /// Which way to a model counts, its settings say: one that goes by an account cannot be led here, and then nothing is proved.
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
        let auth = Node::map([(
            "auth",
            Node::map([("selectedType", Node::text("gemini-api-key"))]),
        )]);
        let settings = Node::map([
            ("hooks", Node::map([("BeforeTool", groups)])),
            ("security", auth),
        ]);
        put(&folders.home.join(".gemini/settings.json"), &settings)?;
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
            tool: "run_shell_command".to_owned(),
            input,
        }]
    }
}

fn start(program: &Path, model: &Model, key: &str, folders: &Folders) -> Command {
    let mut command = command(program, model, folders);
    command
        .env("GEMINI_API_KEY", key)
        .env("GOOGLE_GEMINI_BASE_URL", model.url())
        .env("GEMINI_TELEMETRY_ENABLED", "false");
    // It starts no hook in a folder that it does not know.
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    command.args([
        "-m",
        "gemini-2.5-flash",
        "--approval-mode",
        "yolo",
        "-p",
        "a check by `sayso doctor`",
    ]);
    command
}
