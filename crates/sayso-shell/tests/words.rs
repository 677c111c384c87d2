//! What words are known to be: scripts and the commands that the reader lists for them, kept in `words_rows/expected.txt` to be looked through
//! when it changes. Where every word is known, bash must make the same words of it.
//!
//! `SAYSO_WORDS=write cargo test -p sayso-shell --test words` writes it anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the product reads nothing and starts nothing, but this test asks bash"
)]

mod common;

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use common::paths;
use sayso_core::analysis::draft::Draft;
use sayso_shell::analyse;

/// One script a line; ⏎ is the end of a line, ⇥ a tab.
const SCRIPTS: &str = include_str!("words_rows/scripts.txt");
const EXPECTED: &str = include_str!("words_rows/expected.txt");

fn scripts() -> impl Iterator<Item = (&'static str, String)> {
    SCRIPTS
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| (line, line.replace('⏎', "\n").replace('⇥', "\t")))
}

/// What the reader says: each command with its words in brackets, `~` before those that are not all known, and the paths.
fn listed(draft: &Draft) -> String {
    let mut out = String::new();
    if let Some(opaque) = &draft.opaque {
        let _ = writeln!(
            out,
            "  opaque: {} at {}-{}",
            opaque.reason, opaque.start, opaque.end
        );
    }
    for command in draft
        .commands
        .iter()
        .filter(|command| !command.words.is_empty())
    {
        let words: String = command
            .words
            .iter()
            .map(|word| format!("[{word}]"))
            .collect();
        let folders = if command.folders.iter().all(String::is_empty) {
            String::new()
        } else {
            format!(" in {}", command.folders.join(", "))
        };
        let _ = writeln!(
            out,
            "  {}{words}{folders}",
            if command.literal { "" } else { "~" }
        );
    }
    let places: String = draft
        .effects
        .iter()
        .filter_map(|effect| effect.at)
        .map(|(start, end)| format!(" {start}-{end}"))
        .collect();
    let _ = writeln!(
        out,
        "  {}{}{places}",
        paths(draft).join("; "),
        if draft.parted { " parted" } else { "" }
    );
    // How the world is asked for the home and for patterns of names.
    out.replace('\0', "~")
        .replace('\u{1}', "*")
        .replace('\u{2}', "?")
}

#[test]
fn words_are_what_they_were() {
    let mut out = String::new();
    for (line, script) in scripts() {
        let _ = write!(out, "{line}\n{}", listed(&analyse(&script)));
    }
    if std::env::var("SAYSO_WORDS").is_ok_and(|word| word == "write") {
        std::fs::write(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words_rows/expected.txt"),
            &out,
        )
        .unwrap();
        return;
    }
    let differs = EXPECTED
        .lines()
        .zip(out.lines())
        .enumerate()
        .find(|(_, (before, now))| before != now);
    assert!(
        EXPECTED == out,
        "words are read in another way now; first: {differs:#?}"
    );
}

#[test]
fn bash_makes_the_same_words_where_all_are_known() {
    let mut compared = 0;
    for (line, script) in scripts() {
        let draft = analyse(&script);
        let named: Vec<_> = draft
            .commands
            .iter()
            .filter(|command| command.words.first().is_some_and(|name| name == "args"))
            .collect();
        // Where there are several ways to read it, or a loop, bash goes one of them.
        let [command] = named.as_slice() else {
            continue;
        };
        if draft.opaque.is_some()
            || !command.literal
            || draft.commands.iter().any(|command| !command.literal)
            || script.contains("args()")
            || script.contains("; do ")
        {
            continue;
        }
        let whole = format!(
            "exec 3>&1 >/dev/null; args() {{ printf '%s\\0' args \"$@\" >&3; }}; cd /; {script}"
        );
        let mut bash = Command::new("bash");
        bash.args(["--norc", "--noprofile", "-c", &whole])
            .env_clear()
            .env("HOME", "/home/u")
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null());
        let Ok(output) = bash.stderr(Stdio::null()).output() else {
            return;
        };
        if output.stdout.is_empty() {
            continue;
        }
        let mut expected = command.words.join("\0");
        expected.push('\0');
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{line}");
        compared += 1;
    }
    assert!(compared > 40, "only {compared} were compared");
}
