//! What `sayso doctor` says of agents: whether the hook is set up, and what is proved by starting them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{Desk, read};
use crate::program::{Outcome, run};

const SAYSO: &str = env!("CARGO_BIN_EXE_sayso");

/// A home with an agent in it that behaves like this.
fn home(manner: &str) -> (Desk, PathBuf) {
    let desk = Desk::with(&[]);
    let agent = desk.scene.home.join("bin/claude");
    let text = include_str!("fake_agent.py")
        .replace("MANNER = \"honest\"", &format!("MANNER = \"{manner}\""));
    install(&agent, &text);
    (desk, agent)
}

/// Makes a program by another process: one that this process has open for writing, or that a thread's child still has, cannot be started.
fn install(file: &Path, text: &str) {
    let mut install = Command::new("install");
    run(
        install.args(["-D", "-m", "755", "/dev/stdin"]).arg(file),
        text.as_bytes(),
    )
    .is(0, "installed");
}

fn set(desk: &Desk, settings: &str) {
    crate::scene::put(&desk.scene.home.join(".claude/settings.json"), settings);
}

/// The settings of a hook that starts this.
fn hook(command: &str, closed: bool) -> String {
    let mut handler = json!({"type": "command", "command": command, "timeout": 60});
    if closed {
        handler["onFailure"] = json!("block");
    }
    json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [handler]}]}}).to_string()
}

fn own(closed: bool) -> String {
    hook(&format!("{SAYSO} hook claude"), closed)
}

/// The doctor, with no agent of this machine's in its path.
fn program(desk: &Desk) -> Command {
    let mut program = desk.program();
    // What the agent runs it finds by itself.
    program.env("PATH", "/nonexistent").arg("doctor");
    program
}

fn doctor(desk: &Desk, agent: &Path, words: &[&str]) -> Outcome {
    let mut program = program(desk);
    program
        .env("PATH", std::env::var_os("PATH").unwrap())
        .arg("--program")
        .arg(format!("claude={}", agent.display()));
    // No other agent of this machine's.
    program
        .arg("--program")
        .arg("codex=/nonexistent/codex")
        .args(words);
    run(&mut program, b"")
}

/// What it says of one thing.
#[track_caller]
fn finding(done: &Outcome, about: &str) -> (String, String) {
    let all = read(done);
    let found = all["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["about"] == about);
    let found = found.unwrap_or_else(|| panic!("nothing about {about}: {all:#}"));
    (
        found["is"].as_str().unwrap().to_owned(),
        found["words"].as_str().unwrap().to_owned(),
    )
}

fn canary(desk: &Desk) -> Value {
    let file = desk.scene.state().join("canary/claude.json");
    serde_json::from_str(
        &fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())),
    )
    .unwrap()
}

#[test]
fn without_agents_nothing_is_said_of_them() {
    let desk = Desk::with(&[]);
    let done = run(&mut program(&desk), b"").is(0, "all is well");
    assert!(
        !done.out.contains("claude") && !done.out.contains("codex"),
        "{}",
        done.out
    );
    let done = run(program(&desk).arg("--agents"), b"").is(0, "nothing is wrong");
    assert!(
        done.out.contains("! agents") && done.out.contains("--program claude="),
        "{}",
        done.out
    );
    for bad in ["claude", "nobody=/x", "=", ""] {
        run(program(&desk).args(["--program", bad]), b"").is(2, bad);
    }
}

/// finding W-05: `doctor` says when a call was judged by what the record says: neither the start of a session nor a try of its own is one.
#[test]
fn finding_w_05_no_call_was_judged_before_there_was_one() {
    let (desk, agent) = home("honest");
    set(&desk, &own(true));
    let says = || finding(&doctor(&desk, &agent, &["--json"]), "claude calls").1;
    assert_eq!(
        says(),
        "none was judged yet, as far as the newer part of the record goes"
    );
    let hook = |payload: &Value| {
        run(
            &mut crate::hook::program(&desk, "claude"),
            payload.to_string().as_bytes(),
        )
        .is(0, "answered")
    };
    hook(
        &json!({"session_id": "s", "cwd": desk.scene.folder(), "hook_event_name": "SessionStart", "source": "startup"}),
    );
    assert!(
        says().starts_with("none was judged yet"),
        "a session that began is no call: {}",
        says()
    );
    // A try of the doctor's own.
    let folder = desk.scene.home.join("sayso-canary-1/workspace");
    fs::create_dir_all(&folder).unwrap();
    let payload = json!({"session_id": "c", "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t0"});
    run(
        crate::hook::program(&desk, "claude").env("CLAUDE_PROJECT_DIR", &folder),
        payload.to_string().as_bytes(),
    )
    .is(0, "answered");
    assert!(
        says().starts_with("none was judged yet"),
        "a try of the doctor's own is no call: {}",
        says()
    );
    hook(&crate::hook::before(
        &desk,
        "Bash",
        json!({"command": "ls"}),
    ));
    assert!(says().starts_with("the last one was judged "), "{}", says());
}

#[test]
fn an_agent_without_a_sound_hook_is_told() {
    let (desk, agent) = home("honest");
    let done = doctor(&desk, &agent, &["--json"]).is(0, "it may be meant so");
    assert_eq!(finding(&done, "claude").0, "odd");
    assert!(
        finding(&done, "claude").1.contains("2.1.325")
            && finding(&done, "claude")
                .1
                .contains("nothing that it does is judged")
    );
    assert_eq!(finding(&done, "codex").0, "odd", "it cannot be started");
    for (settings, is, words) in [
        (own(true), "good", "starts this sayso"),
        (own(false), "odd", "onFailure"),
        (
            hook("/nonexistent/sayso hook claude", true),
            "bad",
            "which is not there",
        ),
        (
            hook("sayso hook claude", true),
            "odd",
            "which is not this sayso",
        ),
        (
            own(true).replace("\"*\"", "\"Bash\""),
            "odd",
            "some tools only",
        ),
        (
            hook("echo hook claude", true),
            "odd",
            "nothing that it does is judged",
        ),
        (
            "{\"hooks\": 7}".to_owned(),
            "odd",
            "nothing that it does is judged",
        ),
        ("[]".to_owned(), "odd", "nothing that it does is judged"),
        ("{\"hooks\": {".to_owned(), "bad", "cannot be read"),
        ("\u{0}".to_owned(), "bad", "cannot be read"),
        (
            own(true).replacen('{', "{\"disableAllHooks\": true, ", 1),
            "bad",
            "disableAllHooks",
        ),
    ] {
        set(&desk, &settings);
        let done = doctor(&desk, &agent, &["--json"]).is(i32::from(is == "bad"), &settings);
        let (found, said) = finding(&done, "claude");
        assert!(
            found == is && said.contains(words),
            "{settings}: {found}, {said}"
        );
    }
    assert!(
        !desk.scene.state().join("canary").exists(),
        "nothing was tried"
    );
}

#[test]
fn a_hook_that_fires_and_fails_closed_is_proved_and_remembered() {
    let (desk, agent) = home("honest");
    set(&desk, &own(true));
    assert_eq!(
        finding(&doctor(&desk, &agent, &["--json"]), "claude canary").0,
        "odd",
        "it was not tried yet"
    );
    let done = doctor(&desk, &agent, &["--agents", "--json"]).is(0, "all is well");
    let (is, words) = finding(&done, "claude canary");
    assert!(
        is == "good"
            && words.contains("fires: ")
            && words.contains("a harmless one ran")
            && words.contains("fails closed: "),
        "{words}"
    );
    let all = read(&done);
    assert_eq!(all["agents"][0]["canary"]["fails_closed"], true, "{all:#}");
    let kept = canary(&desk);
    assert_eq!(
        (&kept["agent"], &kept["version"], &kept["sayso"]),
        (&json!("claude"), &json!("2.1.325"), &json!(SAYSO))
    );
    assert!(
        kept["fires"] == true
            && kept["fails_closed"] == true
            && kept["at"].as_i64().unwrap() > 1_700_000_000
    );
    assert!(kept["settings"].as_str().unwrap().starts_with("sha256:"));
    let mode = fs::metadata(desk.scene.state().join("canary/claude.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let later = doctor(&desk, &agent, &["--json"]).is(0, "remembered");
    assert_eq!(finding(&later, "claude canary").0, "good");
    assert!(finding(&later, "claude calls").1.contains("judged"));
    // The denied call is in the record like any other.
    let denied = desk
        .entries("decided")
        .into_iter()
        .filter(|entry| entry["decision"] == "deny")
        .count();
    assert_eq!(denied, 1);
    set(&desk, &format!("{} ", own(true)));
    let other = doctor(&desk, &agent, &["--json"]).is(0, "worth knowing");
    let (is, words) = finding(&other, "claude canary");
    assert!(is == "odd" && words.contains("other settings"), "{words}");
    fs::write(
        desk.scene.state().join("canary/claude.json"),
        "{\"fires\": true}",
    )
    .unwrap();
    assert_eq!(
        finding(&doctor(&desk, &agent, &["--json"]), "claude canary").0,
        "bad",
        "no proof of this sayso's"
    );
}

#[test]
fn a_hook_that_fails_open_or_does_not_count_is_found_out() {
    let (desk, agent) = home("honest");
    set(&desk, &own(false));
    let done = doctor(&desk, &agent, &["--agents", "--json"]).is(0, "worth knowing");
    let (is, words) = finding(&done, "claude canary");
    assert!(
        is == "odd" && words.contains("does not fail closed") && words.contains("is killed"),
        "{words}"
    );
    assert!(canary(&desk)["fires"] == true && canary(&desk)["fails_closed"] == false);
    for (manner, why) in [
        ("deaf", "what every agent is denied did run"),
        ("silent", "no model for me"),
        ("elsewhere", "tried to reach http://vendor.invalid"),
    ] {
        let (desk, agent) = home(manner);
        set(&desk, &own(true));
        let done = doctor(&desk, &agent, &["--agents", "--json"]).is(1, manner);
        let (is, words) = finding(&done, "claude canary");
        assert!(is == "bad" && words.contains(why), "{manner}: {words}");
        assert!(canary(&desk)["fires"] == false && canary(&desk)["fails_closed"] == false);
    }
}

#[test]
fn a_policy_that_denies_everything_is_still_a_hook_that_fires() {
    let (desk, agent) = home("honest");
    set(&desk, &own(true));
    desk.scene
        .user_policy("version: 1\nrules:\n  - deny: {command: \"echo *\"}\n    reason: silence\n");
    let done = doctor(&desk, &agent, &["--agents", "--json"]).is(0, "it fires");
    let (_, words) = finding(&done, "claude canary");
    assert!(
        words.contains("a harmless one was denied") && words.contains("silence"),
        "{words}"
    );
}

#[test]
fn an_agent_gets_no_keys_and_leaves_nothing_behind() {
    let (desk, agent) = home("honest");
    set(&desk, &own(true));
    let temporary = desk.scene.home.join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut program = program(&desk);
    program
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("TMPDIR", &temporary);
    for name in [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "ANTHROPIC_BASE_URL",
        "SAYSO_MODE",
    ] {
        program.env(name, "of the person");
    }
    program
        .arg("--agents")
        .arg("--program")
        .arg(format!("claude={}", agent.display()))
        .args(["--program", "codex=/nonexistent/codex"]);
    run(&mut program, b"").is(0, "all is well");
    let started = fs::read_to_string(desk.scene.home.join("started.jsonl")).unwrap();
    assert!(!started.contains("of the person"), "{started}");
    for line in started.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(
            line["env"]["ANTHROPIC_BASE_URL"]
                .as_str()
                .unwrap()
                .starts_with("http://127.0.0.1:"),
            "{line}"
        );
        assert!(
            line["env"]["HTTPS_PROXY"]
                .as_str()
                .unwrap()
                .starts_with("http://127.0.0.1:"),
            "{line}"
        );
        assert!(
            line["cwd"]
                .as_str()
                .unwrap()
                .starts_with(temporary.to_str().unwrap()),
            "{line}"
        );
    }
    assert_eq!(
        fs::read_dir(&temporary).unwrap().count(),
        0,
        "its folders are gone"
    );
}

#[test]
fn a_settings_file_that_is_a_pipe_or_a_folder_is_told_and_not_waited_for() {
    let (desk, agent) = home("honest");
    let file = desk.scene.home.join(".claude/settings.json");
    fs::create_dir_all(&file).unwrap();
    let done = doctor(&desk, &agent, &["--json"]).is(1, "a folder");
    assert!(finding(&done, "claude").1.contains("not a file"));
    fs::remove_dir(&file).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    let done = doctor(&desk, &agent, &["--json"]).is(1, "a pipe");
    assert!(finding(&done, "claude").1.contains("not a file"));
}

#[test]
fn an_agent_that_answers_oddly_is_told() {
    let (desk, agent) = home("honest");
    for (text, why) in [
        ("#!/bin/sh\necho none\n", "does not say its version"),
        (
            "#!/bin/sh\nprintf '2.1\\033[31m\\n'\n",
            "does not say its version",
        ),
        ("#!/bin/sh\nexit 3\n", "exit status: 3"),
        ("#!/bin/sh\nkill -9 $$\n", "signal: 9"),
        ("not a program", "could not be started"),
        // What it leaves running holds its output open.
        ("#!/bin/sh\necho 2.1.325\nsetsid sleep 30 &\n", "2.1.325 at"),
    ] {
        install(&agent, text);
        let done = doctor(&desk, &agent, &["--json"]).is(0, text);
        assert!(
            finding(&done, "claude").1.contains(why),
            "{text}: {}",
            finding(&done, "claude").1
        );
    }
}

#[test]
fn a_hook_that_cannot_judge_fires_and_is_told_to_be_in_trouble() {
    let (desk, agent) = home("honest");
    set(&desk, &own(true));
    desk.scene.user_policy("mode: [nonsense\n");
    let done = doctor(&desk, &agent, &["--agents", "--json"]).is(1, "the policy is broken");
    let (is, words) = finding(&done, "claude canary");
    assert!(
        is == "bad"
            && words.contains("not in this record")
            && words.contains("the policy cannot be read"),
        "{words}"
    );
}
