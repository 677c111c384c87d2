//! `sayso run --hold` and `sayso exec` through the real program.

mod contained;
mod held;
mod refused;
mod running;
mod swapped;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::program::in_foreground;

/// A call of a command.
pub fn call(command: &str) -> Value {
    json!({"type": "terminal", "id": "it", "command": command})
}

/// Holds the one command of a batch.
#[track_caller]
pub fn hold_call(desk: &Desk, flags: &[&str], call: Value) -> String {
    let (result, code) = desk.result(&[&["--hold"], flags].concat(), call);
    assert_eq!(code, 0, "{result}");
    result["held"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

/// Holds a command that nobody has to be asked about.
#[track_caller]
pub fn hold(desk: &Desk, command: &str) -> String {
    hold_call(desk, &["--approve-all"], call(command))
}

/// Holds a command that a person is asked about.
#[track_caller]
pub fn hold_asked(desk: &Desk, command: &str) -> String {
    hold_call(desk, &["--answers", "y,y"], call(command))
}

/// `sayso exec`, ready to be started.
pub fn exec_of(desk: &Desk, id: impl AsRef<OsStr>) -> Command {
    let mut program = in_foreground(&desk.program());
    program
        .arg("exec")
        .arg(id)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    program
}

pub fn exec(desk: &Desk, id: impl AsRef<OsStr>) -> Output {
    exec_of(desk, id).output().unwrap()
}

/// What a program complained about.
pub fn words(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Insists that nothing ran, that nothing was printed, and that it was said why.
#[track_caller]
pub fn refused(done: &Output, why: &str) {
    let said = words(done);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(20), &b""[..]),
        "{said}"
    );
    assert!(
        said.starts_with("sayso: ") && said.contains(why) && said.lines().count() == 1,
        "{said}"
    );
}
