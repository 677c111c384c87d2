//! How it ends, and what it does when something is wrong: an end is the agent's own, and every failure is a denial.

use std::os::unix::process::ExitStatusExt as _;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{Editor, command, desk, is_denied};
use crate::mcp::{Gated, life::is_gone};

fn shell(desk: &crate::desk::Desk, text: &str) -> Gated {
    let mut program = desk.program();
    program.args(["acp", "--", "sh", "-c", text]);
    Gated::spawn(&mut program)
}

#[test]
fn it_ends_as_the_agent_ends() {
    let desk = desk();
    for code in [0, 1, 42] {
        assert_eq!(
            shell(&desk, &format!("exit {code}")).ended().code(),
            Some(code)
        );
    }
    assert_eq!(shell(&desk, "kill -TERM $$").ended().signal(), Some(15));
    let mut program = desk.program();
    program.args(["acp", "--", "/no/such/agent"]);
    let mut gated = Gated::spawn(&mut program);
    assert_eq!(gated.ended().code(), Some(127));
    assert!(gated.complaints().contains("could not be started"));
    let mut program = desk.program();
    let mut gated = Gated::spawn(program.arg("acp"));
    assert_eq!(gated.ended().code(), Some(2), "without an agent it is none");
}

#[test]
fn signals_and_the_error_stream_are_the_agents() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    editor.gated.send(
        &json!({"jsonrpc": "2.0", "method": "_stderr", "params": {"text": "\u{1b}[31mas it is\n"}}),
    );
    assert_eq!(
        editor.permitted(1, command("touch allowed-1")),
        super::yes()
    );
    kill_process(Pid::from_child(&editor.gated.child), Signal::TERM).unwrap();
    assert_eq!(editor.gated.ended().code(), Some(9));
    assert_eq!(editor.gated.complaints(), "\u{1b}[31mas it is\ncaught\n");
}

#[test]
fn a_killed_gateway_takes_the_agent_with_it() {
    let desk = desk();
    let mut gated = shell(
        &desk,
        "trap '' TERM HUP; echo $$; while :; do sleep 0.01; done",
    );
    let agent: i32 = gated.line().trim().parse().unwrap();
    kill_process(Pid::from_child(&gated.child), Signal::KILL).unwrap();
    is_gone(agent);
}

#[test]
fn an_agent_that_dies_in_a_request_is_told_in_the_record() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    editor.agent_asks(1, "terminal/create", json!({"command": "touch allowed-1"}));
    assert_eq!(editor.gated.next()["method"], "terminal/create");
    editor
        .gated
        .send(&json!({"jsonrpc": "2.0", "method": "_exit", "params": {"code": 3}}));
    assert_eq!(editor.gated.ended().code(), Some(3));
    let finished = desk.entries("finished");
    assert_eq!(
        (finished.len(), &finished[0]["succeeded"]),
        (1, &json!(false))
    );
}

#[test]
fn a_policy_that_cannot_be_read_denies_and_a_new_one_counts_at_once() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    assert_eq!(
        editor.permitted(1, command("touch allowed-1")),
        super::yes()
    );
    desk.scene.user_policy("version: 1\nrules: [");
    editor.agent_asks(2, "terminal/create", json!({"command": "touch allowed-1"}));
    is_denied(&editor.got(), "everything is denied");
    editor.wants(3, command("touch allowed-1"));
    is_denied(&editor.got(), "everything is denied");
    desk.scene
        .user_policy("version: 1\nrules:\n  - {deny: {command: 'touch *'}, reason: closed}\n");
    assert_eq!(editor.permitted(4, command("touch allowed-1")), super::no());
}

#[test]
fn without_a_record_nothing_happens() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    assert_eq!(
        editor.permitted(1, command("touch allowed-1")),
        super::yes()
    );
    let journal = desk.scene.state().join("journal");
    let target = if journal.exists() {
        journal
    } else {
        desk.scene.state()
    };
    std::fs::rename(&target, desk.scene.home.join("away")).unwrap();
    std::fs::write(&target, "a file").unwrap();
    editor.agent_asks(2, "terminal/create", json!({"command": "touch allowed-1"}));
    is_denied(&editor.got(), "");
    editor.wants(3, command("touch allowed-1"));
    let got = editor.got();
    assert_ne!(got["result"]["outcome"], super::yes(), "{got}");
}

#[test]
fn a_message_without_an_end_is_given_up() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let long = "x".repeat(17 << 20);
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "fs/write_text_file", "params": {"sessionId": "s1", "path": "/x", "content": long}});
    // Told by a file: it is too long for the words of an editor.
    let mut program = desk.program();
    std::fs::write(
        desk.scene.workspace.join("long.txt"),
        format!("{line}\nshort\n"),
    )
    .unwrap();
    program.args([
        "acp",
        "--",
        "sh",
        "-c",
        "cat long.txt; read answer; echo \"$answer\" >&2",
    ]);
    let mut gated = Gated::spawn(&mut program);
    assert_eq!(gated.line(), "short\n");
    assert_eq!(gated.ended().code(), Some(0));
    assert!(gated.complaints().contains("longer than 16 MiB"));
    assert_eq!(
        editor.permitted(1, command("touch allowed-1")),
        super::yes()
    );
}
