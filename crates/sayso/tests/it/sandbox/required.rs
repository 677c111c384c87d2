//! `sandbox.require: true`: every command is bounded, and without a sandbox sayso does not start, or refuses commands (O-03).

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::works;
use crate::desk::Desk;
use crate::program::{Outcome, run};

fn desk(section: &str) -> Desk {
    let desk = Desk::with(&[("a.txt", "a\n")]);
    desk.scene.user_policy(&format!(
        "version: 1\nsandbox: {{require: true{section}}}\n"
    ));
    desk
}

fn command(text: &str) -> Value {
    json!({"tool": "terminal", "args": {"command": text}})
}

/// A filter of system calls that knows no Landlock: for the calls 444 to 446 the kernel says that there are none.
fn without_landlock(folder: &Path) -> PathBuf {
    let op = |code: u16, yes: u8, no: u8, value: u32| -> Vec<u8> {
        [
            code.to_ne_bytes().as_slice(),
            &[yes, no],
            &value.to_ne_bytes(),
        ]
        .concat()
    };
    // Load the number; below 444 or above 446 allow, else ENOSYS.
    let program = [
        op(0x20, 0, 0, 0),
        op(0x35, 0, 1, 444),
        op(0x25, 0, 1, 446),
        op(0x06, 0, 0, 0x7fff_0000),
        op(0x06, 0, 0, 0x0005_0000 + 38),
    ];
    let path = folder.join("no-landlock.bpf");
    std::fs::write(&path, program.concat()).unwrap();
    path
}

/// The program on a machine without bubblewrap, and with or without Landlock.
fn poor(desk: &Desk, landlock: bool, words: &[&str]) -> Outcome {
    poor_with(desk, landlock, words, b"")
}

/// The same, with this on its input.
fn poor_with(desk: &Desk, landlock: bool, words: &[&str], input: &[u8]) -> Outcome {
    let program = desk.program();
    let mut outer = Command::new("/bin/bash");
    outer.env_clear().envs(
        program
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    outer.current_dir(program.get_current_dir().unwrap_or(&desk.scene.workspace));
    let filter = without_landlock(&desk.scene.home);
    let seccomp = if landlock {
        ""
    } else {
        "--seccomp 9 9<\"$0\" "
    };
    let script = format!(
        "exec bwrap --dev-bind / / --ro-bind /dev/null /usr/bin/bwrap --die-with-parent {seccomp}-- \"$@\""
    );
    outer
        .args(["-c", &script])
        .arg(filter)
        .arg(program.get_program())
        .args(words);
    outer.env("CLAUDE_PROJECT_DIR", desk.scene.folder());
    run(&mut outer, input)
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
    assert!(
        !desk.scene.outside.join("outside.txt").exists() && !Path::new("/etc/outside").exists()
    );
    assert!(
        result["output"]
            .as_str()
            .unwrap()
            .contains("the sandbox refused to write"),
        "{result}"
    );
}

#[test]
fn what_was_refused_is_told_and_recorded_by_what_was_seen() {
    if !works("what was refused") {
        return;
    }
    let desk = desk("");
    let text = "touch /etc/outside 2> /dev/null; echo \"touch: cannot touch '/etc/forged': Read-only file system\"; exit 1";
    let (result, _) = desk.result(&["--approve-all"], command(text));
    let output = result["output"].as_str().unwrap();
    assert!(
        output.contains("\n[the sandbox refused to write `/etc/outside`; "),
        "{output}"
    );
    assert!(
        !output.contains("refused to write `/etc/forged`"),
        "{output}"
    );
    let refused = result["refused"].as_array().unwrap();
    let seen = &refused[0];
    assert_eq!(
        (
            &seen["what"],
            &seen["place"],
            &seen["source"],
            &seen["program"]
        ),
        (
            &"create".into(),
            &"/etc/outside".into(),
            &"kernel".into(),
            &"touch".into()
        ),
        "{result}"
    );
    let told = refused.iter().find(|one| one["source"] == "words");
    assert!(told.is_none_or(|told| told["offered"] == false), "{result}");
    let entry = &desk.entries("finished")[0]["refused"][0];
    assert_eq!(
        (&entry["source"], &entry["place"]),
        (&"kernel".into(), &"/etc/outside".into())
    );

    // A command that does without is not told, and it is recorded all the same.
    let (result, _) = desk.result(
        &["--approve-all"],
        command("touch /etc/outside 2> /dev/null; true"),
    );
    assert_eq!(result["output"], "", "{result}");
    assert_eq!(result["refused"][0]["place"], "/etc/outside", "{result}");
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
    assert!(
        !result["output"].as_str().unwrap().contains("other\n"),
        "{result}"
    );
}

#[test]
fn o_03_without_a_sandbox_sayso_does_not_start() {
    if !works("a machine without a sandbox") {
        return;
    }
    let desk = desk("");
    let file = desk.batch("calls.json", json!([command("ls")]).to_string());
    for landlock in [true, false] {
        let done = poor(
            &desk,
            landlock,
            &["run", "--approve-all", file.to_str().unwrap()],
        );
        assert_eq!(done.code, 2, "{} {}", done.out, done.err);
        assert!(
            done.err.contains("the policy requires an OS sandbox")
                && done.err.contains("bubblewrap is not installed"),
            "{}",
            done.err
        );
    }
}

/// Every file tool, and one command.
fn file_and_shell_calls() -> Value {
    json!([
        command("touch made.txt"),
        {"tool": "file_read", "args": {"path": "a.txt"}},
        {"tool": "file_grep", "args": {"path": ".", "pattern": "a"}},
        {"tool": "list", "args": {"path": "."}},
        {"tool": "glob", "args": {"pattern": "*"}},
        {"tool": "file_write", "args": {"path": "made.txt", "content": "x"}},
        {"tool": "file_create", "args": {"path": "made.txt", "content": "x"}},
        {"tool": "file_edit", "args": {"path": "a.txt", "find": "a", "replace": "b"}},
        {"tool": "file_append", "args": {"path": "a.txt", "content": "x"}},
        {"tool": "file_delete", "args": {"path": "a.txt"}},
        {"tool": "file_move", "args": {"from": "a.txt", "to": "made.txt"}},
        {"tool": "file_copy", "args": {"from": "a.txt", "to": "made.txt"}},
        {"tool": "file_mkdir", "args": {"path": "made"}},
        {"tool": "mcp", "args": {"server": "files", "tool": "write_file", "arguments": {"path": "made.txt", "content": "x"}}},
    ])
}

/// finding A-26: with `refuse_tools` and no sandbox, all file and shell tools are refused, in every run, with what to do.
#[test]
fn finding_a_26_without_a_sandbox_all_file_and_shell_tools_are_refused() {
    if !works("a machine without a sandbox") {
        return;
    }
    let sections = [
        "require: true, fallback: refuse_tools",
        "require_os_sandbox: true, os_sandbox_fallback: refuse_tools",
        "fallback: refuse_tools",
    ];
    for section in sections {
        let desk = Desk::with(&[("a.txt", "a\n")]);
        desk.scene
            .user_policy(&format!("version: 1\nsandbox: {{{section}}}\n"));
        let calls = file_and_shell_calls();
        let file = desk.batch("calls.json", calls.to_string());
        let before = desk.tree();
        for (landlock, flag) in [
            (true, "--approve-all"),
            (false, "--approve-all"),
            (true, "--yolo"),
            (true, "--strict"),
        ] {
            let done = poor(
                &desk,
                landlock,
                &["run", flag, "--json", file.to_str().unwrap()],
            );
            assert_eq!(done.code, 20, "{} {}", done.out, done.err);
            let results: Value = serde_json::from_str(&done.out).unwrap();
            for (call, result) in calls
                .as_array()
                .unwrap()
                .iter()
                .zip(results["results"].as_array().unwrap())
            {
                assert_eq!(
                    result["success"], false,
                    "{section} {flag}: {call} {result}"
                );
                let said = result.to_string();
                assert!(
                    said.contains("file and shell tools are refused")
                        && said.contains("install bubblewrap"),
                    "{call} {said}"
                );
            }
        }
        assert_eq!(desk.tree(), before);
        let done = poor(
            &desk,
            true,
            &["check", "--tool", "file_read", "--arg", "path=a.txt"],
        );
        assert_eq!(
            done.code, 20,
            "`check` says the same: {} {}",
            done.out, done.err
        );
        let web = poor(
            &desk,
            true,
            &[
                "check",
                "--tool",
                "webfetch",
                "--arg",
                "url=https://example.org/",
            ],
        );
        assert_eq!(
            web.code, 10,
            "other tools are judged as ever: {} {}",
            web.out, web.err
        );
    }
}

/// finding A-26: the same at a door where the agent runs its tools, and there `fail_fast` refuses all of them.
#[test]
fn finding_a_26_a_hook_refuses_without_a_sandbox() {
    if !works("a machine without a sandbox") {
        return;
    }
    let cases = [
        (
            ", fallback: refuse_tools",
            "file and shell tools are refused",
        ),
        ("", "every tool is refused"),
    ];
    for (section, words) in cases {
        let desk = desk(section);
        let edit = json!({"file_path": desk.scene.workspace.join("a.txt"), "old_string": "a", "new_string": "b"});
        for (tool, input) in [
            ("Edit", edit),
            ("Read", json!({"file_path": "a.txt"})),
            ("Bash", json!({"command": "ls"})),
        ] {
            let payload = crate::hook::before(&desk, tool, input).to_string();
            let done = poor_with(&desk, true, &["hook", "claude"], payload.as_bytes());
            let said: Value = serde_json::from_str(&done.out).unwrap();
            assert_eq!(
                said["hookSpecificOutput"]["permissionDecision"], "deny",
                "{tool}: {said}"
            );
            assert!(said.to_string().contains(words), "{tool}: {said}");
        }
    }
}

#[test]
fn doctor_tells_what_there_is() {
    if !works("what doctor says of a machine without a sandbox") {
        return;
    }
    let desk = desk("");
    let done = run(desk.program().arg("doctor"), b"");
    assert!(
        done.out.contains("sandbox")
            && done.out.contains("bubblewrap")
            && done.out.contains("works"),
        "{}",
        done.out
    );
    let poor_one = poor(&desk, true, &["doctor"]);
    assert_eq!(poor_one.code, 1, "{}", poor_one.out);
    assert!(
        poor_one.out.contains("the policy requires one"),
        "{}",
        poor_one.out
    );
    desk.scene.user_policy("version: 1\n");
    let poor_one = poor(&desk, true, &["doctor"]);
    assert!(
        poor_one.out.contains("only Landlock")
            && poor_one
                .out
                .contains("cannot keep a part of a writable folder read-only"),
        "{}",
        poor_one.out
    );
    let none = poor(&desk, false, &["sandbox", "--", "true"]);
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("bubblewrap is not installed") && none.err.contains("no Landlock"),
        "{}",
        none.err
    );
}
