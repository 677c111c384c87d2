//! `sandbox.require: true`: every command is bounded, and without a sandbox sayso does not start, or refuses commands (O-03).

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::works;
use crate::desk::Desk;
use crate::program::{Outcome, run};

fn desk(section: &str) -> Desk {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    desk.scene.user_policy(&format!("version: 1\nsandbox: {{require: true{section}}}\n"));
    desk
}

fn command(text: &str) -> Value {
    json!({"tool": "terminal", "args": {"command": text}})
}

/// A filter of system calls that knows no Landlock: for the calls 444 to 446 the kernel says that there are none.
fn without_landlock(folder: &Path) -> PathBuf {
    let op =
        |code: u16, yes: u8, no: u8, value: u32| -> Vec<u8> { [code.to_ne_bytes().as_slice(), &[yes, no], &value.to_ne_bytes()].concat() };
    // Load the number; below 444 or above 446 allow, else ENOSYS.
    let program =
        [op(0x20, 0, 0, 0), op(0x35, 0, 1, 444), op(0x25, 0, 1, 446), op(0x06, 0, 0, 0x7fff_0000), op(0x06, 0, 0, 0x0005_0000 + 38)];
    let path = folder.join("no-landlock.bpf");
    std::fs::write(&path, program.concat()).unwrap();
    path
}

/// The program on a machine without bubblewrap, and with or without Landlock.
fn poor(desk: &Desk, landlock: bool, words: &[&str]) -> Outcome {
    let program = desk.program();
    let mut outer = Command::new("/bin/bash");
    outer.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.current_dir(program.get_current_dir().unwrap_or(&desk.scene.workspace));
    let filter = without_landlock(&desk.scene.home);
    let seccomp = if landlock { "" } else { "--seccomp 9 9<\"$0\" " };
    let script = format!("exec bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --die-with-parent {seccomp}-- \"$@\"");
    outer.args(["-c", &script]).arg(filter).arg(program.get_program()).args(words);
    run(&mut outer, b"")
}

#[test]
fn o_03_commands_are_bounded_where_it_is_required() {
    if !works("a required sandbox") {
        return;
    }
    let desk = desk("");
    let text = "echo b > b.txt; touch ../outside.txt; touch /etc/outside; exit 1";
    let (result, _) = desk.result(&["--approve-all"], command(text));
    assert_eq!(result["sandboxed"], true, "{result}");
    assert_eq!(desk.text("b.txt").as_deref(), Some("b\n"));
    assert!(!desk.scene.outside.join("outside.txt").exists() && !Path::new("/etc/outside").exists());
    assert!(result["output"].as_str().unwrap().contains("the sandbox refused to write"), "{result}");
}

#[test]
fn what_was_approved_by_its_path_is_let_through() {
    if !works("paths that were approved") {
        return;
    }
    let desk = desk("");
    std::fs::write(desk.scene.outside.join("other.txt"), "other\n").unwrap();
    let (result, _) = desk.result(&["--approve-all"], command("cat ../other.txt"));
    assert_eq!(result["output"], "other\n", "{result}");
    // The same file read by something that does not say so is not there.
    desk.scene.file("x.sh", "cat ../other.txt\n");
    let (result, _) = desk.result(&["--approve-all"], command("bash x.sh"));
    assert!(!result["output"].as_str().unwrap().contains("other\n"), "{result}");
}

#[test]
fn o_03_without_a_sandbox_sayso_does_not_start() {
    if !works("a machine without a sandbox") {
        return;
    }
    let desk = desk("");
    let file = desk.batch("calls.json", json!([command("ls")]).to_string());
    for landlock in [true, false] {
        let done = poor(&desk, landlock, &["run", "--approve-all", file.to_str().unwrap()]);
        assert_eq!(done.code, 2, "{} {}", done.out, done.err);
        assert!(done.err.contains("the policy requires an OS sandbox") && done.err.contains("bubblewrap is not installed"), "{}", done.err);
    }
}

#[test]
fn o_03_or_it_refuses_commands_and_nothing_else() {
    if !works("a machine without a sandbox") {
        return;
    }
    let desk = desk(", fallback: refuse_tools");
    let calls = json!([command("touch made.txt"), {"tool": "file_read", "args": {"path": "a.txt"}}]);
    let file = desk.batch("calls.json", calls.to_string());
    for landlock in [true, false] {
        let done = poor(&desk, landlock, &["run", "--approve-all", "--json", file.to_str().unwrap()]);
        assert_eq!(done.code, 20, "{} {}", done.out, done.err);
        let results: Value = serde_json::from_str(&done.out).unwrap();
        assert!(results["results"][0].to_string().contains("requires an OS sandbox"), "{results}");
        assert_eq!(results["results"][1]["success"], true, "{results}");
        assert_eq!(desk.text("made.txt"), None);
    }
}

#[test]
fn doctor_tells_what_there_is() {
    if !works("what doctor says of a machine without a sandbox") {
        return;
    }
    let desk = desk("");
    let done = run(desk.program().arg("doctor"), b"");
    assert!(done.out.contains("sandbox") && done.out.contains("bubblewrap") && done.out.contains("works"), "{}", done.out);
    let poor_one = poor(&desk, true, &["doctor"]);
    assert_eq!(poor_one.code, 1, "{}", poor_one.out);
    assert!(poor_one.out.contains("the policy requires one"), "{}", poor_one.out);
    desk.scene.user_policy("version: 1\n");
    let poor_one = poor(&desk, true, &["doctor"]);
    assert!(
        poor_one.out.contains("only Landlock") && poor_one.out.contains("cannot keep a part of a writable folder read-only"),
        "{}",
        poor_one.out
    );
    let none = poor(&desk, false, &["sandbox", "--", "true"]);
    assert_eq!(none.code, 2);
    assert!(none.err.contains("bubblewrap is not installed") && none.err.contains("no Landlock"), "{}", none.err);
}
