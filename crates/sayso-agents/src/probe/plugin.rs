//! A plugin of an agent that leads to a broken program.

use std::os::unix::fs::PermissionsExt as _;

use sayso_core::text::json;
use sayso_core::text::node::Node;

use super::agent_process::{Folders, put_text};
use super::error::ProbeError;
use crate::install::Installer;
use crate::install::form::Form;

/// A plugin that starts a broken program in place of sayso, and waits as long as the copy says.
pub fn broken_plugin(
    installer: &dyn Installer,
    hook: &Node,
    folders: &Folders,
) -> Result<String, ProbeError> {
    let field = |key: &str| hook.get(key).and_then(Node::as_text).unwrap_or_default();
    let script = folders.file("sayso");
    put_text(&script, &format!("#!/bin/sh\n{}\n", field("command")))?;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&script, mode).map_err(ProbeError::ProgramNotMade)?;
    let Some(Form::Whole { text, .. }) = installer.form() else {
        return Err(ProbeError::NoPlugin);
    };
    let seconds = hook.get("seconds").map(json::write).unwrap_or_default();
    Ok(text("", script.to_str().ok_or(ProbeError::FolderNotUtf8)?)
        .replace("const WAIT = 600;", &format!("const WAIT = {seconds};")))
}
