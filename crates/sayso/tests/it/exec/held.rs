//! What `sayso run --hold` hands out, and what it writes down.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::{call, exec, hold, hold_asked, refused};
use crate::desk::{Desk, column, read};
use crate::program::run;

#[test]
fn an_approved_command_is_held_and_not_run() {
    let desk = Desk::with(&[]);
    let done = desk
        .run(&["--hold", "--answers", "y"], &json!([call("touch made")]))
        .is(0, "held");
    let id = done
        .out
        .lines()
        .find_map(|line| line.trim().strip_prefix("held: "))
        .unwrap_or_else(|| panic!("{}", done.out))
        .to_owned();
    assert!(
        id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{id}"
    );
    assert!(
        !done.out.contains("running it") && done.out.contains("Completed: 0/1"),
        "{}",
        done.out
    );
    assert!(!desk.scene.workspace.join("made").exists());
    assert_eq!(desk.entries("decided").len(), 1);
    assert_eq!(
        (
            desk.entries("resumed").len(),
            desk.entries("finished").len()
        ),
        (0, 0)
    );
    let ran = exec(&desk, &id);
    assert_eq!(
        (
            ran.status.code(),
            ran.stdout.as_slice(),
            ran.stderr.as_slice()
        ),
        (Some(0), &b""[..], &b""[..])
    );
    assert!(desk.scene.workspace.join("made").exists());
    let (resumed, finished) = (desk.entries("resumed"), desk.entries("finished"));
    assert_eq!((resumed.len(), finished.len()), (1, 1));
    for entry in [&resumed[0], &finished[0]] {
        assert_eq!(
            (&entry["call"], &entry["session"]),
            (&json!("it"), &desk.entries("decided")[0]["session"]),
            "{entry}"
        );
    }
    assert_eq!(
        (
            &finished[0]["started"],
            &finished[0]["succeeded"],
            &finished[0]["exit"]
        ),
        (&json!(true), &json!(true), &json!(0))
    );
    let kinds: Vec<_> = desk
        .record()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["asked", "decided", "session_ended", "resumed", "finished"]
    );
    let story = run(desk.program().args(["audit", "show", "it"]), b"").is(0, "the story");
    assert!(
        story.out.contains("taken up by `sayso exec`"),
        "{}",
        story.out
    );
}

#[test]
fn each_of_a_batch_has_its_own_id_and_a_refused_one_has_none() {
    let desk = Desk::with(&[]);
    let calls = json!([
        call("touch a"),
        call("touch b"),
        call("touch c"),
        call("sudo rm -rf /")
    ]);
    let done = desk
        .run(&["--hold", "--json", "--answers", "y,n,y"], &calls)
        .is(20, "some are refused");
    let results = read(&done);
    let held = column(&results["results"], "held");
    assert!(
        held[0] != held[2] && held[1] == "?" && held[3] == "?",
        "{results}"
    );
    assert_eq!(
        (
            &results["executed"],
            &results["refused"],
            &results["failed"]
        ),
        (&json!([]), &json!(2), &json!(0)),
        "{results}"
    );
    for id in [held[2], held[0]] {
        assert!(exec(&desk, id).status.success());
    }
    let names: Vec<String> = desk
        .tree()
        .keys()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(names, ["a", "c"]);
    let succeeded = desk
        .entries("finished")
        .iter()
        .filter(|entry| entry["succeeded"] == true)
        .count();
    assert_eq!(succeeded, 2);
}

#[test]
fn nothing_but_commands_can_be_held() {
    for other in [
        json!({"type": "file_create", "id": "f", "file": "a.txt", "content": "x"}),
        json!({"type": "webfetch", "id": "w", "url": "http://localhost/"}),
        json!({"tool": "no\u{1b}[2Jsuch", "args": {}}),
    ] {
        let desk = Desk::with(&[]);
        let done = desk
            .run(&["--hold", "--yolo"], &json!([call("touch made"), other]))
            .is(2, "no command");
        assert!(
            done.err.contains("only commands can be held") && !done.err.contains('\u{1b}'),
            "{}",
            done.err
        );
        assert!(
            desk.tree().is_empty() && !desk.scene.state().join("journal").exists(),
            "not even the first one was looked at"
        );
    }
    let desk = Desk::with(&[]);
    desk.run(&["--hold", "--dry-run"], &json!([call("touch made")]))
        .is(2, "one or the other");
}

#[test]
fn what_is_denied_is_not_held() {
    let desk = Desk::with(&[]);
    for (flags, command) in [
        (&["--strict"][..], "make"),
        (&["--answers", "n"], "make"),
        (&["--yolo"], "sayso exec 0"),
        (&[], "make"),
    ] {
        let flags = [&["--hold"], flags].concat();
        let done = desk.run(&flags, &json!([call(command)]));
        assert!(done.code == 20 || done.code == 2, "{command}: {}", done.out);
        assert!(!done.out.contains("held: "), "{}", done.out);
    }
    let held = desk.scene.state().join("held");
    assert!(!held.exists() || fs::read_dir(held).unwrap().next().is_none());
}

#[test]
fn a_malformed_call_is_refused_and_the_others_are_held() {
    let desk = Desk::with(&[]);
    let calls = json!([{"type": "terminal", "id": "bad", "command": "  "}, call("touch made")]);
    let (results, code) = desk.results(&["--hold", "--approve-all"], &calls);
    assert_eq!(code, 20);
    assert!(
        results["results"][0]["held"].is_null() && results["results"][1]["held"].is_string(),
        "{results}"
    );
}

#[test]
fn only_its_owner_can_look_at_what_is_held() {
    let desk = Desk::with(&[]);
    let id = hold(&desk, "true");
    let folder = desk.scene.state().join("held");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(id))), (0o700, 0o600));
}

#[test]
fn whatever_bytes_a_command_has_are_the_bytes_that_run() {
    let desk = Desk::with(&[]);
    for text in [
        "a  b\t\\n",
        "quo\"te 'x' $y `z`",
        "two\nlines\r\n",
        "ünïcödé \u{202e}\u{200b}",
        "\u{1}\u{7f}",
        "'''",
    ] {
        let quoted = format!("printf %s '{}'", text.replace('\'', "'\\''"));
        let done = exec(&desk, hold(&desk, &quoted));
        assert_eq!(done.stdout, text.as_bytes());
    }
}

#[test]
fn what_a_yaml_batch_says_is_held_exactly_or_not_at_all() {
    let desk = Desk::with(&[]);
    let file = desk.batch(
        "calls.yaml",
        "- {type: terminal, id: a, command: \"printf x\", timeout: 0x20}\n- {type: terminal, id: b, command: printf y}\n",
    );
    let done = run(
        desk.program()
            .args(["run", "--hold", "--json", "--approve-all"])
            .arg(file),
        b"",
    );
    let results = read(&done);
    // A number that JSON cannot write would be another call.
    assert!(
        results["results"][0]["held"].is_null()
            && results["results"][0]["message"]
                .to_string()
                .contains("could not be held"),
        "{results}"
    );
    let second = exec(&desk, results["results"][1]["held"].as_str().unwrap());
    assert_eq!(second.stdout, b"y");
    assert_eq!(done.code, 1);
}

#[test]
fn an_agent_cannot_use_it_to_approve_itself() {
    let desk = Desk::with(&[]);
    let id = hold_asked(&desk, "touch made");
    let program = env!("CARGO_BIN_EXE_sayso");
    for command in [
        format!("sayso exec {id}"),
        format!("{program} exec {id}"),
        format!("env sayso exec {id}"),
        format!("bash -c 'sayso exec {id}'"),
        format!("true && sayso exec {id} | cat"),
        format!("echo $(sayso exec {id})"),
        format!("xargs sayso exec <<< {id}"),
        "sayso run --hold calls.json".to_owned(),
        format!("X=1 sayso exec {id}"),
    ] {
        let done = run(desk.program().args(["check", "--", &command]), b"");
        assert_eq!(done.code, 20, "{command}: {}", done.out);
    }
    assert!(!desk.scene.workspace.join("made").exists());
    assert!(exec(&desk, &id).status.success(), "none of it used it up");
    refused(&exec(&desk, &id), "each runs once");
}

#[test]
fn the_help_says_how_to_use_it() {
    let desk = Desk::with(&[]);
    for words in [&["exec", "--help"][..], &["exec", "-h"], &["help", "exec"]] {
        let done = run(desk.program().args(words), b"").is(0, "help");
        assert!(
            done.out.contains("Usage: sayso exec <ID>") && done.out.contains("--hold"),
            "{}",
            done.out
        );
    }
    let all = run(desk.program().arg("--help"), b"").is(0, "help");
    assert!(all.out.contains("exec "), "{}", all.out);
    for words in [
        &["exec"][..],
        &["exec", "a", "b"],
        &["exec", "--force", "a"],
        &["exec", "-x"],
    ] {
        run(desk.program().args(words), b"").is(2, "usage");
    }
    assert!(!desk.scene.state().exists());
}
