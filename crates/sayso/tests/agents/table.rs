//! The table of what the real agents did, in docs/agents.md.

use std::fmt::Write as _;
use std::path::Path;

/// Where the table is put.
const BEGIN: &str = "<!-- what the agents did: written by `./test --agents` -->";
const END: &str = "<!-- end -->";

/// Compares the table with the document, or writes it there.
pub fn check(_: &Path, seen: &[(&str, &str, String)]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("docs/agents.md has a place for the table");
    let (_, after) = rest.split_once(END).expect("docs/agents.md has an end of the table");
    let new = format!("{before}{BEGIN}\n\n{}\n{END}{after}", table(seen));
    if std::env::var_os("SAYSO_WRITE_NUMBERS").is_some() {
        std::fs::write(&file, new).unwrap();
    } else {
        assert!(
            new == text,
            "the agents did something else than docs/agents.md says; look at it, and run with SAYSO_WRITE_NUMBERS=1:\n{}",
            table(seen)
        );
    }
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
        let cell =
            |row: &&str| seen.iter().find(|(of, what, _)| of == row && *what == column).map_or("–", |(_, _, words)| words.as_str());
        writeln!(out, "| {column} | {} |", rows.iter().map(cell).collect::<Vec<_>>().join(" | ")).unwrap();
    }
    out
}
