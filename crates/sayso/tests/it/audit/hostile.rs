//! Text of an agent in every column: it moves no cursor, starts no line, hides nothing.

use sayso_store::Journal;

use super::{audit, now, objects, out, put, rows};
use crate::desk::Desk;

const TEXTS: [&str; 6] = [
    "\u{1b}[2J\u{1b}]0;owned\u{7}",
    "a\n    9  now  ✓ approved  everything is well",
    "\r\u{8}\u{8}x",
    "\u{202e}evil\u{2066}\u{200b}",
    "\u{85}\u{2028}\u{9b}31m",
    "‹U+202E› ␛",
];

fn desk() -> Desk {
    let desk = Desk::with(&[]);
    let journal = Journal::open(&desk.scene.state()).unwrap();
    for text in TEXTS {
        let names = [
            "agent",
            "tool",
            "rule",
            "source",
            "by",
            "what",
            "session",
            "outcome",
            "decision",
            "risk",
            "note",
            "why",
            "scope",
            "profile",
            "cwd",
            "batch",
            "message",
            "new_field",
        ];
        put(&journal, text, now(), &names.map(|name| (name, text)));
    }
    desk
}

fn is_clean(text: &str) {
    for character in text.chars() {
        assert!(
            character == '\n' || !character.is_control(),
            "{character:?} in {text:?}"
        );
        assert!(
            !matches!(character, '\u{202e}' | '\u{2066}' | '\u{200b}' | '\u{2028}'),
            "{character:?} in {text:?}"
        );
    }
}

#[test]
fn nothing_gets_out() {
    let desk = desk();
    assert_eq!(rows(&desk, &["list"]).len(), TEXTS.len(), "one line each");
    assert_eq!(
        rows(&desk, &["list", "--all-kinds", "--absolute"]).len(),
        TEXTS.len()
    );
    assert_eq!(out(&desk, &["tail"]).lines().count(), TEXTS.len());
    for words in [
        &["list"][..],
        &["tail"],
        &["stats"],
        &["verify"],
        &["list", "--json"],
        &["stats", "--json"],
        &["export", "--format", "html"],
    ] {
        is_clean(&out(&desk, words));
    }
    for (index, text) in TEXTS.iter().enumerate() {
        let number = (index + 1).to_string();
        let shown = out(&desk, &["show", &number]);
        is_clean(&shown);
        assert!(
            !shown
                .lines()
                .any(|line| line.trim_start().starts_with("9  now")),
            "{shown}"
        );
        is_clean(&out(&desk, &["show", &number, "--json"]));
        assert_eq!(
            objects(&desk, &["list", "--json"])[index]["what"],
            *text,
            "JSON says exactly what it was"
        );
    }
    for text in TEXTS {
        for flag in [
            "--agent",
            "--session",
            "--tool",
            "--rule",
            "--text",
            "--kind",
        ] {
            let done = audit(&desk, &["list", flag, text]).is(0, flag);
            is_clean(&done.out);
        }
        is_clean(&audit(&desk, &["show", text]).err);
    }
}

#[test]
fn csv_is_clean_too() {
    let text = out(&desk(), &["export", "--format", "csv"]);
    is_clean(&text.replace("\r\n", "\n"));
    assert_eq!(text.matches("\r\n").count(), TEXTS.len() + 1);
}
