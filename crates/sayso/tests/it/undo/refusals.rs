//! When an undo is refused: something was changed since, there is nothing, nobody can be asked, or it cannot be written down.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::desk::{Desk, read};

/// A workspace in which each of these calls ran.
fn after(calls: &serde_json::Value) -> Desk {
    let desk = Desk::with(&[("a.py", "one\ntwo\nthree\n"), ("b.py", "b\n")]);
    desk.run(&["--approve-all"], calls).is(0, "all ran");
    desk
}

fn edit() -> serde_json::Value {
    json!([{"type": "file_edit", "id": "e", "file": "a.py", "find": "two", "replace": "2"}])
}

#[test]
fn what_was_changed_since_is_shown_as_a_diff_and_stays() {
    let desk = after(&edit());
    desk.scene.file("a.py", "one\n2\nthree\nand mine\n");
    let tree = desk.tree();
    let done = desk.undo(&["e", "--yes"]).is(1, "changed since");
    assert!(
        done.out.contains("+and mine")
            && done.out.contains("as it was left")
            && done.out.contains("nothing was changed"),
        "{}",
        done.out
    );
    assert_eq!(desk.tree(), tree);

    let json = read(&desk.undo(&["e", "--yes", "--json"]).is(1, "changed since"));
    assert_eq!(
        (&json["done"], &json["id"]),
        (&json!(false), &json!(null)),
        "{json}"
    );
    assert!(
        json["conflicts"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("+and mine"),
        "{json}"
    );
    assert_eq!(desk.tree(), tree);
    assert_eq!(desk.changes().len(), 1, "it still stands");
    assert!(
        desk.entries("undo").is_empty(),
        "nothing was done, so nothing is written down"
    );

    // As soon as it is as it was left, it can be undone.
    desk.scene.file("a.py", "one\n2\nthree\n");
    desk.undo(&["e", "--yes"]).is(0, "as it was left");
    assert_eq!(desk.text("a.py").as_deref(), Some("one\ntwo\nthree\n"));
}

#[test]
fn every_kind_of_change_since_is_found() {
    let calls = json!([
        {"type": "file_edit", "id": "edit", "file": "a.py", "find": "two", "replace": "2"},
        {"type": "file_create", "id": "create", "file": "new.py", "content": "new\n"},
        {"type": "file_delete", "id": "delete", "file": "b.py"},
        {"type": "file_move", "id": "move", "file": "new.py", "to": "moved.py"},
        {"type": "file_mkdir", "id": "mkdir", "path": "made"},
    ]);
    let desk = after(&calls);
    let at = |name: &str| desk.scene.workspace.join(name);
    fs::remove_file(at("a.py")).unwrap();
    fs::create_dir(at("a.py")).unwrap();
    desk.scene.file("b.py", "somebody made another\n");
    desk.scene.file("new.py", "where it came from is taken\n");
    desk.scene.file("made/inside.py", "not empty\n");
    let tree = desk.tree();
    for id in ["edit", "delete", "move", "mkdir"] {
        let done = desk.undo(&[id, "--yes"]).is(1, id);
        assert!(
            done.out.contains("nothing was changed"),
            "{id}: {}",
            done.out
        );
        assert_eq!(desk.tree(), tree, "{id}");
    }
    // A batch of which one part cannot be taken back is not taken back at all.
    let batch = desk.changes()[0]["batch"].as_str().unwrap().to_owned();
    desk.undo(&[&batch, "--yes"]).is(1, "the batch");
    assert_eq!(desk.tree(), tree);
}

#[test]
fn permissions_that_were_changed_since_are_not_lost() {
    let desk = after(&edit());
    let path = desk.scene.workspace.join("a.py");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let tree = desk.tree();
    desk.undo(&["e", "--yes"])
        .is(1, "others cannot read it any more, and that was meant");
    assert_eq!(desk.tree(), tree);
}

#[test]
fn what_is_back_already_is_said() {
    let desk = after(&edit());
    desk.scene.file("a.py", "one\ntwo\nthree\n");
    let done = desk.undo(&["e", "--yes"]).is(0, "back already");
    assert!(
        done.out.contains("everything is back as it was already"),
        "{}",
        done.out
    );
    assert_eq!(desk.text("a.py").as_deref(), Some("one\ntwo\nthree\n"));
}

#[test]
fn nothing_to_undo_and_ids_that_nobody_knows() {
    let desk = Desk::with(&[]);
    let done = desk.undo(&["--yes"]).is(2, "nothing yet");
    assert!(
        done.err.contains("there is nothing to undo") && done.err.contains("hint:"),
        "{}",
        done.err
    );
    let done = desk.undo(&["--list"]).is(0, "an empty list");
    assert!(
        done.out.contains("there is nothing to undo"),
        "{}",
        done.out
    );
    assert!(desk.changes().is_empty());
    for id in ["no-such-id", "", "../../x", "\u{1b}[31m"] {
        let done = desk.undo(&["--yes", "--", id]).is(2, id);
        assert!(
            done.err.contains("there is no change") && !done.err.contains('\u{1b}'),
            "{:?}",
            done.err
        );
    }
    let desk = after(&edit());
    desk.undo(&["e", "--yes"]).is(0, "once");
    let done = desk.undo(&["e", "--yes"]).is(2, "twice");
    assert!(done.err.contains("`e` was undone already"), "{}", done.err);
}

#[test]
fn without_a_terminal_it_must_be_said_that_nobody_is_asked() {
    let desk = after(&edit());
    let tree = desk.tree();
    let done = crate::program::run(desk.program().args(["undo", "e"]), b"y\n").is(2, "no terminal");
    assert!(
        done.err.contains("no terminal") && done.err.contains("--yes"),
        "{}",
        done.err
    );
    assert!(
        done.out.contains("this would"),
        "what it would do is shown all the same: {}",
        done.out
    );
    assert_eq!(desk.tree(), tree);
    desk.undo(&["e", "--json"]).is(2, "no terminal");
    assert_eq!(desk.tree(), tree);
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let desk = after(&edit());
    desk.undo(&["--list", "--yes"]).is(2, "a list does nothing");
    desk.undo(&["--list", "e"]).is(2, "a list is of all");
    desk.undo(&["e", "f"]).is(2, "one at a time");
}

#[test]
fn what_cannot_be_written_down_is_not_undone() {
    let desk = after(&edit());
    let tree = desk.tree();
    fs::set_permissions(desk.scene.state(), fs::Permissions::from_mode(0o777)).unwrap();
    desk.undo(&["e", "--yes"])
        .is(2, "others could change the record");
    assert_eq!(desk.tree(), tree);
}

#[test]
fn a_backup_that_is_gone_or_was_changed_is_told_and_nothing_is_done() {
    for broken in [true, false] {
        let desk = after(&json!([{"type": "file_delete", "id": "d", "file": "a.py"}]));
        let mut files = Vec::new();
        let mut folders = vec![desk.scene.state().join("backups")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                if path.is_dir() {
                    folders.push(path)
                } else {
                    files.push(path)
                }
            }
        }
        let kept = files
            .iter()
            .find(|path| fs::read(path).is_ok_and(|bytes| bytes == b"one\ntwo\nthree\n"))
            .expect("a backup of it");
        if broken {
            fs::set_permissions(kept, fs::Permissions::from_mode(0o600)).unwrap();
            fs::write(kept, "one\ntwo\nevil!\n").unwrap();
        } else {
            fs::remove_file(kept).unwrap();
        }
        let done = desk.undo(&["d", "--yes"]);
        assert!(
            done.code == 1 || done.code == 2,
            "{}: {}",
            done.code,
            done.err
        );
        assert_eq!(desk.text("a.py"), None, "no other content comes back");
    }
}
