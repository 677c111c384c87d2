//! What came to be between two commands of a session is kept from the second one, and from what the first has left running.

use std::fs;

use super::room::{Room, wait_until};
use crate::sandbox::works;

#[test]
fn a_secret_made_between_two_commands_is_hidden_in_the_second_and_from_what_is_left_running() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    fs::create_dir(room.workspace.join("sub")).unwrap();
    // It waits in a folder that is mounted over itself when a secret comes to be in it.
    let left = "cd sub; (until [ -e ../go ]; do sleep 0.02; done; cat .env ../.env ../new.pem > ../read 2>&1; \
                echo x >> ../.mcp.json; touch ../over) > /dev/null 2>&1 & echo started";
    let started = room.run("s", left);
    assert!(!started.left_running.is_empty());
    let holder = room.holder("s");
    for path in [".env", "sub/.env", "new.pem"] {
        fs::write(room.workspace.join(path), "hush\n").unwrap();
    }
    let second = room.run(
        "s",
        "cat .env sub/.env new.pem; echo x > .claude/x; echo x > sub/../.mcp.json",
    );
    assert!(!second.output.contains("hush"), "{}", second.output);
    assert_eq!(
        second.output.matches("denied").count(),
        3 + 1,
        "{}",
        second.output
    );
    assert!(
        second.output.contains(".mcp.json: Is a directory"),
        "{}",
        second.output
    );
    assert_eq!(room.holder("s"), holder, "it is the same sandbox");
    fs::write(room.workspace.join("go"), "").unwrap();
    wait_until("what was left reads", || {
        room.workspace.join("over").exists()
    });
    let read = fs::read_to_string(room.workspace.join("read")).unwrap();
    assert!(!read.contains("hush"), "{read}");
    assert_eq!(read.matches("denied").count(), 3, "{read}");
}

#[test]
fn a_protected_file_made_between_two_commands_is_read_only_in_the_second() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    assert_eq!(room.says("s", "echo one > plain; cat plain"), "one\n");
    fs::create_dir_all(room.workspace.join("deep/.vscode")).unwrap();
    fs::write(room.workspace.join("deep/.vscode/tasks.json"), "{}").unwrap();
    let outcome = room.run(
        "s",
        "echo x > deep/.vscode/tasks.json; mv deep elsewhere; cat deep/.vscode/tasks.json",
    );
    assert!(outcome.output.contains("{}"), "{}", outcome.output);
    assert!(room.workspace.join("deep/.vscode").is_dir());
    assert!(room.holder("s").is_some());
}

#[test]
fn places_that_keep_names_absent_go_when_nothing_could_use_the_gap() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    room.run(
        "s",
        "exec -a leftover sleep 300 > /dev/null 2>&1 & echo x > file",
    );
    assert!(
        room.workspace.join(".claude").is_dir(),
        "something could make it"
    );
    let outcome = room.run("s", "pkill -f [l]eftover; echo x > .claude/settings.json");
    assert!(outcome.output.contains("denied"), "{}", outcome.output);
    wait_until("the places go", || room.names() == ["file"]);
    let outcome = room.run("s", "mkdir -p .claude && echo x > .claude/settings.json");
    assert!(outcome.output.contains("denied"), "{}", outcome.output);
    wait_until("the places go again", || room.names() == ["file"]);
}

#[test]
fn a_stricter_policy_ends_the_session_s_sandbox_and_keeps_its_files() {
    if !works("the sandbox of a session") {
        return;
    }
    let mut room = Room::new();
    fs::write(room.workspace.join("open.txt"), "seen\n").unwrap();
    room.run(
        "s",
        "exec -a of-before sleep 300 > /dev/null 2>&1 & echo x > /tmp/file",
    );
    let before = room.holder("s").unwrap();
    let mut given = room.given("s");
    let workspace = room.workspace.to_str().unwrap().to_owned();
    given.terms.write = Vec::new();
    given.terms.read_only = vec![workspace];
    // Only this command may do less: what was left running stays.
    let outcome = room.run_with(
        &given,
        "cat open.txt /tmp/file; echo x > new.txt; ps axo args",
    );
    assert!(
        outcome.output.starts_with("seen\nx\n"),
        "{}",
        outcome.output
    );
    assert!(!outcome.output.contains("of-before"), "{}", outcome.output);
    assert!(!room.workspace.join("new.txt").exists());
    assert_eq!(room.holder("s"), Some(before));
    // Every command may do less.
    room.stricter = true;
    let outcome = room.run_with(
        &given,
        "cat open.txt /tmp/file; echo x > new.txt; ps axo args",
    );
    assert!(
        outcome.output.starts_with("seen\nx\n"),
        "{}",
        outcome.output
    );
    assert!(!room.workspace.join("new.txt").exists());
    let after = room.holder("s").unwrap();
    assert_ne!(after, before);
    assert_eq!(room.running("of-before"), 0);
}
