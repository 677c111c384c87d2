//! Commands that do not behave: they end all the same, with all they started, and their output has an end.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::desk::Desk;

/// Whether a process runs that has this word among its arguments.
fn runs(word: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let is_dead = stat
            .rsplit_once(')')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
        !is_dead
            && line
                .split(|byte| *byte == 0)
                .any(|argument| argument == word.as_bytes())
    })
}

/// Waits until it does not; the system may take a moment to bury it.
#[track_caller]
fn ends(word: &str) {
    let end = Instant::now() + Duration::from_secs(300);
    while runs(word) {
        assert!(Instant::now() < end, "`{word}` still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_command_that_ignores_being_asked_to_end_is_ended() {
    let desk = Desk::with(&[]);
    let call = json!({"type": "terminal", "id": "t", "timeout": 0.3,
        "command": "trap '' TERM INT HUP; echo begun; while :; do sleep 3111.77; done"});
    let (result, code) = desk.result(&["--yolo"], call);
    assert_eq!(code, 1, "{result}");
    assert_eq!(
        (&result["success"], &result["timed_out"]),
        (&json!(false), &json!(true)),
        "{result}"
    );
    assert!(
        result["error"]
            .as_str()
            .unwrap()
            .contains("stopped after 0.3 s"),
        "{result}"
    );
    assert!(
        result["output"].as_str().unwrap().starts_with("begun\n"),
        "{result}"
    );
    ends("3111.77");
    assert_eq!(desk.entries("finished").len(), 1);
}

#[test]
fn a_gigabyte_of_output_is_read_to_its_end_and_not_kept() {
    let desk = Desk::with(&[]);
    let (result, code) =
        desk.result(&["--yolo"], json!({"type": "terminal", "id": "t", "command": "head -c 1073741824 /dev/zero; echo the end"}));
    assert_eq!(
        (&result["success"], code),
        (&json!(true), 0),
        "{}",
        result["error"]
    );
    let output = result["output"].as_str().unwrap();
    assert!(output.len() < 2 << 20, "{} bytes", output.len());
    assert!(output.contains("the end"), "the last part is kept");
}

#[test]
fn what_a_command_leaves_behind_is_ended_and_said() {
    let desk = Desk::with(&[]);
    let call = json!({"type": "terminal", "id": "t", "command": "sleep 3222.77 & (setsid sleep 3222.77 >/dev/null 2>&1 &) ; echo done"});
    let (result, code) = desk.result(&["--yolo"], call);
    assert_eq!((&result["success"], code), (&json!(true), 0), "{result}");
    assert!(
        result["output"].as_str().unwrap().contains("done"),
        "{result}"
    );
    assert!(
        result["left_behind"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{result}"
    );
    ends("3222.77");
}

#[test]
fn a_command_has_no_terminal_no_input_and_a_clean_environment() {
    let desk = Desk::with(&[]);
    let command = "cat; tty; env; exec 3</dev/tty && echo has a terminal";
    let file = desk.batch(
        "calls.json",
        json!([{"type": "terminal", "id": "t", "command": command}]).to_string(),
    );
    let mut program = desk.program();
    program
        .env("GITHUB_TOKEN", "ghp_secret-of-the-person")
        .env("BASH_ENV", "/dev/full")
        .env("LD_PRELOAD_X", "x");
    let done = crate::program::run(
        program.args(["run", "--yolo", "--json"]).arg(file),
        b"typed text\n",
    );
    let results = crate::desk::read(&done);
    let output = results["results"][0]["output"].as_str().unwrap();
    assert!(
        !output.contains("typed text") && !output.contains("has a terminal"),
        "{output}"
    );
    assert!(
        !output.contains("ghp_secret") && !output.contains("BASH_ENV"),
        "{output}"
    );
}

#[test]
fn each_command_starts_in_the_workspace_and_changes_nothing_for_the_next() {
    let desk = Desk::with(&[("sub/x", "")]);
    let calls = json!([
        {"type": "terminal", "id": "one", "command": "cd sub && export A=b && pwd"},
        {"type": "terminal", "id": "two", "command": "pwd; echo \"[$A]\""},
        {"tool": "terminal", "id": "three", "args": {"command": "pwd"}, "cwd": "sub"},
    ]);
    let (results, _) = desk.results(&["--yolo"], &calls);
    let folder = desk.scene.folder();
    let outputs: Vec<&str> = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["output"].as_str().unwrap())
        .collect();
    assert_eq!(
        outputs,
        [
            format!("{folder}/sub\n"),
            format!("{folder}\n[]\n"),
            format!("{folder}/sub\n")
        ]
    );
}

#[test]
fn bytes_that_are_no_text_come_out_as_text() {
    let desk = Desk::with(&[]);
    let (result, _) = desk.result(
        &["--yolo"],
        json!({"type": "terminal", "id": "t", "command": "printf 'a\\377\\000b\\n'"}),
    );
    assert_eq!(result["success"], json!(true));
    assert!(
        result["output"].as_str().unwrap().starts_with('a'),
        "{result}"
    );
}
