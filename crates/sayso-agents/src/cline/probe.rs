//! How Cline is started for the canary.

use std::path::Path;
use std::process::Command;

use sayso_core::text::node::{Node, Value};

use super::install::INSTALLER;
use crate::probe::agent_process::{Folders, command, put_text, run};
use crate::probe::plugin::broken_plugin;
use crate::probe::{Cage, ProbeError};
use crate::scripted_model::{Model, Step, Use};

/// Cline.
pub(crate) struct Cline;

impl Cage for Cline {
    fn own(
        &self,
        program: &Path,
        model: &Model,
        key: &str,
        folders: &Folders,
    ) -> Result<Command, ProbeError> {
        start(program, model, key, folders, None)
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
                &folders.home.join(".cline/plugins/sayso.js"),
                &broken_plugin(&INSTALLER, hook, folders)?,
            )?;
        }
        start(program, model, key, folders, Some(&folders.home))
    }

    fn step(&self, command: &str) -> Step {
        let commands: Node = Value::List(vec![Node::text(command)]).into();
        vec![Use {
            tool: "run_commands".to_owned(),
            input: Node::map([("commands", commands)]),
        }]
    }
}

/// Its models are kept with its other data, so it gets a folder of its own for that; its plugins are found by the home folder.
fn start(
    program: &Path,
    model: &Model,
    key: &str,
    folders: &Folders,
    home: Option<&Path>,
) -> Result<Command, ProbeError> {
    let data = folders.file("data");
    let prepared = || {
        let mut command = command(program, model, folders);
        command
            .envs(home.map(|home| ("HOME", home)))
            .env("CLINE_DATA_DIR", &data)
            .env("CLINE_PLUGIN_IMPORT_TIMEOUT_MS", "30000");
        command
    };
    let mut auth = prepared();
    auth.args([
        "auth",
        "-p",
        "openai-compatible",
        "-k",
        key,
        "-m",
        "scripted",
        "-b",
        &format!("{}/v1", model.url()),
    ]);
    run(&mut auth, folders)?;
    let mut command = prepared();
    command.args([
        "-P",
        "openai-compatible",
        "-m",
        "scripted",
        "--json",
        "a check by `sayso doctor`",
    ]);
    Ok(command)
}
