//! Tables and lists of 000 about files.

use serde_json::{Value, json};

use super::{decision, desk, lines, table, verdicts};
use crate::desk::Desk;

fn edit(path: &str) -> (&'static str, Value, &'static str) {
    (
        "file_edit",
        json!({"file": path, "find": "x", "replace": "y"}),
        "",
    )
}

/// §3.2: each operation on an ordinary file has its default action; Z-19 adds a second confirmation for folders.
#[test]
fn file_operations_of_000_have_their_default_action() {
    let desk = Desk::with(&[("src/a.py", "x"), ("src/d/b.py", "x")]);
    std::fs::create_dir(desk.scene.workspace.join("empty")).unwrap();
    let args = |tool: &str| match tool {
        "file_edit" => json!({"file": "src/a.py", "find": "x", "replace": "y"}),
        "file_create" => json!({"file": "src/new.py", "content": "x"}),
        "file_move" => json!({"from": "src/a.py", "to": "src/b.py"}),
        "file_copy" => json!({"from": "src/a.py", "to": "src/c.py"}),
        "file_insert_after" | "file_insert_before" => {
            json!({"file": "src/a.py", "pattern": "x", "content": "y"})
        }
        "file_mkdir" => json!({"path": "src/more"}),
        "file_rmdir" => json!({"path": "empty"}),
        "file_grep" => json!({"file": "src/a.py", "pattern": "x"}),
        "file_read" | "file_delete" => json!({"file": "src/a.py"}),
        _ => json!({"file": "src/a.py", "content": "y"}),
    };
    let rows = table("000-file-operations.md");
    assert_eq!(rows.len(), 13);
    let calls: Vec<_> = rows
        .iter()
        .map(|row| (row[0].as_str(), args(&row[0]), ""))
        .collect();
    for (row, verdict) in rows.iter().zip(verdicts(&desk, "kollabor-spec", &calls)) {
        let wanted = if row[2] == "Auto-approve" {
            "allow"
        } else {
            "ask"
        };
        assert_eq!(decision(&verdict), wanted, "{row:?}: {verdict}");
        if row[2] == "Double-confirm" {
            assert_eq!(verdict["confirm"], "double", "{row:?}: {verdict}");
        }
    }
}

/// §3.2: a file of each safe pattern is written without a question, and one of each protected pattern never is.
#[test]
fn safe_and_protected_paths_of_000_hold() {
    let desk = desk("000-permissions.json", &[]);
    let example = |pattern: &String| {
        pattern
            .replace("**/*.py", "sub/test_x.py")
            .replace("**/*", "sub/x.md")
            .replace("/**", "/x")
            .replace('*', "x")
    };
    for (name, wanted) in [
        ("000-safe-paths.txt", "allow"),
        ("000-protected-paths.txt", "ask"),
    ] {
        let paths: Vec<String> = lines(name).iter().map(example).collect();
        for path in &paths {
            desk.scene.file(path, "x");
        }
        let calls: Vec<_> = paths.iter().map(|path| edit(path)).collect();
        for (path, verdict) in paths.iter().zip(verdicts(&desk, "kollabor-spec", &calls)) {
            assert_eq!(decision(&verdict), wanted, "{path}: {verdict}");
        }
    }
}
