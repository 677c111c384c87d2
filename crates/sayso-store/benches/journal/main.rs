//! What the record costs: adding, from one process and from many, and reading, of a million entries.
//!
//! `cargo bench -p sayso-store --bench journal [-- PART]` prints a table; with a part of a name, only rows with it are measured.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench has nobody to hand an error to"
)]

mod table;

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use sayso_core::text::node::{Node, Value};
use sayso_store::read::Reader;
use sayso_store::record::{Kept, arguments};
use sayso_store::verify::verify;
use sayso_store::{Journal, Sync};
use table::{Budget, Table};

const MANY: u64 = 1_000_000;
const PROCESSES: u64 = 16;
const EACH: u64 = 2_000;
/// How a process is told that it is one of many.
const WRITER: &str = "SAYSO_BENCH_WRITER";

fn main() {
    if let Ok(task) = std::env::var(WRITER) {
        return write_in_many(&task);
    }
    let scratch = tempfile::tempdir().unwrap();
    let state = scratch.path().join("state/sayso");
    let journal = Journal::open(&state).unwrap();
    ordinary(&journal, Sync::System);
    let length = usize::try_from(verify(&state, None).unwrap().bytes).unwrap();

    let mut plain = append_to(&scratch.path().join("plain"));
    let line = vec![b'x'; length];
    let mut table = Table::new("one write of as many bytes to a plain file", || {
        plain.write_all(&line).unwrap()
    });
    table.value(
        "bytes of an entry of an ordinary call",
        length as f64,
        Budget::AtMost(1024.0),
    );
    table.time("append, fields at hand, in process", Some(50e3), || {
        _ = black_box(append(&journal, Sync::System))
    });
    table.time(
        "append with redacted arguments and keyed digest",
        Some(50e3),
        || _ = black_box(ordinary(&journal, Sync::System)),
    );
    table.time("open the folder, append, close", None, || {
        _ = black_box(append(&Journal::open(&state).unwrap(), Sync::System))
    });
    table.time("one write and fdatasync, a plain file", None, || {
        plain.write_all(&line).unwrap();
        plain.sync_data().unwrap();
    });
    table.time("append with `Sync::Disk`", None, || {
        _ = black_box(append(&journal, Sync::Disk))
    });

    for (words, task) in [
        ("an open journal each", "open"),
        ("opened for each entry", "each"),
    ] {
        let name = format!("appends/s of {PROCESSES} processes, {words}");
        table.rate(&name, PROCESSES * EACH, Budget::AtLeast(5_000.0), || {
            many_processes(&scratch.path().join(task), task)
        });
    }
    reading(&mut table, &scratch.path().join("large"));
    println!("{table}");
}

fn reading(table: &mut Table, state: &Path) {
    let rows = ["verify", "last 100", "find", "forwards"];
    if !rows.iter().any(|row| table.wants(row)) {
        return;
    }
    eprintln!("writing {MANY} entries");
    let journal = Journal::open(state).unwrap();
    let start = Instant::now();
    for _ in 0..MANY {
        ordinary(&journal, Sync::System);
    }
    eprintln!("{:.1} s", start.elapsed().as_secs_f64());
    table.rate(
        "verify, entries/s",
        MANY,
        Budget::AtLeast(300_000.0),
        || {
            let report = verify(state, None).unwrap();
            assert!(report.is_sound() && report.entries == MANY);
        },
    );
    let reader = Reader::open(state).unwrap();
    table.time("the last 100 of 1,000,000, as values", Some(50e6), || {
        let last: Vec<Node> = reader
            .backwards()
            .unwrap()
            .take(100)
            .map(|entry| entry.unwrap().node().unwrap())
            .collect();
        assert_eq!(last.len(), 100);
    });
    table.time("find one of 1,000,000 by its number", Some(50e6), || {
        drop(black_box(
            reader.find(black_box(MANY / 2)).unwrap().unwrap(),
        ))
    });
    table.rate(
        "forwards as values, entries/s",
        100_000,
        Budget::AtLeast(50_000.0),
        || {
            reader
                .forwards()
                .unwrap()
                .take(100_000)
                .for_each(|entry| _ = black_box(entry.unwrap().node().unwrap()));
        },
    );
}

fn append(journal: &Journal, sync: Sync) -> u64 {
    let fields = vec![
        ("id", Node::text("c-0123456789abcdef")),
        ("tool", Node::text("bash")),
        ("decision", Node::text("allow")),
        ("rule", Node::text("user:12")),
        ("cwd", Node::text("/home/person/project")),
        ("session", Node::text("s-0123456789")),
        ("milliseconds", Value::Number("12".to_owned()).into()),
    ];
    journal.append("decided", fields, sync).unwrap().number
}

/// An entry of an ordinary call.
fn ordinary(journal: &Journal, sync: Sync) -> u64 {
    let args = Node::map([(
        "command",
        Node::text("cargo test --workspace --all-features 2>&1 | tail -20"),
    )]);
    let mut fields = vec![
        ("id", Node::text("c-0123456789abcdef")),
        ("tool", Node::text("bash")),
        ("decision", Node::text("allow")),
        ("rule", Node::text("user:12")),
        ("cwd", Node::text("/home/person/project")),
        ("session", Node::text("s-0123456789")),
        ("agent", Node::text("main")),
        ("user", Node::text("person")),
        ("profile", Node::text("developer")),
    ];
    fields.extend(arguments(journal, &args, Kept::Redacted, &[]).unwrap());
    journal.append("decided", fields, sync).unwrap().number
}

fn append_to(path: &Path) -> File {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap()
}

/// Starts all, then waits for all: the time of starting counts, too.
fn many_processes(state: &Path, task: &str) {
    let program = std::env::current_exe().unwrap();
    let start = || {
        let mut command = Command::new(&program);
        command
            .env(WRITER, format!("{task} {}", state.display()))
            .stdin(Stdio::null())
            .spawn()
            .unwrap()
    };
    let writers: Vec<_> = (0..PROCESSES).map(|_| start()).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
}

fn write_in_many(task: &str) {
    let (task, state) = task.split_once(' ').unwrap();
    let open = || Journal::open(Path::new(state)).unwrap();
    let journal = open();
    for _ in 0..EACH {
        if task == "each" {
            append(&open(), Sync::System)
        } else {
            append(&journal, Sync::System)
        };
    }
}
