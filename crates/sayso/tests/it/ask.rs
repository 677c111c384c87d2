//! `sayso ask`: one question for a tool that sayso does not run, at the terminal or in the inbox, recorded, with a status for scripts.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::program::{Outcome, run};
use crate::serve::Served;
use crate::terminal::Terminal;

/// The command without a terminal and without an inbox.
fn alone(desk: &Desk, words: &[&str]) -> Outcome {
    run(
        desk.program()
            .arg("ask")
            .args(words)
            .current_dir(&desk.scene.workspace),
        b"",
    )
}

fn desk(policy: &str) -> Desk {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy(&format!("version: 1\n{policy}"));
    desk
}

/// At a terminal that shows lines.
fn at_terminal(desk: &Desk, words: &[&str]) -> Terminal {
    let program = desk.program();
    let set: Vec<(&str, &str)> = program
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
        .collect();
    let all: Vec<&str> = ["ask"].iter().chain(words).copied().collect();
    Terminal::start_with(desk.scene.workspace.as_ref(), &set, 110, &all)
}

/// Types a line once the question stands there.
fn answer(terminal: &mut Terminal, line: &str) {
    terminal.wait_for("Your answer:");
    std::thread::sleep(Duration::from_millis(1000));
    terminal.keys(line);
}

/// finding A-39: the question stands in one's own terminal; yes is 0, no is 20 with its words, and both are in the record.
#[test]
fn finding_a_39_a_script_asks_in_ones_own_terminal() {
    let desk = desk("");
    let words = [
        "deploy",
        "--arg",
        "target=prod",
        "--description",
        "Deploy 1.4 to production",
    ];
    let mut terminal = at_terminal(&desk, &words);
    for shown in [
        "wants to use the tool deploy",
        "the tool says  Deploy 1.4 to production",
        "target",
    ] {
        terminal.wait_for(shown);
    }
    answer(&mut terminal, "y\r");
    let (text, code) = terminal.end();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("allowed by you"), "{text}");
    let mut terminal = at_terminal(&desk, &words);
    answer(&mut terminal, "n not on a friday\r");
    let (text, code) = terminal.end();
    assert_eq!(code, 20, "{text}");
    assert!(text.contains("not on a friday"), "{text}");
    let decided = desk.entries("decided");
    let outcomes: Vec<&Value> = decided.iter().map(|entry| &entry["outcome"]).collect();
    assert_eq!(outcomes, ["approved", "denied"]);
    assert_eq!(
        (&decided[0]["tool"], &decided[0]["args"]["target"]),
        (&json!("deploy"), &json!("prod"))
    );
}

/// finding A-39: an answer for the session is remembered by the payload, across processes, and for no other session.
#[test]
fn finding_a_39_an_answer_is_kept_for_the_session_by_payload() {
    let desk = desk("");
    let ask = |session: &'static str, body: &str, payload: &'static str| {
        let args = format!("{{\"to\":\"ann\",\"body\":\"{body}\"}}");
        [
            "send_mail".to_owned(),
            "--args".into(),
            args,
            "--payload".into(),
            payload.into(),
            "--session".into(),
            session.into(),
        ]
    };
    let first = ask("s1", "one", r#"{"to":"ann","n":1}"#);
    let mut terminal = at_terminal(&desk, &first.iter().map(String::as_str).collect::<Vec<_>>());
    answer(&mut terminal, "session\r");
    // A wider answer shows its reach first, of those that there are the one that was asked for.
    terminal.wait_for("How wide?");
    std::thread::sleep(Duration::from_millis(1000));
    terminal.keys("1\r");
    terminal.wait_for("Keep that? [y/N]:");
    std::thread::sleep(Duration::from_millis(1000));
    terminal.keys("y\r");
    let (text, code) = terminal.end();
    assert_eq!(code, 0, "{text}");
    let again = |words: [String; 7]| {
        alone(&desk, &words.iter().map(String::as_str).collect::<Vec<_>>()).code
    };
    assert_eq!(
        again(ask("s1", "two", r#"{"n":1,"to":"ann"}"#)),
        0,
        "another body and another order"
    );
    assert_eq!(
        again(ask("s1", "one", r#"{"n":"1","to":"ann"}"#)),
        20,
        "another type is another payload"
    );
    assert_eq!(
        again(ask("s2", "one", r#"{"to":"ann","n":1}"#)),
        20,
        "another session"
    );
}

/// finding A-39: the policy judges first, in every profile: what it denies and what it allows asks nobody.
#[test]
fn finding_a_39_the_policy_judges_first() {
    for profile in crate::serve::PROFILES {
        let rules =
            "rules:\n  - allow: {tool: note}\n  - deny: {tool: drop_database}\n    reason: never\n";
        let desk = desk(&format!("profile: {profile}\n{rules}"));
        assert_eq!(
            alone(&desk, &["note", "--arg", "text=x"]).code,
            0,
            "{profile}"
        );
        let denied = alone(&desk, &["drop_database", "--json"]);
        assert_eq!(
            (denied.code, crate::desk::read(&denied)["outcome"].clone()),
            (20, json!("blocked")),
            "{profile}"
        );
        let wiped = alone(&desk, &["terminal", "--arg", "command=rm -rf /", "--json"]);
        let wiped = (wiped.code, crate::desk::read(&wiped));
        assert_eq!(
            (wiped.0, &wiped.1["tier"], &wiped.1["approved"]),
            (20, &json!("catastrophic"), &json!(false)),
            "{profile}"
        );
        // Nobody can be asked: that is said, and is no yes.
        let nobody = alone(&desk, &["deploy", "--arg", "target=prod"]);
        assert_eq!(nobody.code, 20, "{profile}: {nobody:?}");
        assert!(
            nobody.err.contains(
                "nobody can be asked: there is no terminal here, and the inbox is not open"
            ),
            "{nobody:?}"
        );
        assert!(
            nobody.err.contains("hint: ") && nobody.err.contains("sayso serve"),
            "{nobody:?}"
        );
    }
}

/// finding A-39: without a terminal the question is in the inbox, with the tool's picture, and the answer comes back with its words.
#[test]
fn finding_a_39_without_a_terminal_the_inbox_asks() {
    let served = Served::new();
    let start = |words: &[&str]| {
        let mut program = served.desk.program();
        program
            .arg("ask")
            .args(words)
            .current_dir(&served.desk.scene.workspace);
        program
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let picture = r#"{"type":"diff","content":"@@ -1 +1 @@\n-old\n+new \u001b[2J\n","metadata":{"path":"x.md"}}"#;
    let child = start(&[
        "publish",
        "--arg",
        "page=x",
        "--presentation",
        picture,
        "--json",
    ]);
    let prompt = served.prompt();
    assert_eq!(
        (&prompt["tool"], &prompt["preview"]["type"]),
        (&json!("publish"), &json!("diff"))
    );
    assert!(
        !prompt["preview"].to_string().contains("\\u001b"),
        "{}",
        prompt["preview"]
    );
    served.yes(&prompt).is(200);
    let out = child.wait_with_output().unwrap();
    let said: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (out.status.code(), &said["approved"], &said["scope"]),
        (Some(0), &json!(true), &json!("once")),
        "{said}"
    );
    let child = start(&["publish", "--arg", "page=y", "--inbox"]);
    served
        .answer(
            &served.prompt(),
            json!({"choice": "deny", "note": "ask me on monday"}),
        )
        .is(200);
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(20));
    assert!(
        String::from_utf8_lossy(&out.stdout).contains("ask me on monday"),
        "{out:?}"
    );
    // Nobody answers: that ends in time, and is no yes.
    let begun = Instant::now();
    let out = start(&["publish", "--arg", "page=z", "--timeout", "1", "--json"])
        .wait_with_output()
        .unwrap();
    let said: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (out.status.code(), &said["outcome"]),
        (Some(20), &json!("timed_out")),
        "{said}"
    );
    assert!(begun.elapsed() < Duration::from_secs(60));
    while !served.prompts().is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it is not open any more"
        );
    }
}

/// finding A-39: bad input asks nobody, says what is wrong, and ends with 2.
#[test]
fn finding_a_39_bad_input_is_an_error_and_no_decision() {
    let desk = desk("");
    for (words, told) in [
        (&["x", "--arg", "novalue"][..], "has no name and value"),
        (&["x", "--arg", "=v"], "has no name and value"),
        (&["x", "--arg", "a=1", "--arg", "a=2"], "given twice"),
        (&["x", "--args", "{\"a\":1}", "--arg", "a=2"], "given twice"),
        (&["x", "--args", "[1]"], "not an object"),
        (&["x", "--args", "{"], "no JSON"),
        (&["x", "--args", "{\"a\":1,\"a\":2}"], "stands twice"),
        (&["x", "--payload", "7"], "not an object"),
        (
            &[
                "x",
                "--presentation",
                "{\"type\":\"html\",\"content\":\"\"}",
            ],
            "`type` is one of",
        ),
        (&["x", "--presentation", "@missing.json"], "cannot be read"),
        (&["x", "--timeout", "0"], "0"),
        (&["terminal"], "command"),
        (&["a\u{1b}b"], "control character"),
        (&[], "TOOL"),
    ] {
        let done = alone(&desk, words);
        assert_eq!(done.code, 2, "{words:?}: {done:?}");
        assert!(done.err.contains(told), "{words:?}: {done:?}");
        assert!(done.out.is_empty(), "{words:?}: {done:?}");
    }
    assert!(desk.entries("decided").is_empty() && desk.entries("asked").is_empty());
}

/// finding A-39: an agent does not ask in a person's name: not by a command that is judged, and not below a process of an agent.
#[test]
fn finding_a_39_it_is_not_for_agents() {
    let desk = desk("");
    for command in [
        "sayso ask deploy --arg target=prod",
        "true && sayso ask x",
        "env sayso ask x",
        "bash -c 'sayso ask x'",
    ] {
        let done = run(
            desk.program()
                .args(["check", "--json", "--", command])
                .current_dir(&desk.scene.workspace),
            b"",
        );
        assert_eq!(
            (done.code, crate::desk::read(&done)["tier"].clone()),
            (20, json!("catastrophic")),
            "{command}"
        );
    }
    let done = run(
        desk.program()
            .env("CLAUDECODE", "1")
            .args(["ask", "deploy"])
            .current_dir(&desk.scene.workspace),
        b"",
    );
    assert_eq!(done.code, 20, "{done:?}");
    assert!(desk.entries("asked").is_empty());
}

/// finding A-39: it is listed, and the example for scripts does nothing without a yes.
#[test]
fn finding_a_39_it_is_in_the_help_and_the_example_works() {
    let desk = desk("rules:\n  - allow: {tool: deploy}\n    when: {agent: robot}\n");
    let help = run(desk.program().arg("--help"), b"");
    assert!(help.out.contains("\n  ask "), "{}", help.out);
    let help = run(desk.program().args(["ask", "--help"]), b"");
    for words in [
        "--payload",
        "--presentation",
        "--session",
        "--inbox",
        "--timeout",
        "Exit status: 0 allowed, 20 not allowed, 2 usage",
    ] {
        assert!(help.out.contains(words), "{words}: {}", help.out);
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ask/deploy.sh");
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_sayso"))
        .parent()
        .unwrap();
    let mut program = desk.program();
    let set: Vec<_> = program
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    program = std::process::Command::new("/bin/sh");
    program
        .env_clear()
        .envs(set)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    let done = run(
        program
            .args([script, "prod"])
            .current_dir(&desk.scene.workspace),
        b"",
    );
    assert_eq!(done.code, 20, "{done:?}");
    assert!(!done.out.contains("deploying"), "{done:?}");
}
