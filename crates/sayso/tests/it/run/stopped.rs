//! A person who presses Ctrl-C: the command that runs is ended, and nothing more is started.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::desk::{Desk, column};
use crate::program::in_foreground;

fn stop(signal: Signal) {
    let desk = Desk::with(&[]);
    let calls = json!([
        {"type": "file_create", "id": "first", "file": "first.py", "content": "x\n"},
        {"type": "terminal", "id": "long", "command": "mkdir begun; sleep 600"},
        {"type": "file_create", "id": "second", "file": "second.py", "content": "x\n"},
        {"type": "terminal", "id": "third", "command": "mkdir third"},
    ]);
    let file = desk.batch("calls.json", calls.to_string());
    let mut program = in_foreground(&desk.program());
    program
        .args(["run", "--yolo", "--json"])
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = program.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(300);
    while !desk.scene.workspace.join("begun").exists() {
        assert!(Instant::now() < end, "the command never began");
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), signal).unwrap();
    let done = child.wait_with_output().unwrap();
    let code = done
        .status
        .code()
        .unwrap_or_else(|| panic!("it ended by {}", done.status));
    assert_ne!(code, 0);
    let results: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(
        column(&results["results"], "tool_id"),
        ["first", "long", "second", "third"],
        "one for every call: {results}"
    );
    assert_eq!(results["executed"], json!(["first", "long"]), "{results}");
    assert!(
        results["results"][1]["error"]
            .as_str()
            .unwrap()
            .contains("stopped on request"),
        "{results}"
    );
    assert!(
        results["results"][2]["error"]
            .as_str()
            .unwrap()
            .contains("the person stopped"),
        "{results}"
    );
    assert_eq!(
        (desk.text("first.py").is_some(), desk.text("second.py")),
        (true, None)
    );
    assert!(!desk.scene.workspace.join("third").exists());
    let started = desk
        .entries("finished")
        .iter()
        .filter(|entry| entry["started"] == json!(true))
        .count();
    assert_eq!(
        started,
        2,
        "the record says what was started: {:?}",
        desk.entries("finished")
    );
}

#[test]
fn ctrl_c_ends_the_command_and_the_batch() {
    stop(Signal::INT);
}

#[test]
fn being_asked_to_end_does_the_same() {
    stop(Signal::TERM);
}
