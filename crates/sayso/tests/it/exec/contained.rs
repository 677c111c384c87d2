//! A held command runs in the sandbox that it was approved for, also in another process.

use super::{call, exec, hold_asked, hold_call, refused, words};
use crate::desk::Desk;

const SCRIPT: &str = "echo in > made\necho out > \"$HOME/outside\"\nexit 5\n";

fn desk(policy: &str) -> Desk {
    let desk = Desk::with(&[("build.sh", SCRIPT)]);
    desk.scene.user_policy(policy);
    desk
}

#[track_caller]
fn ran_bounded(desk: &Desk, id: String) {
    let done = exec(desk, id);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(5), &b""[..]),
        "{}",
        words(&done)
    );
    assert_eq!(desk.text("made").as_deref(), Some("in\n"));
    assert!(
        !desk.scene.home.join("outside").exists(),
        "the sandbox holds: {}",
        words(&done)
    );
}

#[test]
fn what_ran_unasked_because_of_a_sandbox_runs_in_it() {
    let desk = desk("sandbox: {auto_allow: run-in-workspace}\n");
    ran_bounded(&desk, hold_call(&desk, &["--strict"], call("sh build.sh")));
}

#[test]
fn a_sandbox_that_is_not_enough_any_more_is_a_question() {
    let desk = desk("sandbox: {auto_allow: run-in-workspace}\n");
    let id = hold_asked(&desk, "sh build.sh");
    assert_eq!(desk.entries("asked").len(), 0);
    desk.scene.user_policy("rules: []\n");
    refused(&exec(&desk, id), "it has to be asked about by now");
    assert_eq!(desk.text("made"), None);
}

#[test]
fn what_was_approved_for_a_sandbox_runs_in_none_else() {
    let desk = desk("sandbox: {require: true}\n");
    let id = hold_asked(&desk, "sh build.sh");
    desk.scene.user_policy("rules: []\n");
    ran_bounded(&desk, id);
}
