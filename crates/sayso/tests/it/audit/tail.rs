//! The end of the record, and what comes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use sayso_core::text::node::Node;
use sayso_store::{Journal, Sync};
use serde_json::{Value, json};

use super::{desk, file, out};
use crate::desk::Desk;
use crate::program::in_foreground;

#[test]
fn the_last_entries_as_they_are() {
    let desk = desk();
    let stored = std::fs::read_to_string(file(&desk)).unwrap();
    assert_eq!(out(&desk, &["tail", "--json", "-n", "1000"]), stored);
    let text = out(&desk, &["tail", "-n", "3"]);
    assert_eq!(text.lines().count(), 3);
    assert!(
        text.contains("✗ denied")
            && text.contains("✗ blocked")
            && text.contains("builder: terminal(rm -rf /) [catastrophic]"),
        "{text}"
    );
    assert_eq!(out(&desk, &["tail", "-n", "0"]), "");
}

/// Waits for lines of a process that goes on.
fn lines(from: &mut impl BufRead, count: usize) -> Vec<String> {
    let mut next = || {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "it ended: {line:?}");
        line
    };
    (0..count).map(|_| next()).collect()
}

/// A process that does not outlive a test that fails.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_follows_other_processes_across_segments_and_ends_on_ctrl_c() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    let child = in_foreground(desk.program().args(["audit", "tail", "-f", "--json"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Ended(child);
    let mut from = BufReader::new(child.0.stdout.take().unwrap());
    // Nothing was ever recorded when it started.
    desk.run(
        &["--approve-all"],
        &json!([{"type": "file_read", "id": "one", "file": "a.py"}]),
    )
    .is(0, "another process");
    let record = desk.record();
    let seen: Vec<Value> = lines(&mut from, record.len())
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(seen, record);
    assert!(
        seen.iter()
            .any(|entry| entry["kind"] == "decided" && entry["call"] == "one"),
        "{seen:?}"
    );
    let journal = Journal::open(&desk.scene.state())
        .unwrap()
        .with_segments_of(600);
    for index in 0..20 {
        journal
            .append(
                "decided",
                vec![("call", Node::text(format!("c{index}")))],
                Sync::System,
            )
            .unwrap();
    }
    let seen = lines(&mut from, 20);
    for (index, line) in seen.iter().enumerate() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["call"], format!("c{index}"));
    }
    assert!(
        desk.scene.state().join("journal/000003.jsonl").exists(),
        "it went on in other files"
    );
    let pid = rustix::process::Pid::from_child(&child.0);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}
