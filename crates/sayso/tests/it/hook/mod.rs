//! `sayso hook claude` and `sayso hook codex` through the real program, with what those agents send.

mod after;
mod ancestors;
mod asking;
mod edits;
mod every_agent;
mod exec;
mod hostile;
mod limits;
mod lineage;
mod sights;
mod trouble;
mod wire;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{Desk, read};
use crate::program::{Outcome, run};

/// The session of every call here.
pub const SESSION: &str = "5e551011-0000-4000-8000-000000000001";

/// What both agents say of a call.
pub fn event(desk: &Desk, event: &str, tool: &str, input: Value) -> Value {
    json!({
        "session_id": SESSION,
        "transcript_path": transcript(desk, SESSION),
        "cwd": desk.scene.folder(),
        "permission_mode": "default",
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "toolu_01",
    })
}

/// The record that Codex keeps of a session: where it began.
pub fn transcript(desk: &Desk, session: &str) -> PathBuf {
    let path = desk.scene.home.join("rollout.jsonl");
    let meta =
        json!({"type": "session_meta", "payload": {"id": session, "cwd": desk.scene.folder()}});
    // Never while somebody may be reading it.
    if !path.exists() {
        fs::write(&path, format!("{meta}\n{{}}\n")).unwrap();
    }
    path
}

/// The hook as an agent starts it.
pub fn program(desk: &Desk, agent: &str) -> Command {
    let mut program = desk.program();
    program
        .env("CLAUDE_PROJECT_DIR", desk.scene.folder())
        .args(["hook", agent]);
    program
}

/// A call that is about to run.
pub fn before(desk: &Desk, tool: &str, input: Value) -> Value {
    event(desk, "PreToolUse", tool, input)
}

/// Starts the hook with these bytes on its input.
pub fn raw(desk: &Desk, agent: &str, bytes: &[u8]) -> Outcome {
    run(&mut program(desk, agent), bytes)
}

/// Starts the hook with a payload, and insists that it was answered.
#[track_caller]
pub fn answered(desk: &Desk, agent: &str, payload: &Value) -> Value {
    let done = raw(desk, agent, payload.to_string().as_bytes()).is(0, "answered");
    assert_eq!(done.err, "");
    if done.out.is_empty() {
        Value::Null
    } else {
        read(&done)["hookSpecificOutput"].clone()
    }
}

/// The decision on a call that is about to run, with its reason.
#[track_caller]
pub fn decided(desk: &Desk, agent: &str, tool: &str, input: Value) -> (String, String) {
    let said = answered(desk, agent, &before(desk, tool, input));
    let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

/// The decision on a command by Claude Code.
#[track_caller]
pub fn command(desk: &Desk, command: &str) -> String {
    decided(desk, "claude", "Bash", json!({"command": command})).0
}

/// Insists on a denial in the form of the agent, with words in it.
#[track_caller]
pub fn is_denied(said: &Value, words: &str) {
    assert_eq!(said["permissionDecision"], "deny", "{said}");
    let why = said["permissionDecisionReason"].as_str().unwrap();
    assert!(why.starts_with("sayso: ") && why.contains(words), "{why}");
}

/// Insists on the denial that every agent understands.
#[track_caller]
pub fn is_refused(done: &Outcome, words: &str) {
    assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
    assert!(
        done.err.starts_with("sayso: ") && done.err.contains(words),
        "{done:?}"
    );
}
