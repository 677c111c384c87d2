//! What the exit status says. Scripts rely on these numbers.

use std::process::ExitCode;

use sayso_core::policy::decision::Decision;

/// The exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, or allowed.
    Allowed,
    /// A check, such as `policy test`, found something wrong.
    Failed,
    /// Usage, or input that cannot be read.
    Usage,
    /// It would be asked.
    Asked,
    /// It would be denied.
    Denied,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Allowed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Asked => 10,
            Exit::Denied => 20,
        })
    }
}

impl From<Decision> for Exit {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Exit::Allowed,
            Decision::Ask => Exit::Asked,
            Decision::Deny => Exit::Denied,
        }
    }
}
