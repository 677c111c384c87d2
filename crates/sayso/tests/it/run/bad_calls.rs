//! Calls that can be read and are wrong: each gets a result that an agent can use, and the others run.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::desk::Desk;

/// Runs one call between two good ones.
#[track_caller]
fn between(desk: &Desk, call: &Value) -> Value {
    let good = |id: &str| json!({"type": "file_read", "id": id, "file": "a.py"});
    let (results, _) = desk.results(&["--yolo"], &json!([good("before"), call, good("after")]));
    let list = results["results"]
        .as_array()
        .unwrap_or_else(|| panic!("{call}"));
    assert_eq!(
        (list.len(), &list[0]["success"], &list[2]["success"]),
        (3, &json!(true), &json!(true)),
        "{call}: {results}"
    );
    list[1].clone()
}

fn desk() -> Desk {
    Desk::with(&[("a.py", "a\n"), ("many.py", "x x x\n")])
}

#[test]
fn what_is_wrong_with_a_call_is_its_result() {
    let desk = desk();
    let before = desk.tree();
    for (call, words) in [
        (
            json!({"type": "no_such_tool", "id": "x", "file": "a.py"}),
            "nothing here can run the tool `no_such_tool`",
        ),
        (json!({"type": "", "id": "x"}), ""),
        (
            json!({"type": "file_edit", "id": "x", "find": "a", "replace": "b"}),
            "path",
        ),
        (
            json!({"type": "file_edit", "id": "x", "file": "a.py", "replace": "b"}),
            "find",
        ),
        (
            json!({"type": "file_edit", "id": "x", "file": "a.py", "find": "a"}),
            "replace",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "b.py"}),
            "content",
        ),
        (
            json!({"type": "file_move", "id": "x", "file": "a.py"}),
            "to",
        ),
        (json!({"type": "terminal", "id": "x"}), "command"),
        (json!({"type": "terminal", "id": "x", "command": ""}), ""),
        (
            json!({"type": "terminal", "id": "x", "command": "  \n "}),
            "",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": 7}),
            "command",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": ["touch", "ran"]}),
            "command",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": {"text": "touch ran"}}),
            "command",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": "touch ran", "timeout": "soon"}),
            "",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": "touch ran", "timeout": -1}),
            "",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": "touch ran", "env": "A=b"}),
            "",
        ),
        (
            json!({"type": "terminal", "id": "x", "command": "touch ran\0x"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": 7, "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": ["b.py"], "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "b.py", "content": null}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "", "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "b\0.py", "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_delete", "id": "x", "file": "a.py\0.bak"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "b.py/".to_owned() + &"n".repeat(5000), "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "a.py", "content": "x"}),
            "is there already",
        ),
        (
            json!({"type": "file_create", "id": "x", "file": "a.py/below", "content": "x"}),
            "",
        ),
        (
            json!({"type": "file_edit", "id": "x", "file": "a.py", "find": "zzz", "replace": "b"}),
            "a.py",
        ),
        (
            json!({"type": "file_edit", "id": "x", "file": "many.py", "find": "x", "replace": "y"}),
            "3",
        ),
        (
            json!({"type": "file_edit", "id": "x", "file": "missing.py", "find": "x", "replace": "y"}),
            "does not exist",
        ),
        (
            json!({"type": "file_delete", "id": "x", "file": "missing.py"}),
            "missing.py",
        ),
        (
            json!({"type": "file_move", "id": "x", "file": "missing.py", "to": "c.py"}),
            "missing.py",
        ),
        (
            json!({"type": "file_rmdir", "id": "x", "file": "a.py"}),
            "a.py",
        ),
        (
            json!({"type": "file_read", "id": "x", "file": "missing.py"}),
            "missing.py",
        ),
        (
            json!({"tool": "terminal", "id": "x", "args": "touch ran"}),
            "",
        ),
        (
            json!({"tool": "terminal", "id": "x", "args": ["touch ran"]}),
            "",
        ),
        (json!({"tool": "terminal", "id": "x"}), ""),
        (
            json!({"tool": "mcp", "id": "x", "args": {"server": "s", "tool": "t"}}),
            "",
        ),
    ] {
        let result = between(&desk, &call);
        assert_eq!(result["success"], json!(false), "{call}: {result}");
        let error = result["error"].as_str().unwrap();
        assert!(
            !error.is_empty() && error.contains(words),
            "{call}: {error}"
        );
        assert_eq!(desk.tree(), before, "{call}: something changed");
    }
    assert!(desk.changes().is_empty());
}

#[test]
fn ten_megabytes_are_written_whole_and_more_than_a_call_holds_is_refused() {
    let desk = desk();
    let content = "0123456789abcde\n".repeat(10 << 16);
    let (result, code) = desk.result(
        &["--approve-all"],
        json!({"type": "file_create", "id": "big", "file": "big.txt", "content": content}),
    );
    assert_eq!(
        (&result["success"], code),
        (&json!(true), 0),
        "{}",
        result["error"]
    );
    assert!(desk.text("big.txt").unwrap() == content);
    desk.undo(&["big", "--yes"]).is(0, "taken back");
    assert_eq!(desk.text("big.txt"), None);

    let content = "x".repeat(17 << 20);
    let (result, code) = desk.result(
        &["--approve-all"],
        json!({"type": "file_create", "id": "huge", "file": "huge.txt", "content": content}),
    );
    assert_eq!(
        (&result["success"], code),
        (&json!(false), 20),
        "{}",
        result["error"]
    );
    assert_eq!(desk.text("huge.txt"), None);
}

#[test]
fn a_file_that_is_no_text_is_not_edited_and_keeps_its_bytes() {
    let desk = desk();
    let path = desk.scene.workspace.join("photo.py");
    let bytes = b"\x89PNG\xff\xfe a \x00 b";
    fs::write(&path, bytes).unwrap();
    for call in [
        json!({"type": "file_edit", "id": "x", "file": "photo.py", "find": "a", "replace": "b"}),
        json!({"type": "file_insert_after", "id": "x", "file": "photo.py", "pattern": "a", "content": "b"}),
    ] {
        let result = between(&desk, &call);
        assert_eq!(result["success"], json!(false), "{call}");
        assert!(
            result["error"].as_str().unwrap().contains("not UTF-8"),
            "{result}"
        );
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let result = between(
        &desk,
        &json!({"type": "file_delete", "id": "gone", "file": "photo.py"}),
    );
    assert_eq!(result["success"], json!(true), "{result}");
    desk.undo(&["gone", "--yes"]).is(0, "bytes come back");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn line_endings_and_permissions_stay() {
    let desk = desk();
    let path = desk.scene.workspace.join("dos.sh");
    fs::write(&path, "one\r\ntwo\r\nthree\r\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let calls = json!([
        {"type": "file_edit", "id": "e", "file": "dos.sh", "find": "two", "replace": "2"},
        {"type": "file_insert_after", "id": "i", "file": "dos.sh", "pattern": "2", "content": "2.5"},
    ]);
    desk.run(&["--approve-all"], &calls).is(0, "edited");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("one\r\n2") && text.contains("2.5") && text.ends_with("three\r\n"),
        "{text:?}"
    );
    assert_eq!(
        text.matches('\n').count(),
        text.matches("\r\n").count(),
        "{text:?}"
    );
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o750
    );
}

#[test]
fn a_link_is_judged_by_where_it_leads() {
    let desk = desk();
    let outside = desk.scene.outside.join("secret.py");
    fs::write(&outside, "mine\n").unwrap();
    symlink(&outside, desk.scene.workspace.join("link.py")).unwrap();
    let (result, code) = desk.result(
        &["--strict"],
        json!({"type": "file_read", "id": "x", "file": "link.py"}),
    );
    assert_eq!(
        (&result["outcome"], code),
        (&json!("blocked"), 20),
        "a read outside asks: {result}"
    );
    assert!(!result.to_string().contains("mine"), "{result}");
}

#[test]
fn ids_come_back_as_they_are_unless_nobody_could_see_them() {
    let desk = desk();
    for id in [json!("a b\n\u{1b}[31m\u{202e}"), json!("x".repeat(5000))] {
        let calls =
            json!([{"type": "file_edit", "id": id, "file": "a.py", "find": "a", "replace": "b"}]);
        desk.run(&["--approve-all"], &calls)
            .is(2, "an id like this is refused before anything runs");
        assert_eq!(desk.text("a.py").as_deref(), Some("a\n"), "{id}");
    }
    for id in [json!("../../etc/passwd"), json!(""), json!("é🦀"), json!(7)] {
        let call =
            json!({"type": "file_edit", "id": id, "file": "a.py", "find": "a", "replace": "b"});
        let result = between(&desk, &call);
        assert_eq!(result["success"], json!(true), "{id}: {result}");
        if id.as_str().is_none_or(|id| !id.is_empty()) {
            assert_eq!(
                result["tool_id"],
                id.as_str()
                    .map_or_else(|| json!(id.to_string()), |id| json!(id)),
                "{result}"
            );
        }
        let change = result["change"].as_str().unwrap();
        desk.undo(&["--yes", "--", change])
            .is(0, "undone by its own id");
        assert_eq!(desk.text("a.py").as_deref(), Some("a\n"), "{id}");
    }
}

#[test]
fn two_calls_of_one_id_both_run_and_an_undo_has_to_say_which() {
    let desk = desk();
    let edit = |find: &str, replace: &str| json!({"type": "file_edit", "id": "same", "file": "a.py", "find": find, "replace": replace});
    desk.run(&["--approve-all"], &json!([edit("a", "b"), edit("b", "c")]))
        .is(0, "both");
    assert_eq!(desk.text("a.py").as_deref(), Some("c\n"));
    desk.undo(&["same", "--yes"]).is(2, "which one?");
    assert_eq!(desk.text("a.py").as_deref(), Some("c\n"));
    desk.undo(&["--yes"]).is(0, "the last");
    assert_eq!(desk.text("a.py").as_deref(), Some("b\n"));
    desk.undo(&["same", "--yes"]).is(0, "only one is left");
    assert_eq!(desk.text("a.py").as_deref(), Some("a\n"));
}
