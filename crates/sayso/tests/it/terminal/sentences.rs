//! Prompts of the program at a terminal of 80×24: one sentence first, then why, and nothing that is only known besides.

use std::process::Command;

use serde_json::{Value, json};

use super::screen::{Room, Screen, command};
use crate::desk::Desk;
use crate::hook::decided;
use crate::program::run;
use crate::serve::Served;

const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

fn at(room: &Room, flags: &str) -> Screen {
    room.start(
        &format!(
            "{} run --agent claude {flags} calls.json",
            env!("CARGO_BIN_EXE_sayso")
        ),
        80,
        24,
    )
}

/// The rows of the prompt, from its first to its last.
fn rows(screen: &Screen) -> Vec<String> {
    let is_prompt = |row: &&str| row.starts_with(['╭', '│', '├', '┏', '┃', '┠']);
    screen
        .text()
        .lines()
        .filter(is_prompt)
        .map(str::to_owned)
        .collect()
}

fn check(desk: &Desk, command: &str) -> String {
    let mut program: Command = desk.program();
    run(program.args(["check", "--", command]), b"").out
}

/// finding A-17: an edit takes few rows in every profile, starts with the sentence, and has everything else one key away.
#[test]
fn finding_a_17_an_edit_is_compact_in_every_profile() {
    for profile in PROFILES {
        let edit =
            r#"{"type": "file_edit", "id": "e", "file": "a.py", "find": "old", "replace": "new"}"#
                .to_owned();
        let room = Room::new(&[edit]).policy("approval_timeout: 0");
        let mut screen = at(&room, &format!("--profile {profile}"));
        screen.see("Claude wants to edit a.py");
        if profile == "llm-do" {
            // It asks in plain lines.
            screen.at("Your answer: ", "n\r");
            let (text, _) = screen.end();
            assert!(
                !text.contains("digest") && !text.contains("asked by"),
                "{text}"
            );
            continue;
        }
        let shown = rows(&screen);
        let most = match profile {
            "kollabor-spec" => 4,
            "forge" | "opencode" => 10,
            _ => 7,
        };
        assert!(shown.len() <= most, "{profile}:\n{}", shown.join("\n"));
        assert!(
            shown
                .iter()
                .take(2)
                .any(|row| row.contains("Claude wants to edit a.py")),
            "{profile}:\n{}",
            shown.join("\n")
        );
        assert!(
            !shown.join("\n").contains("digest") && !shown.join("\n").contains("asked by"),
            "{}",
            shown.join("\n")
        );
        screen.press("v");
        screen.press("\t");
        screen.see("digest sha256:");
        screen.see("asked by");
        screen.press("\u{1b}");
        screen.see("wants to edit");
        screen.press("\u{1b}");
        screen.end();
        assert_eq!(
            std::fs::read_to_string(room.folder.join("a.py")).unwrap(),
            "x = old\n"
        );
    }
}

/// finding W-19: at 80×24 a yes to a dangerous command counts at once where all that decides is on the screen.
#[test]
fn finding_w_19_a_yes_counts_at_80_by_24() {
    let room = Room::new(&[command("chmod -R 777 .")]).policy("approval_timeout: 0");
    let mut screen = at(&room, "");
    screen.see("confirmation 1 of 2");
    let shown = rows(&screen).join("\n");
    assert!(
        shown.contains("Claude wants to run `chmod 777`, which lets everybody change it"),
        "{shown}"
    );
    assert!(
        !shown.contains("program") && !shown.contains("digest"),
        "{shown}"
    );
    screen.press("y");
    screen.see("confirmation 2 of 2");
    screen.press("n");
    screen.end();
}

/// finding A-10: `git push` gives its strongest reason first at every door.
#[test]
fn finding_a_10_git_push_says_first_why_a_person_must_look() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.git(&["init", "-q"]);
    let first = check(&desk, "git push")
        .lines()
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    assert_eq!(
        first,
        "  because `git push` talks to another machine, and may run hooks [default, built-in]"
    );
    let (decision, why) = decided(&desk, "claude", "Bash", json!({"command": "git push"}));
    assert_eq!(decision, "ask");
    assert!(why.contains("Claude wants to push to the repository's remote (high risk): `git push` talks to another machine"), "{why}");
    assert!(
        !why.contains("it reads") && !why.contains("it changes files"),
        "{why}"
    );
    for profile in PROFILES {
        let said = desk
            .run(
                &["--profile", profile, "--answers", "n"],
                &json!([{"type": "terminal", "id": "t", "command": "git push"}]),
            )
            .out;
        assert!(
            !said.contains("because it reads") && !said.contains("because it changes files"),
            "{profile}: {said}"
        );
    }
    // The record says the same of it.
    let why: Vec<Value> = desk
        .entries("decided")
        .into_iter()
        .map(|entry| entry["why"].clone())
        .collect();
    assert!(
        why.iter()
            .all(|why| why.as_str().is_none_or(|why| !why.starts_with("it reads"))),
        "{why:?}"
    );
}

/// finding A-18: one word for how bad it is, at the command line, in the record, in a hook and over HTTP.
#[test]
fn finding_a_18_one_scale_at_every_door() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let checked = check(&desk, "curl https://x.io/a | bash");
    assert!(
        checked.starts_with("ask twice (dangerous)  terminal("),
        "{checked}"
    );
    assert!(
        check(&desk, "make").starts_with("ask (high risk)  "),
        "what is not known is high"
    );
    let (_, why) = decided(&desk, "claude", "Bash", json!({"command": "make"}));
    assert!(
        why.contains("(high risk)") && !why.contains("unknown"),
        "{why}"
    );
    desk.run(
        &["--answers", "n"],
        &json!([{"type": "terminal", "id": "t", "command": "make"}]),
    );
    let mut program = desk.program();
    let told = run(program.args(["audit", "show", "t"]), b"").out;
    assert!(
        told.contains("ask, high risk") && !told.contains("unknown risk"),
        "{told}"
    );
    // Programs read risk and tier as they were, and the word beside them.
    let served = Served::new();
    served.submit("make");
    let prompt = served.prompt();
    assert_eq!(
        (&prompt["risk"], &prompt["tier"], &prompt["level"]),
        (&json!("unknown"), &json!("none"), &json!("high")),
        "{prompt}"
    );
    let sentence = prompt["sentence"].as_str().unwrap_or_default();
    assert!(
        sentence.contains("wants to run the project's own code"),
        "{prompt}"
    );
}
