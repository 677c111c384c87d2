//! What asking the record costs: building the index of a million entries, and the questions of `sayso audit`.
//!
//! `cargo bench -p sayso-store --bench index [-- PART]` prints a table; with a part of a name, only rows with it are measured.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has nobody to hand an error to"
)]

#[path = "../journal/table.rs"]
mod table;

use std::hint::black_box;
use std::path::Path;

use sayso_core::text::node::{Node, Value};
use sayso_store::index::Index;
use sayso_store::index::calls::Filter;
use sayso_store::record::{Kept, arguments};
use sayso_store::{Journal, Sync};
use table::{Budget, Table};

const MANY: u64 = 1_000_000;

fn main() {
    let scratch = tempfile::tempdir().unwrap();
    let plain = rusqlite::Connection::open(scratch.path().join("plain.db")).unwrap();
    plain.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE plain (number INTEGER PRIMARY KEY, text TEXT); BEGIN").unwrap();
    let line = "x".repeat(550);
    let mut table = Table::new(
        "one row of as many bytes into a plain table of SQLite",
        || {
            plain
                .prepare_cached("INSERT INTO plain (text) VALUES (?1)")
                .unwrap()
                .execute([&line])
                .map(drop)
                .unwrap();
        },
    );
    let state = scratch.path().join("state/sayso");
    eprintln!("writing {MANY} entries");
    let journal = Journal::open(&state).unwrap();
    (0..MANY / 2).for_each(|call| ordinary(&journal, call));
    table.rate(
        "indexing, entries/s",
        MANY,
        Budget::AtLeast(50_000.0),
        || drop(Index::rebuild(&state, &mut |_| {}).unwrap()),
    );
    // The rows below need it, also where the one above was left out.
    let mut index = open(&state);
    let bytes = std::fs::metadata(state.join(sayso_store::index::FILE))
        .unwrap()
        .len();
    table.value(
        "bytes of the index for an entry",
        bytes as f64 / MANY as f64,
        Budget::AtMost(1024.0),
    );
    table.time("open, nothing new", None, || drop(black_box(open(&state))));
    table.time(
        "open and list the last 100 calls of 1,000,000 entries",
        Some(50e6),
        || {
            assert_eq!(
                open(&state)
                    .last(&Filter::default(), Some(100))
                    .unwrap()
                    .len(),
                100
            );
        },
    );
    let mut call = MANY;
    table.time("one new call, open and list", Some(50e6), || {
        ordinary(&journal, call);
        call += 1;
        assert_eq!(
            open(&state)
                .last(&Filter::default(), Some(100))
                .unwrap()
                .len(),
            100
        );
    });
    index = {
        drop(index);
        open(&state)
    };
    table.time("the entries of one call by its id", Some(50e6), || {
        drop(black_box(index.find("call-0000250000").unwrap()))
    });
    let session = Filter {
        session: Some("run-00000000000000ff".to_owned()),
        ..Filter::default()
    };
    table.time("list of one session", Some(50e6), || {
        assert_eq!(index.last(&session, Some(100)).unwrap().len(), 100)
    });
    let nowhere = Filter {
        text: Some("no command has this".to_owned()),
        ..Filter::default()
    };
    table.time("a text that is nowhere (looks at all)", None, || {
        assert!(index.last(&nowhere, Some(100)).unwrap().is_empty())
    });
    table.time("stats over all", None, || {
        drop(black_box(index.stats(&Filter::default()).unwrap()))
    });
    println!("{table}");
}

fn open(state: &Path) -> Index {
    Index::open(state, &mut |_| {}).unwrap()
}

/// The two entries of an ordinary call.
fn ordinary(journal: &Journal, call: u64) {
    let number = |number: u64| Node::from(Value::Number(number.to_string()));
    let args = Node::map([(
        "command",
        Node::text("cargo test --workspace --all-features 2>&1 | tail -20"),
    )]);
    let about = || {
        vec![
            ("call", Node::text(format!("call-{call:010}"))),
            ("tool", Node::text("terminal")),
            ("session", Node::text(format!("run-{:016x}-1", call / 1000))),
            ("user", number(1000)),
            ("agent", Node::text("main")),
        ]
    };
    let mut fields = about();
    for (name, text) in [
        ("outcome", "auto_approved"),
        ("profile", "sayso"),
        ("decision", "allow"),
        ("risk", "low"),
        ("tier", "none"),
        ("rule", "cargo"),
        ("source", "policy.yaml:12"),
        ("why", "a rule of yours allows it"),
        (
            "what",
            "terminal(cargo test --workspace --all-features 2>&1 | tail -20)",
        ),
        ("cwd", "/home/person/project"),
    ] {
        fields.push((name, Node::text(text)));
    }
    fields.extend(arguments(journal, &args, Kept::Redacted, &[]).unwrap());
    journal.append("decided", fields, Sync::System).unwrap();
    let mut fields = about();
    fields.extend([
        ("succeeded", Value::Bool(true).into()),
        ("started", Value::Bool(true).into()),
        ("milliseconds", number(12)),
    ]);
    journal.append("finished", fields, Sync::System).unwrap();
}
