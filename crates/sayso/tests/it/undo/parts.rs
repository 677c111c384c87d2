//! Parts of a change, all of a session, and all since a time.

use serde_json::json;

use crate::desk::{Desk, read};

fn numbered() -> String {
    (1..=40).map(|line| format!("line {line}\n")).collect()
}

/// A workspace in which two lines that are far from each other were changed, and another file was made.
fn after() -> Desk {
    let desk = Desk::with(&[("a.py", &numbered())]);
    let other = numbered()
        .replace("line 3\n", "three\n")
        .replace("line 30\n", "thirty\n");
    let calls = json!([
        {"type": "file_write", "id": "w", "file": "a.py", "content": other},
        {"type": "file_create", "id": "c", "file": "new/b.py", "content": "b\n"},
    ]);
    desk.run(&["--approve-all"], &calls).is(0, "all ran");
    desk
}

#[test]
fn hunks_are_shown_by_number_and_taken_back_one_by_one() {
    let desk = after();
    let before = desk.text("a.py").unwrap();
    let shown = desk.undo(&["w", "--show"]).is(0, "shown");
    assert!(
        shown.out.contains("hunk 1:")
            && shown.out.contains("hunk 2:")
            && shown.out.contains("+thirty"),
        "{}",
        shown.out
    );
    assert_eq!(desk.text("a.py").as_deref(), Some(before.as_str()));
    let json = read(&desk.undo(&["w", "--show", "--json"]).is(0, "shown"));
    assert_eq!(json["hunks"][1]["hunk"], 2, "{json}");

    desk.undo(&["w", "--file", "a.py", "--hunk", "2", "--yes"])
        .is(0, "a hunk");
    let text = desk.text("a.py").unwrap();
    assert!(
        text.contains("three\n") && text.contains("line 30\n"),
        "{text}"
    );
    desk.undo(&["w", "--file", "a.py", "--hunk", "2", "--yes"])
        .is(2, "it does not fit any more");
    desk.undo(&["w", "--file", "a.py", "--hunk", "9", "--yes"])
        .is(2, "there is none");
    desk.undo(&["w", "--hunk", "1", "--yes"])
        .is(2, "of no file");
    desk.undo(&["w", "--file", "new/b.py", "--yes"])
        .is(2, "not in this change");
    // The whole change takes the part back first.
    desk.undo(&["w", "--yes"]).is(0, "the whole");
    assert_eq!(desk.text("a.py"), Some(numbered()));
}

#[test]
fn a_session_and_a_time_are_one_change_that_can_itself_be_undone() {
    let desk = after();
    let tree = desk.tree();
    let listed = read(&desk.undo(&["--list", "--json"]).is(0, "listed"));
    let session = listed[0]["session"].as_str().unwrap().to_owned();
    for wanted in [["--session", session.as_str()], ["--since", "10m"]] {
        let done = desk
            .undo(&[wanted[0], wanted[1], "--yes", "--json"])
            .is(0, wanted[0]);
        assert_eq!(desk.text("a.py"), Some(numbered()));
        assert_eq!(desk.text("new/b.py"), None);
        let id = read(&done)["id"].as_str().unwrap().to_owned();
        desk.undo(&[&id, "--yes"]).is(0, "the undo of the undo");
        assert_eq!(desk.tree(), tree);
    }
    desk.undo(&["--session", "none", "--yes"])
        .is(2, "no such session");
    desk.undo(&["--since", "sometime", "--yes"])
        .is(2, "no time");
    desk.undo(&["--last", "--since", "1h"]).is(2, "one of them");
    desk.undo(&["--last", "--yes"]).is(0, "the last");
    assert_eq!(desk.text("new/b.py"), None);
}
