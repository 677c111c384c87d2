//! The table of what the real agents did, in docs/agents.md.

use std::fmt::Write as _;
use std::path::Path;

/// Where the table is put, the session, and what was answered in a browser.
const TABLE: &str = "<!-- what the agents did: written by `./test --agents` -->";
const SESSION: &str = "<!-- a session: written by `./test --agents` -->";
const INBOX: &str = "<!-- a call answered in a browser: written by `./test --agents` -->";
const EDITORS: &str = "<!-- what agents of editors did: written by `./test --agents` -->";
const END: &str = "<!-- end -->";

/// Where it stands.
fn document() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md")
}

/// Writes what was answered in a browser, and nothing else.
pub fn write_inbox(agents: &Path) {
    let text = std::fs::read_to_string(document()).unwrap();
    std::fs::write(
        document(),
        put(&text, INBOX, &crate::cases_inbox::play(agents)),
    )
    .unwrap();
}

/// Compares the table of agents behind an editor with the document, or writes it there.
pub fn check_editors(seen: &[(&str, &str, String)]) {
    let text = std::fs::read_to_string(document()).unwrap();
    let new = put(&text, EDITORS, &table(seen));
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        std::fs::write(document(), new).unwrap();
    } else {
        let advice = "look at it, and run with SAYSO_WRITE_NUMBERS=1";
        assert!(
            new == text,
            "the agents did something else than docs/agents.md says; {advice}:\n{}",
            table(seen)
        );
    }
}

/// Compares the table with the document, or writes it there, with a session that nobody compares: its screen is never quite the same.
pub fn check(agents: &Path, seen: &[(&str, &str, String)]) {
    let file = document();
    let text = std::fs::read_to_string(&file).unwrap();
    let new = put(&text, TABLE, &table(seen));
    let session = crate::transcript::play(agents);
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        std::fs::write(&file, put(&new, SESSION, &session)).unwrap();
        write_inbox(agents);
    } else {
        let advice = "look at it, and run with SAYSO_WRITE_NUMBERS=1";
        assert!(
            new == text,
            "the agents did something else than docs/agents.md says; {advice}:\n{}",
            table(seen)
        );
    }
}

/// The text with this in its place.
pub fn put(text: &str, place: &str, what: &str) -> String {
    let (before, rest) = text
        .split_once(place)
        .expect("docs/agents.md has a place for it");
    let (_, after) = rest
        .split_once(END)
        .expect("docs/agents.md has an end of it");
    format!("{before}{place}\n\n{what}\n{END}{after}")
}

fn table(seen: &[(&str, &str, String)]) -> String {
    let (mut rows, mut columns): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (row, column, _) in seen {
        if !rows.contains(row) {
            rows.push(row);
        }
        if !columns.contains(column) {
            columns.push(column);
        }
    }
    let mut out = String::new();
    writeln!(out, "| | {} |", rows.join(" | ")).unwrap();
    writeln!(out, "|---|{}", "---|".repeat(rows.len())).unwrap();
    for column in columns {
        let cell = |row: &&str| {
            seen.iter()
                .find(|(of, what, _)| of == row && *what == column)
                .map_or("–", |(_, _, words)| words.as_str())
        };
        writeln!(
            out,
            "| {column} | {} |",
            rows.iter().map(cell).collect::<Vec<_>>().join(" | ")
        )
        .unwrap();
    }
    out
}
