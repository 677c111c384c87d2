//! `sayso watch` at a real terminal: prompts appear, are answered, go away when somebody else was first; and it finds the inbox again.

use std::time::Duration;

use serde_json::json;

use super::Served;
use crate::hook::is_denied;
use crate::program::run;
use crate::terminal::Terminal;

fn watch(served: &Served) -> Terminal {
    let program = served.desk.program();
    let set: Vec<(&str, &str)> = program
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
        .collect();
    let mut terminal = Terminal::start_with(
        served.desk.scene.workspace.as_ref(),
        &set,
        100,
        &["watch", "--plain"],
    );
    terminal.wait_for("watching; prompts appear here");
    terminal
}

/// What is typed in the first moment of a prompt does not count.
fn moment() {
    std::thread::sleep(Duration::from_millis(1000));
}

#[test]
fn a_prompt_is_answered_at_the_terminal() {
    let served = Served::with(crate::desk::Desk::with(&[("a.txt", "one\n")]), "");
    let mut terminal = watch(&served);
    while served.get("/v1/me").is(200)["watching"] != 1 {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Somebody watches, so the hook asks here.
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    terminal.wait_for("make all");
    terminal.wait_for("Your answer:");
    moment();
    terminal.keys("y\r");
    let said = hook.said();
    assert_eq!(said["permissionDecision"], "allow");
    let why = said["permissionDecisionReason"].as_str().unwrap();
    assert!(
        why.starts_with("sayso: allowed by you, in the terminal (`sayso watch`)"),
        "finding W-04: {why}"
    );
    assert_eq!(served.desk.entries("decided")[0]["by"], "watch");
    // The next one, with a note.
    let hook = served.hook("claude", "Bash", json!({"command": "make other"}));
    terminal.wait_for("make other");
    moment();
    terminal.keys("n use cargo\r");
    is_denied(&hook.said(), "use cargo");
    terminal.keys("\u{3}");
    assert_eq!(terminal.end().1, 0);
}

#[test]
fn who_is_second_sees_who_was_first_and_who_leaves_answers_nothing() {
    let served = Served::new();
    let (mut one, mut two) = (watch(&served), watch(&served));
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    one.wait_for("Your answer:");
    two.wait_for("Your answer:");
    moment();
    one.keys("y\r");
    assert_eq!(hook.said()["permissionDecision"], "allow");
    two.wait_for("it was answered elsewhere by you, in the terminal (`sayso watch`)");
    let hook = served.hook("claude", "Bash", json!({"command": "make second"}));
    one.wait_for("make second");
    moment();
    one.keys("\u{3}");
    assert_eq!(one.end().1, 0);
    assert_eq!(served.prompts().len(), 1, "it is open for others");
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&hook.said(), "");
    two.wait_for("it was answered elsewhere by a program with the token for answering: deny");
}

#[test]
fn it_finds_the_inbox_again() {
    let served = Served::new();
    let mut terminal = watch(&served);
    // Whether it notices that the inbox was away depends on how fast that is back.
    let served = served.again();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    terminal.wait_for("Your answer:");
    moment();
    terminal.keys("y\r");
    assert_eq!(hook.said()["permissionDecision"], "allow");
}

#[test]
fn without_an_inbox_or_a_terminal_it_says_what_to_do() {
    let served = Served::new();
    let done = run(served.desk.program().arg("watch"), b"");
    assert!(
        done.code == 2 && done.err.contains("no terminal") && done.err.contains("--json"),
        "{done:?}"
    );
    let none = crate::desk::Desk::with(&[]);
    let done = run(none.program().args(["watch", "--json"]), b"");
    assert!(
        done.code == 2 && done.err.contains("sayso serve"),
        "{done:?}"
    );
}
