//! What comes behind a call: outcomes beside their decisions, and the life of a session.

use serde_json::json;

use super::{SESSION, answered, command, event, raw};
use crate::desk::Desk;

#[test]
fn the_outcome_is_written_beside_the_decision() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    assert_eq!(command(&desk, "cat a.txt"), "allow");
    let mut payload = event(
        &desk,
        "PostToolUse",
        "Bash",
        json!({"command": "cat a.txt"}),
    );
    payload["tool_response"] = json!({"stdout": "one\n"});
    payload["duration_ms"] = json!(42);
    assert!(answered(&desk, "claude", &payload).is_null());
    payload["hook_event_name"] = json!("PostToolUseFailure");
    assert!(answered(&desk, "claude", &payload).is_null());
    let finished = desk.entries("finished");
    let told: Vec<_> = finished
        .iter()
        .map(|entry| {
            (
                entry["call"].clone(),
                entry["succeeded"].clone(),
                entry["milliseconds"].clone(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (json!("toolu_01"), json!(true), json!(42)),
            (json!("toolu_01"), json!(false), json!(42))
        ]
    );
    assert!(finished.iter().all(|entry| entry["session"] == SESSION));
}

#[test]
fn a_yes_in_the_agents_dialog_shows_when_the_call_has_run() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("version: 1\nhooks: {exec: never}\n");
    assert_eq!(command(&desk, "make all"), "ask");
    let kinds: Vec<_> = desk
        .record()
        .iter()
        .map(|entry| entry["kind"].clone())
        .collect();
    assert_eq!(kinds, ["asked"]);
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Bash", json!({"command": "make all"})),
    );
    let decided = desk.entries("decided");
    assert_eq!(
        (&decided[0]["outcome"], &decided[0]["by"], decided.len()),
        (&json!("approved"), &json!("the dialog of Claude Code"), 1)
    );
    // Only once.
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Bash", json!({"command": "make all"})),
    );
    assert_eq!(
        (
            desk.entries("decided").len(),
            desk.entries("finished").len()
        ),
        (1, 2)
    );
}

#[test]
fn a_session_begins_and_ends() {
    let desk = Desk::with(&[]);
    for agent in ["claude", "codex"] {
        for (name, key) in [("SessionStart", "source"), ("SessionEnd", "reason")] {
            let payload = json!({"hook_event_name": name, "session_id": SESSION, "cwd": desk.scene.folder(), key: "other"});
            assert!(answered(&desk, agent, &payload).is_null());
        }
    }
    assert_eq!(
        (
            desk.entries("session_started").len(),
            desk.entries("session_ended").len()
        ),
        (2, 2)
    );
}

#[test]
fn what_no_longer_can_be_denied_is_complained_about() {
    let desk = Desk::with(&[]);
    let payload = json!({"hook_event_name": "PostToolUse", "session_id": SESSION, "cwd": desk.scene.folder(), "tool_name": 1});
    let done = raw(&desk, "claude", payload.to_string().as_bytes());
    assert_eq!(
        (done.code, done.out.as_str(), done.err.is_empty()),
        (1, "", false)
    );
}

#[test]
fn a_question_that_nobody_said_yes_to_has_an_end_and_cannot_run_any_more() {
    for (end, text) in [
        ("Stop", "sh x.sh"),
        ("UserPromptSubmit", "sh x.sh"),
        ("SessionEnd", "sh x.sh"),
    ] {
        let desk = Desk::with(&[("x.sh", "echo ran\n"), ("a.rs", "one\n")]);
        let said = answered(
            &desk,
            "claude",
            &super::before(&desk, "Bash", json!({"command": text})),
        );
        let mut edit = super::before(
            &desk,
            "Edit",
            json!({"file_path": desk.scene.workspace.join("a.rs"), "old_string": "one", "new_string": "two"}),
        );
        edit["tool_use_id"] = json!("toolu_02");
        assert_eq!(
            answered(&desk, "claude", &edit)["permissionDecision"],
            "ask"
        );
        // That of another session stays open.
        edit["session_id"] = json!("another");
        assert_eq!(
            answered(&desk, "claude", &edit)["permissionDecision"],
            "ask"
        );
        let ends =
            json!({"hook_event_name": end, "session_id": SESSION, "cwd": desk.scene.folder()});
        for _ in 0..2 {
            assert!(answered(&desk, "claude", &ends).is_null());
        }
        let decided = desk.entries("decided");
        let mut told: Vec<_> = decided
            .iter()
            .map(|entry| {
                (
                    entry["call"].as_str().unwrap(),
                    entry["outcome"].as_str().unwrap(),
                )
            })
            .collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [("toolu_01", "cancelled"), ("toolu_02", "cancelled")],
            "{end}"
        );
        let done = super::exec::shell(&desk, &said["updatedInput"]["command"]);
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(20), &b""[..]),
            "{end}"
        );
    }
}

#[test]
fn a_question_that_was_answered_with_yes_is_not_ended_again() {
    let desk = Desk::with(&[("x.sh", "echo ran\n")]);
    let said = answered(
        &desk,
        "claude",
        &super::before(&desk, "Bash", json!({"command": "sh x.sh"})),
    );
    assert!(
        super::exec::shell(&desk, &said["updatedInput"]["command"])
            .status
            .success()
    );
    // It came to an end before the agent said so.
    let ends =
        json!({"hook_event_name": "Stop", "session_id": SESSION, "cwd": desk.scene.folder()});
    assert!(answered(&desk, "claude", &ends).is_null());
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Bash", said["updatedInput"].clone()),
    );
    let outcomes: Vec<_> = desk
        .entries("decided")
        .iter()
        .map(|entry| entry["outcome"].clone())
        .collect();
    assert_eq!(
        (outcomes, desk.entries("finished").len()),
        (vec![json!("approved")], 1)
    );
}

#[test]
fn a_question_of_a_sub_agent_stays_open_while_the_agent_waits() {
    let desk = Desk::with(&[("x.sh", "echo ran\n")]);
    let mut payload = super::before(&desk, "Bash", json!({"command": "sh x.sh"}));
    payload["agent_id"] = json!("a1");
    let said = answered(&desk, "claude", &payload);
    let ends =
        json!({"hook_event_name": "Stop", "session_id": SESSION, "cwd": desk.scene.folder()});
    assert!(answered(&desk, "claude", &ends).is_null());
    assert!(
        super::exec::shell(&desk, &said["updatedInput"]["command"])
            .status
            .success()
    );
}
