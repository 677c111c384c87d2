//! No sign that the reader uses inside of itself reaches a person: every word that is only known when it runs is shown as it was written.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use proptest::prelude::*;
use proptest::sample::select;
use sayso_core::analysis::fact::{Facts, Surroundings};
use sayso_shell::analyse;

/// Every program of the table stands in one of these lines.
const ROWS: [&str; 2] = [
    include_str!("table_rows/silent.txt"),
    include_str!("table_rows/asks.txt"),
];

/// Words and parts of words that are only known when the line runs.
const HOLES: [&str; 22] = [
    "$x",
    "\"$x\"",
    "${#x}",
    "$?",
    "~",
    "$HOME",
    "\"$PWD\"",
    "*",
    "?",
    "[a-c]",
    "**",
    "a*/?b",
    "<(ls)",
    "$(ls)",
    "\"$(cat a)\"",
    "$(git rev-parse HEAD)",
    "$(find . -name '*.rs')",
    "https://example.com/?y=1",
    "\"https://$x/a\"",
    "user@host?:a*",
    "--option=$x",
    "{a,b}?",
];

/// What of a draft people and rules read, as one text.
fn told(text: &str) -> String {
    let draft = analyse(text);
    let surroundings = Surroundings {
        home: Some("/home/u".to_owned()),
        ..Surroundings::default()
    };
    let reading = draft.settle(&Facts {
        surroundings,
        answers: Vec::new(),
    });
    // What the world is asked has signs of its own, which no person reads.
    format!(
        "{:?}{:?}{:?}{:?}",
        reading.effects, reading.commands, reading.opaque, reading.dangers
    )
}

/// A sign of the reader, or of its questions to the world.
fn has_sign(told: &str) -> bool {
    told.contains("\\u{f00")
        || told.contains("\\0")
        || told.contains("\\u{1}")
        || told.contains("\\u{2}")
}

#[test]
fn every_operand_of_every_program_may_be_a_hole() {
    let mut leaks = Vec::new();
    for row in ROWS
        .iter()
        .flat_map(|rows| rows.lines())
        .filter(|row| !row.contains(['\'', '"', '$', '\\', '`']))
    {
        let words: Vec<&str> = row.split(' ').collect();
        for (at, hole) in (1..=words.len()).zip(HOLES.iter().cycle().skip(row.len() % HOLES.len()))
        {
            let mut words = words.clone();
            words.insert(at, hole);
            let text = words.join(" ");
            if has_sign(&told(&text)) {
                leaks.push(text);
            }
        }
    }
    assert!(
        leaks.is_empty(),
        "{} lines show signs of the reader: {:#?}",
        leaks.len(),
        leaks.iter().take(40).collect::<Vec<_>>()
    );
}

proptest! {
    #[test]
    fn no_line_shows_one(row in select(ROWS.iter().flat_map(|rows| rows.lines()).collect::<Vec<_>>()),
                         holes in proptest::collection::vec((select(&HOLES[..]), select(&["", "a", "/", ".md", "-", "@", "https://h/"][..])), 1..4),
                         glue in select(&[" ", "; ", " | ", " > ", " < ", "=", ""][..])) {
        let holes: Vec<String> = holes.iter().map(|(hole, part)| format!("{part}{hole}")).collect();
        for text in [format!("{row}{glue}{}", holes.join(" ")), format!("{} {row}", holes.join(" ")), format!("x={} {row}", holes.join(""))] {
            let told = told(&text);
            prop_assert!(!has_sign(&told), "{}: {}", text, told);
        }
    }
}
