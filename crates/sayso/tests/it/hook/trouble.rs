//! Whatever goes wrong with sayso itself is a denial.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::json;

use super::{answered, before, is_denied, program};
use crate::desk::{Desk, read};
use crate::program::run;

fn payload(desk: &Desk) -> String {
    before(desk, "Bash", json!({"command": "cat a.txt"})).to_string()
}

#[test]
fn without_a_home_everything_is_denied() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    for agent in ["claude", "codex"] {
        let mut program = desk.scene.program();
        program
            .env_remove("HOME")
            .env("CLAUDE_PROJECT_DIR", desk.scene.folder())
            .args(["hook", agent]);
        is_denied(
            &read(&run(&mut program, payload(&desk).as_bytes()).is(0, "denied"))["hookSpecificOutput"],
            "HOME",
        );
    }
}

#[test]
fn a_policy_that_cannot_be_read_denies_everything() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy("version: 1\nrulez: []\n");
    for agent in ["claude", "codex"] {
        is_denied(
            &answered(
                &desk,
                agent,
                &before(&desk, "Bash", json!({"command": "cat a.txt"})),
            ),
            "policy",
        );
    }
}

#[test]
fn what_cannot_be_recorded_does_not_run() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    // No folder can be made where a file stands, whoever tries it.
    fs::create_dir_all(desk.scene.state().parent().unwrap()).unwrap();
    fs::write(desk.scene.state(), "").unwrap();
    for agent in ["claude", "codex"] {
        is_denied(
            &answered(
                &desk,
                agent,
                &before(&desk, "Bash", json!({"command": "cat a.txt"})),
            ),
            "",
        );
    }
    fs::remove_file(desk.scene.state()).unwrap();
    assert_eq!(super::command(&desk, "cat a.txt"), "allow");
    // Somebody else's folder is no place for a record.
    fs::set_permissions(desk.scene.state(), fs::Permissions::from_mode(0o777)).unwrap();
    is_denied(
        &answered(
            &desk,
            "claude",
            &before(&desk, "Bash", json!({"command": "cat a.txt"})),
        ),
        "",
    );
}

#[test]
fn a_full_disk_is_a_denial() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    settled(&desk);
    // A limit on the size of files stands in for the disk.
    let mut shell = Command::new("bash");
    shell
        .env_clear()
        .env("PATH", crate::scene::PATH)
        .env("HOME", &desk.scene.home)
        .current_dir(&desk.scene.workspace);
    shell.env("CLAUDE_PROJECT_DIR", desk.scene.folder());
    shell.arg("-c").arg(format!(
        "ulimit -f 0; '{}' hook claude | cat",
        env!("CARGO_BIN_EXE_sayso")
    ));
    let done = run(&mut shell, payload(&desk).as_bytes());
    is_denied(&read(&done)["hookSpecificOutput"], "recorded");
}

#[test]
fn an_answer_that_nobody_can_read_is_a_denial() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut child = program(&desk, "claude")
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(payload(&desk).as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(!done.stderr.is_empty());
}

#[test]
fn one_that_is_not_done_in_time_is_a_denial() {
    let desk = Desk::with(&[]);
    let mut hooks = Vec::new();
    for (agent, ignored) in [("claude", ""), ("codex", "trap '' ALRM; ")] {
        // The input never ends. Whoever started it may not want to hear of alarms: it is heard.
        let mut shell = Command::new("bash");
        shell
            .env_clear()
            .env("PATH", crate::scene::PATH)
            .env("HOME", &desk.scene.home)
            .env("CLAUDE_PROJECT_DIR", desk.scene.folder());
        shell
            .args([
                "-c",
                &format!("{ignored}exec {} hook {agent}", env!("CARGO_BIN_EXE_sayso")),
            ])
            .current_dir(&desk.scene.workspace);
        hooks.push(
            shell
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap(),
        );
    }
    for mut hook in hooks {
        let open = hook.stdin.take();
        let said = hook.wait_with_output().unwrap();
        drop(open);
        assert_eq!(said.status.code(), Some(2));
        assert!(said.stdout.is_empty());
        assert!(String::from_utf8_lossy(&said.stderr).contains("could not be judged in time"));
    }
}

#[test]
fn many_at_once_are_all_answered_and_all_recorded() {
    const MANY: usize = 24;
    let desk = Desk::with(&[("a.txt", "one\n")]);
    before(&desk, "Bash", json!({}));
    thread::scope(|scope| {
        for number in 0..MANY {
            let desk = &desk;
            scope.spawn(move || {
                let mut payload = before(desk, "Bash", json!({"command": "cat a.txt"}));
                payload["tool_use_id"] = json!(format!("toolu_{number}"));
                let said = answered(
                    desk,
                    if number % 2 == 0 { "claude" } else { "codex" },
                    &payload,
                );
                assert!(
                    said.is_null() || said["permissionDecision"] == "allow",
                    "{said}"
                );
            });
        }
    });
    assert_eq!(desk.entries("decided").len(), MANY);
}

#[test]
fn one_that_is_killed_leaves_nothing_that_breaks_the_next() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    for _ in 0..5 {
        let mut child = program(&desk, "claude")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(payload(&desk).as_bytes()).unwrap();
        drop(stdin);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(super::command(&desk, "cat a.txt"), "allow");
    assert!(!desk.record().is_empty());
}

#[test]
fn no_database_is_opened_on_the_usual_path() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene
        .user_policy("version: 1\nrules:\n  - allow: {command: \"make *\"}\n");
    settled(&desk);
    let state = desk.scene.state();
    for name in ["index.db", "index.lock"] {
        fs::remove_file(state.join(name)).unwrap();
    }
    for agent in ["claude", "codex"] {
        for line in ["cat a.txt", "make all", "rm -rf /"] {
            answered(
                &desk,
                agent,
                &before(&desk, "Bash", json!({"command": line})),
            );
        }
    }
    let names: Vec<String> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("index") || name == "backups"),
        "{names:?}"
    );
}

/// The first few find nothing yet that they could start from.
fn settled(desk: &Desk) {
    for _ in 0..4 {
        assert_eq!(super::command(desk, "cat a.txt"), "allow");
    }
}
