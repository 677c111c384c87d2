//! The inbox killed at any moment: nothing is lost, nothing is answered twice, nothing is allowed without its entry.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Served, open};
use crate::desk::Desk;
use crate::hook::before;

/// What one run saw.
#[derive(Default)]
struct Seen {
    /// What each call was told, by its id.
    told: HashMap<String, String>,
    answered: HashMap<String, usize>,
}

/// Calls of hooks and of programs go on while the inbox is killed and started again, and somebody says yes to everything.
fn run(calls: usize, pause: u64) {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy("version: 1\nhooks: {ask: inbox}\n");
    let served = Arc::new(Mutex::new(Some(Served::start(desk))));
    let (seen, done, kills) = (
        Arc::new(Mutex::new(Seen::default())),
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let (desk_path, place) = {
        let served = served.lock().unwrap();
        let served = served.as_ref().unwrap();
        (
            served.desk.scene.state(),
            served.desk.scene.folder().to_owned(),
        )
    };
    thread::scope(|scope| {
        // Somebody who says yes.
        let (answers, answer_seen, answer_done) =
            (Arc::clone(&served), Arc::clone(&seen), Arc::clone(&done));
        scope.spawn(move || {
            while !answer_done.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(2));
                let lock = answers.lock().unwrap();
                let Some(served) = lock.as_ref() else {
                    continue;
                };
                for prompt in served.prompts() {
                    if served.yes(&prompt).status == 200 {
                        *answer_seen
                            .lock()
                            .unwrap()
                            .answered
                            .entry(prompt["id"].as_str().unwrap().to_owned())
                            .or_default() += 1;
                    }
                }
            }
        });
        // Somebody who kills it.
        let (killed, kill_done, kill_count) =
            (Arc::clone(&served), Arc::clone(&done), Arc::clone(&kills));
        scope.spawn(move || {
            let mut wait = pause;
            while !kill_done.load(Ordering::SeqCst) {
                wait = (wait * 7 + 13) % (2 * pause) + 5;
                thread::sleep(Duration::from_millis(wait));
                let mut lock = killed.lock().unwrap();
                let before = lock.take().unwrap();
                *lock = Some(before.again());
                kill_count.fetch_add(1, Ordering::SeqCst);
            }
        });
        // Hooks, two at a time.
        let next = Arc::new(AtomicUsize::new(0));
        let hooks: Vec<_> = (0..2)
            .map(|_| {
                let (next, seen, place, state) = (
                    Arc::clone(&next),
                    Arc::clone(&seen),
                    place.clone(),
                    desk_path.clone(),
                );
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::SeqCst);
                        if number >= calls {
                            return;
                        }
                        let (id, answer) = call(&place, &state, number);
                        seen.lock().unwrap().told.insert(id, answer);
                    }
                })
            })
            .collect();
        hooks.into_iter().for_each(|hook| hook.join().unwrap());
        done.store(true, Ordering::SeqCst);
    });
    let served = served.lock().unwrap().take().unwrap();
    let seen = seen.lock().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut decided: HashMap<String, Vec<String>> = HashMap::new();
    for entry in served.desk.entries("decided") {
        decided
            .entry(text(&entry["call"]))
            .or_default()
            .push(text(&entry["outcome"]));
    }
    let (mut allowed, mut denied) = (0, 0);
    for (id, answer) in &seen.told {
        let outcomes = decided.get(id).cloned().unwrap_or_default();
        assert_eq!(outcomes.len(), 1, "{id}: exactly one end, {outcomes:?}");
        match answer.as_str() {
            "allow" => {
                allowed += 1;
                assert!(
                    outcomes[0] == "approved" || outcomes[0] == "auto_approved",
                    "{id} ran without its entry: {outcomes:?}"
                );
            }
            _ => {
                denied += 1;
                assert!(
                    outcomes[0] != "approved" && outcomes[0] != "auto_approved",
                    "{id} was denied, and the record says {outcomes:?}"
                );
            }
        }
    }
    assert!(
        seen.answered.values().all(|count| *count == 1),
        "answered twice"
    );
    assert_eq!(
        (seen.told.len(), decided.len()),
        (calls, calls),
        "none is lost"
    );
    println!(
        "{calls} decisions, the inbox killed {} times: {allowed} allowed, {denied} denied; each with one end in a sound record",
        kills.load(Ordering::SeqCst)
    );
    assert!(kills.load(Ordering::SeqCst) > 0 && allowed > 0);
}

/// One call of a hook: its id, and what the agent was told.
fn call(place: &str, state: &std::path::Path, number: usize) -> (String, String) {
    let id = format!("toolu_{number}");
    let home = state.ancestors().nth(3).unwrap();
    let command = if number.is_multiple_of(4) {
        "cat a.txt".to_owned()
    } else {
        format!("make target{number}")
    };
    let payload = json!({
        "session_id": "killed", "transcript_path": "/x", "cwd": place, "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
    });
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_sayso"));
    program
        .env_clear()
        .env("HOME", home)
        .env("PATH", crate::scene::PATH)
        .env("XDG_CONFIG_HOME", home.join(".config"));
    program
        .env("XDG_STATE_HOME", home.join(".local/state"))
        .env("CLAUDE_PROJECT_DIR", place)
        .args(["hook", "claude", "--wait", "90"]);
    let done = crate::program::run(&mut program, payload.to_string().as_bytes());
    let said: Value =
        serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    (
        id,
        said["hookSpecificOutput"]["permissionDecision"]
            .as_str()
            .unwrap()
            .to_owned(),
    )
}

#[test]
fn nothing_is_lost_or_doubled() {
    run(60, 150);
}

#[test]
#[ignore = "takes minutes; `./test --long` runs it"]
fn killed_during_2000_decisions() {
    run(2000, 150);
}

#[test]
fn what_was_decided_before_a_kill_stands() {
    let mut served = Served::new();
    served.submit("cat a.txt").is(200);
    served.submit("make all").is(202);
    served.kill();
    let outcomes: Vec<Value> = served
        .desk
        .entries("decided")
        .iter()
        .map(|entry| entry["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["auto_approved"], "what was open was not allowed");
    let (mut child, _) = open(&served.desk);
    child.kill().unwrap();
    child.wait().unwrap();
    let payload = before(&served.desk, "Bash", json!({"command": "cat a.txt"}));
    assert_eq!(
        crate::hook::answered(&served.desk, "claude", &payload)["permissionDecision"],
        "allow"
    );
}
