//! Fifty processes write at once: one chain, nothing lost, nobody told to try again.

use std::collections::HashSet;
use std::process::Stdio;
use std::time::Duration;

use sayso_core::text::node::Node;
use sayso_store::{Journal, Sync};

use crate::scene::{Scene, add};
use crate::writer;

#[test]
fn fifty_processes_add_ten_thousand_entries() {
    let scene = Scene::new();
    let writers: Vec<_> = (0..50)
        .map(|_| {
            writer::command(&scene.state(), 200)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut numbers = HashSet::new();
    for writer in writers {
        let out = writer.wait_with_output().unwrap();
        let errors = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success() && errors.is_empty(), "{errors}");
        let acknowledged = writer::acknowledged(&String::from_utf8(out.stdout).unwrap());
        assert_eq!(acknowledged.len(), 200);
        numbers.extend(acknowledged);
    }
    assert_eq!(numbers.len(), 10_000);
    let report = scene.verify();
    assert!(report.is_sound() && report.torn.is_none(), "{report:?}");
    assert_eq!(report.entries, 10_000);
    assert!(report.segments > 10, "{report:?}");
}

#[test]
fn a_lock_that_is_never_let_go_is_an_error_in_the_end() {
    let scene = Scene::new();
    scene.fill(1);
    let lock = std::fs::File::open(scene.file("lock")).unwrap();
    lock.lock().unwrap();
    let journal = scene.journal().with_patience(Duration::from_millis(30));
    let error = journal
        .append("x", vec![("a", Node::text("b"))], Sync::System)
        .unwrap_err()
        .to_string();
    assert!(error.contains("kept the record locked"), "{error}");
    drop(lock);
    assert_eq!(add(&journal, "now").number, 2);
}

#[test]
fn many_processes_make_one_key() {
    let scene = Scene::new();
    let digests: HashSet<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                // Each has a journal of its own, as processes have.
                let state = scene.state();
                scope.spawn(move || {
                    Journal::open(&state)
                        .unwrap()
                        .key()
                        .unwrap()
                        .digest(&Node::text("x"))
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(digests.len(), 1);
}
