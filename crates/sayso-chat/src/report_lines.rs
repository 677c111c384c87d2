//! What sayso itself prints, for commands that only look: so there is one way to show the record, and not two.

use std::process::{Command, Stdio};

use sayso_tools::terminal::scrubbed;
use sayso_world::locations::Whereabouts;

/// Why a command of sayso's printed nothing.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("sayso could not be started: {0}")]
    NotStarted(#[from] std::io::Error),
    /// What it wrote to standard error.
    #[error("{0}")]
    Stderr(String),
}

/// What a command of sayso's prints. It gets no key: its environment is that of any other command.
///
/// # Errors
/// What it says went wrong.
pub fn output(whereabouts: &Whereabouts, args: &[&str]) -> Result<String, ReportError> {
    let mut command = Command::new(&whereabouts.binary);
    command
        .args(args)
        .current_dir("/")
        .env_clear()
        .envs(scrubbed(std::env::vars_os()));
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(ReportError::Stderr(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
    }
}
