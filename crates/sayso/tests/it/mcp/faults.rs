//! Much at once, slow readers, and full disks: nothing is lost, nothing grows without end, and nothing runs unseen.

use std::io::Write as _;

use serde_json::json;

use super::{Gated, OPEN, got, is_denied, outcomes};
use crate::desk::Desk;

/// So many calls that no pipe holds them; `SAYSO_MCP_CALLS` makes more of them.
fn many() -> i64 {
    std::env::var("SAYSO_MCP_CALLS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(1500)
}

#[test]
fn a_client_that_writes_everything_before_it_reads_is_served() {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nrules:\n  - {deny: {mcp: 's/*'}}\naudit: {sync: none}\n");
    let mut gated = Gated::start(&desk);
    // All are denied by us, so no server holds anything up; a pipe takes a few hundred of these answers.
    let count = many();
    for id in 0..count {
        gated.call(id, "echo", json!({}));
    }
    for id in 0..count {
        assert_eq!(gated.next()["id"], id);
    }
    assert_eq!(got(&desk), "");
    assert_eq!(
        desk.entries("decided").len(),
        usize::try_from(count).unwrap()
    );
}

#[test]
fn many_calls_at_once_all_come_back() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    let mut gated = Gated::start(&desk);
    let count = many();
    let mut stdin = gated.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 0..count {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "echo", "arguments": {"n": id}}});
            writeln!(stdin, "{call}").unwrap();
        }
        stdin
    });
    // A reader that takes its time.
    let mut seen = vec![false; usize::try_from(count).unwrap()];
    for number in 0..count {
        if number % 1000 == 0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let id = usize::try_from(gated.next()["id"].as_i64().unwrap()).unwrap();
        assert!(!std::mem::replace(&mut seen[id], true), "{id} came twice");
    }
    drop(writer.join().unwrap());
    gated.ended();
    assert_eq!(outcomes(&desk).len(), seen.len());
    assert_eq!(desk.entries("finished").len(), seen.len());
}

#[test]
fn more_questions_than_anybody_answers_are_denied() {
    let served = crate::serve::Served::with(Desk::with(&[]), "");
    let mut gated = Gated::start(&served.desk);
    for id in 0..300 {
        gated.call(id, "echo", json!({"n": id}));
    }
    for _ in 0..44 {
        is_denied(&gated.next(), "calls wait for a person already");
    }
    assert_eq!(got(&served.desk), "");
}

#[test]
fn what_cannot_be_written_down_does_not_reach_the_server() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    let mut gated = Gated::start(&desk);
    gated.called(1, "echo", json!({}));
    let journal = desk.scene.state().join("journal");
    let moved = desk.scene.state().join("away");
    let target = if journal.exists() {
        journal
    } else {
        desk.scene.state()
    };
    std::fs::rename(&target, &moved)
        .or_else(|_| std::fs::rename(&target, desk.scene.home.join("away")))
        .unwrap();
    std::fs::write(&target, "a file").unwrap();
    is_denied(&gated.called(2, "echo", json!({"second": true})), "");
    assert!(!got(&desk).contains("second"));
}
