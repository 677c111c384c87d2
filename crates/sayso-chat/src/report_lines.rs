//! What sayso itself prints, for commands that only look: so there is one way to show the record, and not two.

use std::process::{Command, Stdio};

use sayso_tools::terminal::scrubbed;
use sayso_world::locations::Whereabouts;

/// What a command of sayso's prints. It gets no key: its environment is that of any other command.
///
/// # Errors
/// What it says went wrong.
pub fn output(whereabouts: &Whereabouts, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new(&whereabouts.binary);
    command
        .args(args)
        .current_dir("/")
        .env_clear()
        .envs(scrubbed(std::env::vars_os()));
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("sayso could not be started: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
