//! The ways to write a batch: JSON, JSON lines and YAML, the shape of the first seed and the native one, from a file and from a pipe.

use serde_json::{Value, json};

use crate::desk::{Desk, read};
use crate::program::run;

const JSON: &str = r#"[
  {"type": "file_edit", "id": "edit_0", "file": "a.py", "find": "a", "replace": "A"},
  {"type": "terminal", "id": "terminal_1", "command": "printf made > b.py"},
  {"type": "file_read", "id": "read_2", "file": "a.py"}
]"#;

const LINES: &str = r#"{"type": "file_edit", "id": "edit_0", "file": "a.py", "find": "a", "replace": "A"}

{"type": "terminal", "id": "terminal_1", "command": "printf made > b.py"}
{"type": "file_read", "id": "read_2", "file": "a.py"}"#;

const YAML: &str = "\
- type: file_edit
  id: edit_0
  file: a.py
  find: a
  replace: A
- {type: terminal, id: terminal_1, command: 'printf made > b.py'}
- type: file_read
  id: read_2
  file: a.py
";

const NATIVE: &str = r#"[
  {"tool": "file_edit", "id": "edit_0", "args": {"path": "a.py", "find": "a", "replace": "A"}},
  {"tool": "bash", "id": "terminal_1", "args": {"command": "printf made > b.py"}, "cwd": "."},
  {"tool": "file_read", "id": "read_2", "args": {"path": "a.py"}}
]"#;

/// What must be the same whoever wrote it.
fn ends(results: &Value) -> Vec<Value> {
    let list = results["results"].as_array().unwrap();
    // Each keeps its own name for a tool; the kind is the same.
    let kind = |one: &Value| one.get("tool_kind").unwrap_or(&one["tool_type"]).clone();
    list.iter()
        .map(|one| {
            json!([
                one["tool_id"],
                kind(one),
                one["success"],
                one["output"],
                one["error"],
                one["outcome"]
            ])
        })
        .collect()
}

#[test]
fn however_it_is_written_it_is_the_same_batch() {
    let mut all = Vec::new();
    for (name, text) in [
        ("a.json", JSON),
        ("a.jsonl", LINES),
        ("a.ndjson", LINES),
        ("a.yaml", YAML),
        ("a.yml", YAML),
        ("native.json", NATIVE),
        ("no-ending", JSON),
        ("lines", LINES),
        ("yaml", YAML),
        ("-", JSON),
        ("-", LINES),
        ("-", YAML),
    ] {
        let desk = Desk::with(&[("a.py", "a\n")]);
        let (file, input) = if name == "-" {
            ("-".into(), text)
        } else {
            (desk.batch(name, text), "")
        };
        let done = run(
            desk.program()
                .args(["run", "--approve-all", "--json"])
                .arg(file),
            input.as_bytes(),
        )
        .is(0, name);
        assert_eq!(desk.text("a.py").as_deref(), Some("A\n"), "{name}");
        assert_eq!(desk.text("b.py").as_deref(), Some("made"), "{name}");
        all.push((name, ends(&read(&done))));
    }
    assert!(all.iter().all(|(_, ends)| *ends == all[0].1), "{all:#?}");
}

#[test]
fn a_single_call_needs_no_list_and_an_id_is_given_where_there_is_none() {
    for (name, text) in [
        ("one.json", r#"{"type": "file_read", "file": "a.py"}"#),
        ("one.jsonl", r#"{"type": "file_read", "file": "a.py"}"#),
        ("one.yaml", "type: file_read\nfile: a.py\n"),
    ] {
        let desk = Desk::with(&[("a.py", "a\n")]);
        let file = desk.batch(name, text);
        let results = read(
            &run(
                desk.program().args(["run", "--strict", "--json"]).arg(file),
                b"",
            )
            .is(0, name),
        );
        assert_eq!(
            results["results"][0]["tool_id"],
            json!("file_read_0"),
            "{name}"
        );
    }
}

#[test]
fn the_folder_and_the_agent_are_said_on_the_command_line() {
    let desk = Desk::with(&[("sub/a.py", "a\n")]);
    let sub = desk.scene.workspace.join("sub");
    let calls =
        json!([{"type": "file_edit", "id": "e", "file": "a.py", "find": "a", "replace": "b"}]);
    desk.run(
        &[
            "--approve-all",
            "--agent",
            "build-agent",
            "-C",
            sub.to_str().unwrap(),
        ],
        &calls,
    )
    .is(0, "in another folder");
    assert_eq!(desk.text("sub/a.py").as_deref(), Some("b\n"));
    assert_eq!(desk.entries("decided")[0]["agent"], json!("build-agent"));
}

#[test]
fn arguments_that_are_called_tool_or_agent_are_arguments() {
    let desk = Desk::with(&[("a.py", "a\n")]);
    let calls = json!([
        {"type": "mcp_tool", "id": "m", "server": "github", "tool": "create_issue"},
        {"type": "delegate", "id": "d", "agent": "reviewer", "input": "look"},
        {"type": "share_file", "id": "s", "path": "a.py", "agent": "reviewer"},
        {"type": "post", "id": "p", "agent": "reviewer", "session": "x"},
    ]);
    let (results, code) = desk.results(&["--strict"], &calls);
    assert_eq!(code, 20);
    for entry in desk.entries("decided") {
        assert!(
            entry["risk"].is_string(),
            "judged, and not malformed: {entry:#}"
        );
        assert!(
            entry["agent"].is_null(),
            "none of it is who calls: {entry:#}"
        );
    }
    assert_eq!(
        results["results"][0]["tool_type"], "mcp_tool",
        "{results:#}"
    );
    // Where the tool has no such argument, it could only be meant for the call itself.
    desk.run(
        &["--strict"],
        &json!([{"type": "file_read", "file": "a.py", "agent": "reviewer"}]),
    )
    .is(2, "its own agent");
}
