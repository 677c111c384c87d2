//! The question: it is asked at a terminal, after the change was shown, and only a yes changes anything.

use std::fs;

use serde_json::Value;

use super::{Home, commands, own};
use crate::at_terminal::{Seen, Typed, at_terminal};
use crate::program::run;

/// What a person sees and types.
fn asked(home: &Home, typed: &[Typed<'_>]) -> Seen {
    at_terminal(&home.scene, &["install", "claude", "--anyway"], 200, typed)
}

#[test]
fn only_a_yes_at_the_terminal_changes_anything() {
    for (answer, code) in [
        ("n\n", 20),
        ("\n", 20),
        ("\u{4}", 20),
        ("yes please\n", 20),
        ("y\n", 0),
        ("YES\n", 0),
    ] {
        let home = Home::with_claude("{}\n");
        let seen = asked(&home, &[Typed::At("change this? [y/N] ", answer)]);
        assert_eq!(seen.code, code, "{answer}: {}", seen.text);
        assert!(
            seen.text.find("\"PreToolUse\"") < seen.text.find("change this?"),
            "the change is shown first: {}",
            seen.text
        );
        match code {
            0 => assert_eq!(commands(&home.claude(), "PreToolUse"), [own("claude")]),
            _ => assert_eq!(
                fs::read_to_string(home.claude()).unwrap(),
                "{}\n",
                "{answer}"
            ),
        }
    }
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let home = Home::with_claude("{}\n");
    let seen = asked(
        &home,
        &[
            Typed::Ahead("y\ny\ny\n"),
            Typed::At("change this? [y/N] ", "n\n"),
        ],
    );
    assert_eq!(seen.code, 20, "{}", seen.text);
    assert_eq!(fs::read_to_string(home.claude()).unwrap(), "{}\n");
}

#[test]
fn no_key_beside_the_question_moves_the_screen() {
    let home = Home::with_claude("{\n  \"model\": \"a\\u001b[2J\u{202e}b\"\n}\n");
    let seen = asked(&home, &[Typed::At("change this? [y/N] ", "n\n")]);
    assert!(
        !seen.text.contains('\u{1b}')
            && !seen.text.contains('\u{202e}')
            && seen.text.contains("U+202E"),
        "{}",
        seen.text
    );
}

#[test]
fn a_pipe_is_nobody() {
    let home = Home::with_claude("{}\n");
    for verb in ["install", "uninstall"] {
        let flags: &[&str] = if verb == "install" {
            &["--anyway"]
        } else {
            &[]
        };
        if verb == "uninstall" {
            home.install(&["claude"]).is(0, "install");
        }
        let before = fs::read_to_string(home.claude()).unwrap();
        let refused = run(
            home.scene.program().args([verb, "claude"]).args(flags),
            b"y\n",
        )
        .is(2, verb);
        assert!(
            refused.err.contains("no terminal to ask on") && refused.err.contains("--yes"),
            "{}",
            refused.err
        );
        assert_eq!(fs::read_to_string(home.claude()).unwrap(), before);
    }
}

#[test]
fn a_dry_run_touches_nothing() {
    let home = Home::new();
    let done = home
        .run(&["install", "claude", "--anyway", "--dry-run"])
        .is(0, "dry run");
    assert!(done.out.contains("nothing was changed"), "{}", done.out);
    assert!(!home.claude().parent().unwrap().exists() && !home.scene.state().exists());
}

#[test]
fn programs_get_json() {
    let home = Home::with_claude("{}\n");
    let read = |out: &str| serde_json::from_str::<Value>(out).unwrap();
    let dry = read(
        &home
            .run(&["install", "claude", "--anyway", "--dry-run", "--json"])
            .is(0, "dry run")
            .out,
    );
    assert_eq!(
        (&dry["changes"], &dry["done"], &dry["undo"]),
        (&true.into(), &false.into(), &Value::Null)
    );
    let done = read(&home.install(&["claude", "--json"]).is(0, "install").out);
    assert_eq!(
        (&done["agent"], &done["scope"], &done["done"]),
        (&"claude".into(), &"user".into(), &true.into())
    );
    assert!(done["files"][0]["diff"].as_str().unwrap().contains("+++ "));
    assert!(fs::read_to_string(done["files"][0]["backup"].as_str().unwrap()).unwrap() == "{}\n");
    let again = read(
        &home
            .run(&["install", "claude", "--anyway", "--json"])
            .is(0, "nothing has to be asked")
            .out,
    );
    assert_eq!(again["changes"], false);
    let gone = read(&home.uninstall(&["claude", "--json"]).is(0, "uninstall").out);
    assert_eq!(gone["done"], true);
}
