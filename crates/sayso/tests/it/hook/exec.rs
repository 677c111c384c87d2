//! Commands that are handed to `sayso exec`: what was judged is what runs, once.

use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{answered, before, command, decided, event};
use crate::desk::Desk;
use crate::exec::words;
use crate::scene::PATH;

/// What the agent is told to run instead.
#[track_caller]
fn rewritten(desk: &Desk, agent: &str, input: Value) -> Value {
    let said = answered(desk, agent, &before(desk, "Bash", input));
    assert_eq!(said["permissionDecision"], "allow", "{said}");
    said["updatedInput"].clone()
}

/// Runs a command as an agent does.
fn shell(desk: &Desk, line: &Value) -> Output {
    let mut bash = Command::new("bash");
    bash.env_clear().env("PATH", PATH).env("HOME", &desk.scene.home);
    bash.env("XDG_CONFIG_HOME", desk.scene.home.join(".config")).env("XDG_STATE_HOME", desk.scene.home.join(".local/state"));
    bash.arg("-c").arg(line.as_str().unwrap()).current_dir(&desk.scene.workspace).output().unwrap()
}

fn always(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::with(files);
    desk.scene.user_policy("version: 1\nhooks: {exec: always}\nrules:\n  - allow: {command: \"bash -c *\"}\n");
    desk
}

#[test]
fn the_command_runs_once_with_its_output_and_its_status() {
    let desk = always(&[("a.txt", "one\n")]);
    for agent in ["claude", "codex"] {
        let given = json!({"command": "cat a.txt", "description": "look", "timeout": 5000, "run_in_background": false});
        let given = if agent == "claude" { given } else { json!({"command": "cat a.txt"}) };
        let mut expected = given.clone();
        let input = rewritten(&desk, agent, given);
        expected["command"] = input["command"].clone();
        assert_eq!(input, expected, "everything else stays");
        let done = shell(&desk, &input["command"]);
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(0), &b"one\n"[..]), "{}", words(&done));
        let again = shell(&desk, &input["command"]);
        assert_eq!((again.status.code(), again.stdout.as_slice()), (Some(20), &b""[..]));
        // What came of it is written down once, by the one who ran it.
        answered(&desk, agent, &event(&desk, "PostToolUse", "Bash", input));
    }
    assert_eq!(desk.entries("finished").len(), 2);
    let failing = rewritten(&desk, "claude", json!({"command": "cat missing.txt"}));
    assert_eq!(shell(&desk, &failing["command"]).status.code(), Some(1));
}

#[test]
fn the_agents_own_dialog_for_it_is_left_alone() {
    let desk = always(&[("a.txt", "one\n")]);
    let input = rewritten(&desk, "claude", json!({"command": "cat a.txt"}));
    for agent in ["claude", "codex"] {
        let asked = event(&desk, "PermissionRequest", "Bash", input.clone());
        assert!(answered(&desk, agent, &asked).is_null());
    }
    // Anything that only looks like it is what it is: an agent that runs sayso.
    let line = input["command"].as_str().unwrap();
    for other in [format!("{line} "), format!("true; {line}"), line.replace(" exec ", "  exec ")] {
        let asked = event(&desk, "PermissionRequest", "Bash", json!({"command": other}));
        assert_eq!(answered(&desk, "claude", &asked)["decision"]["behavior"], "deny", "{other}");
    }
    // And no agent may call for it by itself.
    assert_eq!(command(&desk, line), "deny");
}

#[test]
fn what_is_allowed_by_itself_is_left_to_the_agent() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    for input in [json!({"command": "cat a.txt"}), json!({"command": "cat a.txt", "run_in_background": true})] {
        assert!(answered(&desk, "claude", &before(&desk, "Bash", input))["updatedInput"].is_null());
    }
}

#[test]
fn a_command_that_needs_a_sandbox_is_not_run_without_one() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy("version: 1\nhooks: {exec: never}\nsandbox: {require: true}\n");
    for agent in ["claude", "codex"] {
        let said = answered(&desk, agent, &before(&desk, "Bash", json!({"command": "cat a.txt"})));
        super::is_denied(&said, "sandbox");
    }
}

#[test]
fn a_command_that_a_sandbox_bounds_runs_in_it() {
    let desk = Desk::with(&[("build.sh", "echo in > made\necho out > \"$HOME/outside\"\nexit 5\n")]);
    if !crate::sandbox::works("commands of agents in a sandbox") {
        return;
    }
    desk.scene.user_policy("version: 1\nsandbox: {auto_allow: run-in-workspace}\n");
    for agent in ["claude", "codex"] {
        let input = rewritten(&desk, agent, json!({"command": "sh build.sh"}));
        let done = shell(&desk, &input["command"]);
        assert_eq!((done.status.code(), desk.text("made").as_deref()), (Some(5), Some("in\n")), "{}", words(&done));
        assert!(!desk.scene.home.join("outside").exists(), "the sandbox holds: {}", words(&done));
    }
    // And where nobody may run it so, it is asked about.
    desk.scene.user_policy("version: 1\nhooks: {exec: never}\nsandbox: {auto_allow: run-in-workspace}\n");
    assert_eq!(decided(&desk, "claude", "Bash", json!({"command": "sh build.sh"})).0, "ask");
}
