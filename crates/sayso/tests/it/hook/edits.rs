//! What an agent changes with its own tools can be taken back.

use std::fs;

use serde_json::{Value, json};

use super::{answered, before, decided, event};
use crate::desk::Desk;

/// The agent is told yes, does it, and says so.
#[track_caller]
fn done(desk: &Desk, agent: &str, tool: &str, input: &Value, does: impl FnOnce()) {
    let said = answered(desk, agent, &before(desk, tool, input.clone()));
    assert!(
        said.is_null() || matches!(said["permissionDecision"].as_str(), Some("allow" | "ask")),
        "{said}"
    );
    does();
    assert!(
        answered(
            desk,
            agent,
            &event(desk, "PostToolUse", tool, input.clone())
        )
        .is_null()
    );
}

#[test]
fn an_edit_by_claude_is_undone() {
    let desk = Desk::with(&[("notes.md", "old\n")]);
    let file = desk.scene.workspace.join("notes.md");
    let input = json!({"file_path": file, "old_string": "old", "new_string": "new"});
    done(&desk, "claude", "Edit", &input, || {
        fs::write(&file, "new\n").unwrap()
    });
    assert_eq!(desk.entries("finished")[0]["changed"], json!([file]));
    let listed = desk.changes();
    assert_eq!(
        (listed.len(), &listed[0]["id"], &listed[0]["call"]),
        (1, &json!("u1"), &json!("toolu_01")),
        "{listed:?}"
    );
    desk.undo(&["toolu_01", "--yes"]).is(0, "undone");
    assert_eq!(desk.text("notes.md").as_deref(), Some("old\n"));
}

#[test]
fn a_new_file_in_new_folders_is_taken_away_again() {
    let desk = Desk::with(&[]);
    let file = desk.scene.workspace.join("docs/deep/notes.md");
    let input = json!({"file_path": file, "content": "new\n"});
    done(&desk, "claude", "Write", &input, || {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "new\n").unwrap();
    });
    desk.undo(&["toolu_01", "--yes"]).is(0, "undone");
    assert!(!desk.scene.workspace.join("docs").exists());
}

#[test]
fn an_asked_edit_is_undone_as_well_and_one_that_was_refused_is_nothing() {
    let desk = Desk::with(&[("run.sh", "old\n")]);
    let file = desk.scene.workspace.join("run.sh");
    let input = json!({"file_path": file, "old_string": "old", "new_string": "new"});
    assert_eq!(decided(&desk, "claude", "Edit", input.clone()).0, "ask");
    assert!(desk.changes().is_empty(), "nothing was changed");
    fs::write(&file, "new\n").unwrap();
    answered(
        &desk,
        "claude",
        &event(&desk, "PostToolUse", "Edit", input.clone()),
    );
    assert_eq!(desk.changes().len(), 1);
    desk.undo(&["toolu_01", "--yes"]).is(0, "undone");
    assert_eq!(desk.text("run.sh").as_deref(), Some("old\n"));
}

#[test]
fn a_change_that_nobody_told_of_is_found() {
    let desk = Desk::with(&[("notes.md", "old\n")]);
    let file = desk.scene.workspace.join("notes.md");
    decided(
        &desk,
        "claude",
        "Edit",
        json!({"file_path": file, "old_string": "old", "new_string": "new"}),
    );
    fs::write(&file, "new\n").unwrap();
    desk.undo(&["toolu_01", "--yes"]).is(0, "undone");
    assert_eq!(desk.text("notes.md").as_deref(), Some("old\n"));
}

#[test]
fn a_patch_of_several_files_is_one_change() {
    let desk = Desk::with(&[("a.md", "one\n"), ("b.md", "two\n")]);
    let patch = "*** Begin Patch\n*** Update File: a.md\n@@\n-one\n+1\n*** Update File: b.md\n@@\n-two\n+2\n*** Add File: c.md\n+3\n*** End Patch";
    let folder = &desk.scene.workspace;
    done(
        &desk,
        "codex",
        "apply_patch",
        &json!({"command": patch}),
        || {
            for (name, text) in [("a.md", "1\n"), ("b.md", "2\n"), ("c.md", "3\n")] {
                fs::write(folder.join(name), text).unwrap();
            }
        },
    );
    assert_eq!(desk.entries("decided").len(), 3);
    desk.undo(&["toolu_01", "--yes"]).is(0, "undone");
    assert_eq!(
        (desk.text("a.md"), desk.text("b.md"), desk.text("c.md")),
        (Some("one\n".into()), Some("two\n".into()), None)
    );
}

#[test]
fn one_file_of_a_patch_that_is_denied_denies_all_of_it() {
    let desk = Desk::with(&[("a.md", "one\n")]);
    let patch = "*** Begin Patch\n*** Update File: a.md\n@@\n-one\n+1\n*** Delete File: /etc/passwd\n*** End Patch";
    let said = answered(
        &desk,
        "codex",
        &before(&desk, "apply_patch", json!({"command": patch})),
    );
    super::is_denied(&said, "passwd");
    let entries = desk.entries("decided");
    assert!(
        entries
            .iter()
            .all(|entry| entry["outcome"] != "auto_approved"),
        "{entries:?}"
    );
}
