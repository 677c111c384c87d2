//! Kills an undo of a whole batch at every moment: afterwards all of it is taken back or none, and it can be done again.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::desk::{Desk, Tree};
use crate::run::killed_at_each_step::{STEPS, killed};

/// A batch whose changes build on each other, with the trees before and after it.
struct Made {
    desk: Desk,
    batch: String,
    before: Tree,
    after: Tree,
}

fn made() -> Made {
    let desk = Desk::with(&[
        ("a.py", "one\ntwo\n"),
        ("gone.py", "gone\n"),
        ("full/x.py", "x\n"),
    ]);
    let before = desk.tree();
    let calls = json!([
        {"type": "file_edit", "id": "b0", "file": "a.py", "find": "two", "replace": "2"},
        {"type": "file_create", "id": "b1", "file": "new/x.py", "content": "x\n"},
        {"type": "file_edit", "id": "b2", "file": "new/x.py", "find": "x", "replace": "y"},
        {"type": "file_move", "id": "b3", "file": "full", "to": "new/full"},
        {"type": "file_delete", "id": "b4", "file": "gone.py"},
        {"type": "file_append", "id": "b5", "file": "a.py", "content": "three\n"},
    ]);
    desk.run(&["--approve-all"], &calls).is(0, "all ran");
    let batch = desk.changes()[0]["batch"].as_str().unwrap().to_owned();
    let after = desk.tree();
    Made {
        desk,
        batch,
        before,
        after,
    }
}

impl Made {
    /// After a kill the next command clears up, and everything is on one side; then back to where it was. Whether the undo had been done.
    fn settle(&self, what: &str) -> bool {
        let changes = self.desk.changes();
        let tree = self.desk.tree();
        assert!(
            tree == self.before || tree == self.after,
            "{what}: half of it was taken back: {tree:?}"
        );
        assert!(!self.desk.record().is_empty(), "{what}");
        let is_undone = tree == self.before;
        let newest = changes[0]["id"].as_str().unwrap();
        assert_eq!(
            changes[0]["call"].as_str().unwrap().starts_with("undo"),
            is_undone,
            "{what}: the list says what is: {changes:?}"
        );
        if is_undone {
            assert!(
                self.desk
                    .entries("undo")
                    .iter()
                    .any(|entry| entry["call"] == changes[0]["call"]),
                "{what}: it was not written down"
            );
            self.desk.undo(&[newest, "--yes"]).is(0, what);
        }
        assert_eq!(self.desk.tree(), self.after, "{what}");
        // The undo of the undo is a change as well; the batch stands again behind it.
        is_undone
    }
}

#[test]
fn an_undo_that_is_killed_is_whole_or_never_was() {
    const KILLS: usize = 40;
    let (mut kills, mut done, mut tries) = (0, 0, 0);
    let mut whole = Duration::ZERO;
    while kills < KILLS {
        let made = made();
        let mut program = made.desk.program();
        program
            .args(["undo", &made.batch, "--yes"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let start = Instant::now();
        let mut child = program.spawn().unwrap();
        if tries == 0 {
            assert!(child.wait().unwrap().success());
            whole = start.elapsed();
        } else {
            thread::sleep(whole.mul_f64(((tries * 617) % 1000) as f64 / 950.0));
            match child.try_wait().unwrap() {
                None => kills += 1,
                // The machine may be less busy by now.
                Some(_) => whole = whole.mul_f64(0.95),
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        done += usize::from(made.settle(&format!("try {tries}")));
        tries += 1;
        assert!(tries < 20 * KILLS, "most end before they can be killed");
    }
    println!("{kills} kills of an undo: {done} of {tries} were done, none by half");
}

#[test]
#[ignore = "takes a minute and needs strace; the kills at random moments are for every day"]
fn an_undo_that_is_killed_at_each_step_is_whole_or_never_was() {
    let (mut kills, mut done) = (0, 0);
    for step in STEPS.split(' ') {
        for nth in 1.. {
            let made = made();
            let status = killed(&made.desk, &["undo", &made.batch, "--yes"], step, nth);
            done += usize::from(made.settle(&format!("{step} {nth}")));
            if status.success() {
                break;
            }
            kills += 1;
            assert!(nth < 500, "it never ends");
        }
    }
    println!("{kills} kills, one at each step of an undo: {done} were done, none by half");
}
