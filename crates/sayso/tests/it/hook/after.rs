//! What comes behind a call: outcomes beside their decisions, and the life of a session.

use serde_json::json;

use super::{SESSION, answered, command, event, raw};
use crate::desk::Desk;

#[test]
fn the_outcome_is_written_beside_the_decision() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    assert_eq!(command(&desk, "cat a.txt"), "allow");
    let mut payload = event(&desk, "PostToolUse", "Bash", json!({"command": "cat a.txt"}));
    payload["tool_response"] = json!({"stdout": "one\n"});
    payload["duration_ms"] = json!(42);
    assert!(answered(&desk, "claude", &payload).is_null());
    payload["hook_event_name"] = json!("PostToolUseFailure");
    assert!(answered(&desk, "claude", &payload).is_null());
    let finished = desk.entries("finished");
    let told: Vec<_> =
        finished.iter().map(|entry| (entry["call"].clone(), entry["succeeded"].clone(), entry["milliseconds"].clone())).collect();
    assert_eq!(told, [(json!("toolu_01"), json!(true), json!(42)), (json!("toolu_01"), json!(false), json!(42))]);
    assert!(finished.iter().all(|entry| entry["session"] == SESSION));
}

#[test]
fn a_yes_in_the_agents_dialog_shows_when_the_call_has_run() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("version: 1\nhooks: {exec: never}\n");
    assert_eq!(command(&desk, "make all"), "ask");
    let kinds: Vec<_> = desk.record().iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["asked"]);
    answered(&desk, "claude", &event(&desk, "PostToolUse", "Bash", json!({"command": "make all"})));
    let decided = desk.entries("decided");
    assert_eq!((&decided[0]["outcome"], &decided[0]["by"], decided.len()), (&json!("approved"), &json!("the dialog of claude"), 1));
    // Only once.
    answered(&desk, "claude", &event(&desk, "PostToolUse", "Bash", json!({"command": "make all"})));
    assert_eq!((desk.entries("decided").len(), desk.entries("finished").len()), (1, 2));
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
    assert_eq!((desk.entries("session_started").len(), desk.entries("session_ended").len()), (2, 2));
}

#[test]
fn what_no_longer_can_be_denied_is_complained_about() {
    let desk = Desk::with(&[]);
    let payload = json!({"hook_event_name": "PostToolUse", "session_id": SESSION, "cwd": desk.scene.folder(), "tool_name": 1});
    let done = raw(&desk, "claude", payload.to_string().as_bytes());
    assert_eq!((done.code, done.out.as_str(), done.err.is_empty()), (1, "", false));
}
