//! `sayso check` against input that nobody should send: a clear answer or a clear error, never a crash or a hang.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use crate::program::{Outcome, noise, run};
use crate::scene::Scene;

fn check(scene: &Scene, words: &[&str]) -> Outcome {
    run(scene.program().arg("check").args(words), b"")
}

fn lines(scene: &Scene, input: &[u8]) -> Vec<serde_json::Value> {
    let done = run(scene.program().args(["check", "--jsonl"]), input).is(0, "a stream ends well");
    done.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn the_stream_goes_on_after_a_bad_line_and_answers_in_order() {
    let scene = Scene::empty();
    let input = concat!(
        "{\"id\":1,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"}}\n",
        "this is no JSON\n",
        "{\"id\":2,\"tool\":\"terminal\",\"args\":{\"command\":\"rm -rf /\"}}\n",
        "\n",
        "{\"id\":\"three\",\"tool\":5}\n",
        "[1,2]\n",
        "{\"id\":4,\"tool\":\"terminal\",\"args\":{\"command\":\"\"}}\n",
        "{\"id\":5,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"}",
        "\n{\"id\":6,\"tool\":\"terminal\",\"args\":{\"command\":\"make\"}}"
    );
    let answers = lines(&scene, input.as_bytes());
    let short: Vec<(String, String)> = answers
        .iter()
        .map(|answer| {
            (
                answer["id"].to_string(),
                answer["decision"]
                    .as_str()
                    .unwrap_or(if answer["error"].is_string() {
                        "error"
                    } else {
                        "?"
                    })
                    .to_owned(),
            )
        })
        .collect();
    let expected = [
        ("1", "allow"),
        ("null", "error"),
        ("2", "deny"),
        ("\"three\"", "error"),
        ("null", "error"),
        ("4", "deny"),
        ("null", "error"),
        ("6", "ask"),
    ];
    assert_eq!(
        short,
        expected.map(|(id, decision)| (id.to_owned(), decision.to_owned()))
    );
}

#[test]
fn a_stream_of_noise_gets_an_error_for_each_line() {
    let scene = Scene::empty();
    let bytes = noise(1 << 20, 0x5eed);
    for answer in lines(&scene, &bytes) {
        assert!(answer["error"].is_string(), "{answer}");
    }
    let last = [
        bytes.as_slice(),
        b"\n{\"id\":7,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"}}\n",
    ]
    .concat();
    assert_eq!(
        lines(&scene, &last).last().unwrap()["decision"],
        "allow",
        "and goes on"
    );
}

#[test]
fn bad_lines_get_an_error_and_bad_calls_a_denial() {
    let scene = Scene::empty();
    let bad: [&[u8]; 12] = [
        b"{\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"",
        b"{\"tool\":\"terminal\",\"tool\":\"list\"}",
        b"{\"tool\":\"terminal\",\"args\":{\"command\":\"ls\",\"command\":\"rm\"}}",
        b"\xff\xfe{\"tool\":\"list\"}",
        b"{\"tool\":\"li\xffst\"}",
        b"\0",
        b"{\"tool\":\"list\"} {\"tool\":\"list\"}",
        b"{'tool':'list'}",
        b"{\"tool\":null}",
        b"{}",
        b"null",
        b"{\"tool\":\"list\",\"workspace\":7}",
    ];
    for line in bad {
        let answers = lines(&scene, line);
        assert!(
            matches!(answers.as_slice(), [one] if one["error"].is_string()),
            "{}: {answers:?}",
            String::from_utf8_lossy(line)
        );
    }
    let calls = [
        r#"{"tool":"terminal","args":{"command":"ls\u0000"}}"#,
        r#"{"tool":"terminal","args":["ls"]}"#,
        r#"{"tool":"terminal","args":"ls"}"#,
        r#"{"tool":"file_read","args":{"path":{"a":1}}}"#,
        r#"{"tool":"file_read","args":{"path":"a","file":"b"}}"#,
    ];
    for line in calls {
        let answers = lines(&scene, line.as_bytes());
        assert!(
            matches!(answers.as_slice(), [one] if one["decision"] == "deny"),
            "{line}: {answers:?}"
        );
    }
}

#[test]
fn deep_documents_end_in_an_error_and_not_in_the_stack() {
    let scene = Scene::empty();
    for depth in [100, 100_000] {
        let line = format!("{{\"tool\":\"frob\",\"args\":{{\"x\":{}}}}}", nested(depth));
        let answers = lines(&scene, line.as_bytes());
        assert_eq!(answers.len(), 1, "{depth}");
        assert_ne!(answers[0]["decision"], "allow", "{depth}");
        assert_eq!(
            lines(&scene, "[".repeat(depth).as_bytes()).len(),
            1,
            "{depth}, open"
        );
        let text = format!("{{\"x\":{}}}", nested(depth.min(30_000)));
        let done = check(&scene, &["--tool", "frob", "--args", &text]);
        assert!(done.code == 2 || done.code == 10, "{depth}: {}", done.code);
    }
    for text in [
        "$(".repeat(20_000),
        "(".repeat(50_000),
        "`".repeat(50_001),
        "{ ".repeat(30_000),
        "a && ".repeat(12_000),
    ] {
        let done = check(&scene, &["--", &text]);
        assert!(
            done.code == 10 || done.code == 20,
            "{}: {}",
            text.get(..8).unwrap(),
            done.code
        );
    }
}

#[test]
fn arguments_that_are_no_text_or_no_pair_are_usage_errors() {
    let scene = Scene::empty();
    let broken = OsStr::from_bytes(b"l\xffs");
    run(scene.program().args(["check", "--"]).arg(broken), b"")
        .is(2, "a command that is not UTF-8");
    run(scene.program().args(["check", "--tool"]).arg(broken), b"")
        .is(2, "a tool that is not UTF-8");
    run(
        scene
            .program()
            .args(["check", "--tool", "list", "--arg"])
            .arg(broken),
        b"",
    )
    .is(2, "an argument that is not UTF-8");
    run(
        scene
            .program()
            .args(["check", "-C"])
            .arg(broken)
            .args(["--", "ls"]),
        b"",
    )
    .is(2, "a folder that is not UTF-8");
    run(
        scene
            .program()
            .args(["check", "--policy"])
            .arg(broken)
            .args(["--", "ls"]),
        b"",
    )
    .is(2, "a policy that is not UTF-8");
    for words in [
        &["--tool", "list", "--arg", "path"][..],
        &["--tool", "list", "--arg", "path=a", "--arg", "path=b"],
        &["--tool", "list", "--args", "{\"path\":"],
        &["--tool", "list", "--args", "{\"path\":1,\"path\":2}"],
        &["--tool", "list", "--args", "{}", "--arg", "a=b"],
        &["--tool", "list", "--jsonl"],
        &["--mode", "whatever", "--", "ls"],
        &["--profile", "whatever", "--", "ls"],
        &["-C", "/sayso-absent", "--", "ls"],
        &["--policy", "/sayso-absent.yaml", "--", "ls"],
        &["--unknown-flag"],
        &[],
    ] {
        check(&scene, words).is(2, &format!("{words:?}"));
    }
    for (words, code) in [
        (&["--tool", "list", "--args", "[1]"][..], 20),
        (&["--tool", "list", "--args", "null"], 0),
        (&["--tool", "", "--args", "{}"], 10),
        (&["--", ""], 20),
        (&["--tool", "terminal", "--arg", "command=ls"], 0),
    ] {
        check(&scene, words).is(code, &format!("{words:?}"));
    }
}

#[test]
fn noise_as_a_command_is_never_allowed() {
    let scene = Scene::empty();
    for seed in 1..20 {
        let text: String = noise(8_000, seed)
            .into_iter()
            .filter(|byte| *byte != 0)
            .map(char::from)
            .collect();
        let done = check(&scene, &["--json", "--", &text]);
        assert!(
            done.code == 10 || done.code == 20,
            "seed {seed}: {}",
            done.code
        );
        serde_json::from_str::<serde_json::Value>(&done.out)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let done = check(
            &scene,
            &[
                "--tool",
                "file_write",
                "--arg",
                &format!("path={text}"),
                "--arg",
                "content=x",
            ],
        );
        assert!(
            done.code == 10 || done.code == 20,
            "seed {seed}: {}",
            done.code
        );
        assert!(
            !done.out.chars().any(|c| c.is_control() && c != '\n'),
            "seed {seed}: nothing reaches the terminal raw"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let scene = Scene::empty();
    let input = "{\"id\":1,\"tool\":\"terminal\",\"args\":{\"command\":\"ls\"}}\n".repeat(20_000);
    for words in [
        &["check", "--jsonl"][..],
        &["policy", "schema"],
        &["policy", "show"],
        &["check", "--", "ls"],
    ] {
        let mut program = scene.program();
        let mut child = program
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        let input = input.clone();
        let writer = std::thread::spawn(move || {
            drop(std::io::Write::write_all(&mut stdin, input.as_bytes()))
        });
        let done = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code().is_some_and(|code| code != 101),
            "{words:?}: {:?} {err}",
            done.status
        );
        assert!(!err.contains("panicked"), "{words:?}: {err}");
    }
}

/// The exit status of a run whose output nobody reads.
fn unread(scene: &Scene, words: &[&str]) -> Option<i32> {
    let mut child = scene
        .program()
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code()
}

#[test]
fn an_answer_that_nobody_reads_keeps_its_exit_status() {
    let scene = Scene::empty();
    for (command, code) in [("rm -rf /", 20), ("make", 10), ("ls", 0), ("", 20)] {
        assert_eq!(
            unread(&scene, &["check", "--", command]),
            Some(code),
            "{command}"
        );
        assert_eq!(
            unread(&scene, &["check", "--json", "--", command]),
            Some(code),
            "{command}"
        );
    }
    let rows = scene.outside.join("rows.yaml");
    std::fs::write(&rows, "- {command: ls, expect: deny}\n").unwrap();
    assert_eq!(
        unread(&scene, &["policy", "test", rows.to_str().unwrap()]),
        Some(1)
    );
    scene.user_policy("modee: balanced\n");
    assert_eq!(unread(&scene, &["policy", "check"]), Some(2));
}

#[test]
fn without_a_home_every_command_says_so() {
    let scene = Scene::empty();
    scene.project_policy("version: 1\n", false);
    for words in [
        &["check", "--", "ls"][..],
        &["check", "--jsonl"],
        &["policy", "show"],
        &["policy", "check"],
        &["policy", "test"],
        &["policy", "trust", "--yes"],
        &["policy", "init", "--user"],
    ] {
        let done =
            run(scene.program().env_remove("HOME").args(words), b"").is(2, &format!("{words:?}"));
        assert!(done.err.contains("HOME"), "{words:?}: {}", done.err);
    }
    run(
        scene
            .program()
            .env("HOME", "relative")
            .args(["check", "--", "ls"]),
        b"",
    )
    .is(2, "a home that is not absolute");
}
