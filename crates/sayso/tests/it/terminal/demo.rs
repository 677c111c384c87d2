//! `sayso demo` with somebody at the terminal, and without.

use std::process::{Command, Stdio};

use sayso_sandbox::backend::Backend;

use super::Terminal;

#[test]
fn the_demo_asks_on_a_terminal_and_runs_what_was_allowed() {
    let home = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
    let mut terminal = Terminal::start(home.path(), home.path(), &["demo"]);
    terminal.wait_for("ran, unasked");
    terminal.answer("Your answer: ", "y");
    terminal.wait_for("approved file_edit(src/greet.py) once; running it");
    // Where there is a sandbox, nobody is asked about what cannot be known.
    let bounded = Backend::full().is_ok();
    if !bounded {
        eprintln!("NOT CHECKED: the demo in a sandbox");
        terminal.answer("Your answer: ", "y");
    }
    terminal.wait_for("│ Hello, world!");
    if bounded {
        terminal.wait_for("ran, unasked, in a sandbox");
    }
    terminal.answer("Your answer: ", "n no secrets for you");
    terminal.wait_for("no secrets for you");
    terminal.answer("Your answer: ", "n");
    terminal.answer("Your answer: ", "y");
    terminal.answer("Really? [y/N]: ", "y");
    terminal.wait_for("deleted `docs/draft.md`");
    terminal.answer("Your answer: ", "y");
    terminal.answer("Really? [y/N]: ", "y");
    terminal.answer("Your answer: ", "y");
    terminal.wait_for("(a pretended chat) posted: the greeting is fixed");
    terminal.answer("Your answer: ", "n");
    let (shown, status) = terminal.end();
    assert!(
        shown.contains("✓ remove `") && shown.contains("docs/notes.md`"),
        "the undo:\n{shown}"
    );
    assert!(shown.contains("[catastrophic, built-in]"), "{shown}");
    assert!(
        shown.contains("nothing in it was changed)"),
        "the record holds:\n{shown}"
    );
    assert!(shown.contains("Completed: 9/15 operations"), "{shown}");
    assert_eq!(status, 0);
}

#[test]
fn the_demo_without_a_terminal_denies_what_would_ask_and_says_so() {
    let home = tempfile::Builder::new().prefix("place-").tempdir().unwrap();
    // A session of its own has no terminal, whoever runs this test.
    let out = Command::new("setsid")
        .args(["--wait", env!("CARGO_BIN_EXE_sayso"), "demo"])
        .env_clear()
        .envs([
            ("HOME", home.path().to_str().unwrap()),
            ("PATH", "/usr/bin:/bin"),
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(0), "{shown}");
    assert!(
        shown.contains("Nobody could be asked here, so everything that would ask was denied."),
        "{shown}"
    );
    let ran = if Backend::full().is_ok() { 5 } else { 4 };
    assert!(
        shown.contains(&format!("Completed: {ran}/15 operations")),
        "{shown}"
    );
    assert!(shown.contains("✓ remove `"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours in a log");
}
