//! `sayso audit` through the real program: histories that `sayso run` made, and larger ones written through the journal.

mod bad;
mod export;
mod hostile;
mod list;
mod page;
mod plain_words;
mod show;
mod stats;
mod tail;
mod verify;

use std::path::PathBuf;

use sayso_core::text::node::{Node, Value as Stored};
use sayso_store::{Journal, Sync};
use serde_json::{Value, json};

use crate::desk::Desk;
use crate::program::{Outcome, run};

/// A desk where four calls were made: one ran unasked, one was approved for the session, one was denied with words, one was blocked.
fn desk() -> Desk {
    let desk = Desk::with(&[("app.py", "x = old\n")]);
    let calls = json!([
        {"type": "terminal", "id": "look", "command": "cat app.py"},
        {"type": "file_edit", "id": "fix", "file": "app.py", "find": "old", "replace": "new"},
        {"type": "terminal", "id": "push", "command": "git push -f origin main"},
        {"type": "terminal", "id": "root", "command": "rm -rf /"},
    ]);
    desk.run(
        &["--agent", "builder", "--answers", "s,n:use a branch"],
        &calls,
    )
    .is(20, "two are refused");
    desk
}

/// `sayso audit` with these words.
fn audit(desk: &Desk, words: &[&str]) -> Outcome {
    run(desk.program().arg("audit").args(words), b"")
}

/// What it prints, where all is well.
fn out(desk: &Desk, words: &[&str]) -> String {
    audit(desk, words).is(0, &words.join(" ")).out
}

/// What it prints as JSON.
fn value(desk: &Desk, words: &[&str]) -> Value {
    serde_json::from_str(&out(desk, words)).unwrap()
}

/// The objects it prints, one a line.
fn objects(desk: &Desk, words: &[&str]) -> Vec<Value> {
    out(desk, words)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The lines of a table without its titles.
fn rows(desk: &Desk, words: &[&str]) -> Vec<String> {
    out(desk, words)
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect()
}

/// The file of the record.
fn file(desk: &Desk) -> PathBuf {
    desk.scene.state().join("journal/000001.jsonl")
}

/// Writes a call into the record, as long ago as that.
fn put(journal: &Journal, id: &str, at: i64, fields: &[(&str, &str)]) {
    let mut all = vec![("call", Node::text(id))];
    all.extend(fields.iter().map(|(name, text)| (*name, Node::text(*text))));
    journal.append_at(at, "decided", all, Sync::System).unwrap();
}

fn now() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// A number for a field.
fn number(number: i64) -> Node {
    Stored::Number(number.to_string()).into()
}
