//! Every file tool and back again: after the undo everything is as it was, byte for byte, permissions too.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::desk::{Desk, read};

/// A workspace with something of everything.
fn desk() -> Desk {
    let desk = Desk::with(&[
        ("a.py", "one\ntwo\nthree\n"),
        ("dos.py", "one\r\ntwo\r\n"),
        ("run.sh", "#!/bin/sh\n"),
        ("full/x.py", "x\n"),
        ("full/deep/y.py", "y\n"),
    ]);
    let at = |name: &str| desk.scene.workspace.join(name);
    fs::set_permissions(at("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(at("bytes.bin"), b"\xff\x00\xfe").unwrap();
    fs::create_dir(at("empty")).unwrap();
    fs::set_permissions(at("empty"), fs::Permissions::from_mode(0o710)).unwrap();
    desk
}

/// One call of every tool that changes something.
fn changes() -> Vec<Value> {
    vec![
        json!({"type": "file_edit", "file": "a.py", "find": "two", "replace": "2"}),
        json!({"type": "file_edit", "file": "dos.py", "find": "two", "replace": "2"}),
        json!({"type": "file_edit", "file": "run.sh", "find": "sh\n", "replace": "bash\n"}),
        json!({"type": "file_create", "file": "new.py", "content": "new\n"}),
        json!({"type": "file_create", "file": "new/folders/for/it.py", "content": "new\n"}),
        json!({"type": "file_create", "file": "nothing.py", "content": ""}),
        json!({"type": "file_create_overwrite", "file": "a.py", "content": "other\n"}),
        json!({"type": "file_create_overwrite", "file": "bytes.bin", "content": "text\n"}),
        json!({"type": "file_write", "file": "a.py", "content": "other\n"}),
        json!({"type": "file_write", "file": "written.py", "content": "other\n"}),
        json!({"type": "file_append", "file": "a.py", "content": "four\n"}),
        json!({"type": "file_append", "file": "bytes.bin", "content": "four\n"}),
        json!({"type": "file_insert_after", "file": "a.py", "pattern": "two", "content": "2.5"}),
        json!({"type": "file_insert_before", "file": "a.py", "pattern": "two", "content": "1.5"}),
        json!({"type": "file_delete", "file": "a.py"}),
        json!({"type": "file_delete", "file": "bytes.bin"}),
        json!({"type": "file_delete", "file": "run.sh"}),
        json!({"type": "file_move", "file": "a.py", "to": "moved.py"}),
        json!({"type": "file_move", "file": "run.sh", "to": "full/run.sh"}),
        json!({"type": "file_move", "file": "full", "to": "other"}),
        json!({"type": "file_copy", "file": "run.sh", "to": "copy.sh"}),
        json!({"type": "file_mkdir", "path": "made"}),
        json!({"type": "file_mkdir", "path": "made/below/this"}),
        json!({"type": "file_rmdir", "path": "empty"}),
    ]
}

#[test]
fn each_tool_is_taken_back_and_the_undo_too() {
    let desk = desk();
    let before = desk.tree();
    for (at, mut call) in changes().into_iter().enumerate() {
        let id = format!("call_{at}");
        call["id"] = json!(id);
        let (result, code) = desk.result(&["--approve-all"], call.clone());
        assert_eq!(
            (&result["success"], code),
            (&json!(true), 0),
            "{call}: {result}"
        );
        let change = result["change"].as_str().unwrap();
        assert_eq!(desk.changes()[0]["id"], json!(change), "{result}");
        let after = desk.tree();
        assert_ne!(after, before, "{call} changed something");

        let undone = read(
            &desk
                .undo(&[&id, "--yes", "--json"])
                .is(0, &call.to_string()),
        );
        assert_eq!(desk.tree(), before, "{call}: all is as it was");
        assert_eq!(
            (&undone["done"], &undone["undoes"]),
            (&json!(true), &json!([id])),
            "{undone}"
        );

        let again = undone["id"].as_str().unwrap();
        desk.undo(&[again, "--yes"]).is(0, "the undo of the undo");
        assert_eq!(desk.tree(), after, "{call}: and as it was after it");
        // What is taken back now is the undo's undo, by its own id.
        let last = desk.changes()[0]["id"].as_str().unwrap().to_owned();
        desk.undo(&[&last, "--yes"]).is(0, "and once more");
        assert_eq!(desk.tree(), before, "{call}");
    }
    assert!(
        !desk.record().is_empty(),
        "and all of it is in a sound record"
    );
}

#[test]
fn without_an_id_the_last_change_goes_then_the_one_before() {
    let desk = desk();
    let mut trees = vec![desk.tree()];
    for (at, text) in ["2", "22", "222"].iter().enumerate() {
        let find = ["two", "2", "22"][at];
        let call = json!({"type": "file_edit", "id": format!("e{at}"), "file": "a.py", "find": find, "replace": text});
        let (result, _) = desk.result(&["--approve-all"], call);
        assert_eq!(result["success"], json!(true), "{result}");
        trees.push(desk.tree());
    }
    trees.pop();
    while let Some(tree) = trees.pop() {
        let done = desk.undo(&["--yes"]).is(0, "the last");
        assert!(
            done.out.contains("this would") && done.out.contains("done; `sayso undo "),
            "{}",
            done.out
        );
        assert_eq!(desk.tree(), tree);
    }
    let done = desk.undo(&["--yes"]).is(2, "nothing is left");
    assert!(
        done.err.contains("there is nothing to undo"),
        "{}",
        done.err
    );
}

#[test]
fn a_whole_batch_is_taken_back_by_its_id() {
    let desk = desk();
    let before = desk.tree();
    // They build on each other: made, edited, moved, deleted, and a folder on the way.
    let calls = json!([
        {"type": "file_edit", "id": "b0", "file": "a.py", "find": "two", "replace": "2"},
        {"type": "file_create", "id": "b1", "file": "new/x.py", "content": "x\n"},
        {"type": "file_edit", "id": "b2", "file": "new/x.py", "find": "x", "replace": "y"},
        {"type": "file_move", "id": "b3", "file": "new/x.py", "to": "new/z.py"},
        {"type": "file_append", "id": "b4", "file": "a.py", "content": "more\n"},
        {"type": "file_delete", "id": "b5", "file": "run.sh"},
        {"type": "file_move", "id": "b6", "file": "full", "to": "new/full"},
        {"type": "file_delete", "id": "b7", "file": "new/full/x.py"},
        {"type": "file_rmdir", "id": "b8", "path": "empty"},
        {"type": "file_read", "id": "b9", "file": "a.py"},
    ]);
    desk.run(&["--approve-all"], &calls).is(0, "all ran");
    let after = desk.tree();
    let changes = desk.changes();
    assert_eq!(changes.len(), 9, "a read is no change: {changes:?}");
    let ids: Vec<&str> = changes
        .iter()
        .map(|change| change["call"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        ["b8", "b7", "b6", "b5", "b4", "b3", "b2", "b1", "b0"],
        "the newest first"
    );
    assert!(
        changes
            .iter()
            .all(|change| change["can_be_undone"] == json!(true)
                && change["batch"] == changes[0]["batch"])
    );
    let batch = changes[0]["batch"].as_str().unwrap();

    let undone = read(&desk.undo(&[batch, "--yes", "--json"]).is(0, "the batch"));
    assert_eq!(desk.tree(), before);
    assert_eq!(undone["undoes"].as_array().unwrap().len(), 9);
    desk.undo(&[batch, "--yes"]).is(2, "it was undone already");
    desk.undo(&[undone["id"].as_str().unwrap(), "--yes"])
        .is(0, "the undo of the batch");
    assert_eq!(desk.tree(), after);
}

#[test]
fn links_are_taken_away_and_come_back_as_links() {
    let desk = desk();
    let link = desk.scene.workspace.join("link.py");
    symlink("a.py", &link).unwrap();
    let (result, _) = desk.result(
        &["--yolo"],
        json!({"type": "file_delete", "id": "l", "file": "link.py"}),
    );
    if result["success"] == json!(true) && fs::symlink_metadata(&link).is_err() {
        desk.undo(&["l", "--yes"]).is(0, "the link comes back");
    }
    assert_eq!(
        fs::read_link(&link).unwrap().to_str(),
        Some("a.py"),
        "{result}"
    );
    assert_eq!(desk.text("a.py").as_deref(), Some("one\ntwo\nthree\n"));
}

#[test]
fn an_undo_is_written_down_before_it_is_done() {
    let (desk, calls) = Desk::of_the_seed();
    desk.run(&["--approve-all"], &calls).is(0, "all ran");
    let undone = read(&desk.undo(&["delete_0", "--yes", "--json"]).is(0, "undone"));
    let record = desk.record();
    let place = |kind: &str| {
        record
            .iter()
            .position(|entry| entry["kind"] == kind && entry["call"] == undone["call"])
    };
    let (begun, ended) = (place("undo").unwrap(), place("finished").unwrap());
    assert!(begun < ended);
    assert_eq!(record[begun]["undoes"], json!(["delete_0"]));
}
