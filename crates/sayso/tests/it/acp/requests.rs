//! What the agent has the editor do: it reaches the editor only if it may, byte for byte, and else the agent reads why not.

use serde_json::json;

use super::{Editor, desk, is_denied};
use crate::mcp::outcomes;

#[test]
fn files_are_written_and_read_only_where_they_may_be() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let path = |name: &str| desk.scene.workspace.join(name).to_str().unwrap().to_owned();
    // The very bytes, with whatever the editor may know.
    let line = format!(
        "{{\"jsonrpc\":\"2.0\" , \"id\":1,\"method\":\"fs\\/write_text_file\",\"params\":{{\"sessionId\":\"{}\",\"path\":\"{}\",\"content\":\"\\u0041\",\"_meta\":{{\"n\":1.50}}}}}}\r\n",
        editor.session,
        path("src/a.rs")
    );
    editor.agent_says(line.as_bytes());
    assert_eq!(editor.gated.line(), line);
    editor.answers(&json!(1), json!({}));
    assert_eq!(editor.got()["result"], json!({}));
    editor.agent_asks(
        2,
        "fs/write_text_file",
        json!({"path": path("infra/a.tf"), "content": "x"}),
    );
    is_denied(&editor.got(), "not there");
    editor.agent_asks(
        3,
        "fs/read_text_file",
        json!({"path": path("src/a.rs"), "line": 1, "limit": 2}),
    );
    assert_eq!(editor.gated.next()["method"], "fs/read_text_file");
    editor.gated.send(
        &json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32002, "message": "not there"}}),
    );
    assert_eq!(editor.got()["error"]["code"], -32002);
    for (id, name) in [(4, "src/../infra/a.tf"), (5, "src/x/../../infra/b")] {
        editor.agent_asks(
            id,
            "fs/write_text_file",
            json!({"path": path(name), "content": "x"}),
        );
        is_denied(&editor.got(), "not there");
    }
    assert_eq!(
        outcomes(&desk),
        [
            "auto_approved",
            "blocked",
            "auto_approved",
            "blocked",
            "blocked"
        ]
    );
    let finished: Vec<bool> = desk
        .entries("finished")
        .iter()
        .map(|entry| entry["succeeded"].as_bool().unwrap())
        .collect();
    assert_eq!(finished, [true, false]);
}

#[test]
fn commands_are_run_only_if_every_reading_may() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    for (id, params) in [
        (1, json!({"command": "touch allowed-1"})),
        (
            2,
            json!({"command": "touch", "args": ["allowed-1"], "cwd": desk.scene.folder()}),
        ),
        (
            3,
            json!({"command": "ls", "args": ["src"], "env": [{"name": "LANG", "value": "C"}]}),
        ),
    ] {
        editor.agent_asks(id, "terminal/create", params);
        assert_eq!(
            (&editor.gated.next()["method"], id),
            (&json!("terminal/create"), id)
        );
        editor.answers(&json!(id), json!({"terminalId": "t"}));
        assert_eq!(editor.got()["result"]["terminalId"], "t");
    }
    for (id, params) in [
        (11, json!({"command": "touch denied-1"})),
        (12, json!({"command": "touch", "args": ["denied-1"]})),
        // An editor that gives it to a shell would run two commands, one that starts it with arguments only one.
        (
            13,
            json!({"command": "echo", "args": ["a; touch denied-1"]}),
        ),
        (
            14,
            json!({"command": "sh", "args": ["-c", "touch denied-1"]}),
        ),
        (15, json!({"command": "echo `touch denied-1`"})),
    ] {
        editor.agent_asks(id, "terminal/create", params.clone());
        is_denied(&editor.got(), "not that one");
    }
    // What is asked of a terminal that runs passes.
    for (id, method) in [
        (21, "terminal/output"),
        (22, "terminal/wait_for_exit"),
        (23, "terminal/kill"),
        (24, "terminal/release"),
    ] {
        editor.agent_asks(id, method, json!({"terminalId": "t"}));
        assert_eq!(editor.gated.next()["method"], method);
    }
}

#[test]
fn a_command_that_is_also_the_name_of_a_file_is_judged_as_both() {
    let desk = desk();
    desk.scene.file("cat ./x", "#!/bin/sh\n");
    let mut editor = Editor::start(&desk);
    editor.agent_asks(1, "terminal/create", json!({"command": "cat ./x"}));
    assert_eq!(
        editor.gated.next()["method"],
        "session/request_permission",
        "the file of that name is another program"
    );
    editor.agent_asks(2, "terminal/create", json!({"command": "cat ./notes.md"}));
    assert_eq!(editor.gated.next()["method"], "terminal/create");
}

#[test]
fn a_sandbox_that_is_required_is_one_that_nobody_here_can_promise() {
    let desk = desk();
    desk.scene.add_to_policy("sandbox: {require: true}\n");
    let mut editor = Editor::start(&desk);
    editor.agent_asks(1, "terminal/create", json!({"command": "touch allowed-1"}));
    is_denied(&editor.got(), "sandbox");
    assert_eq!(
        editor.permitted(2, super::command("touch allowed-1")),
        super::no()
    );
    assert_eq!(
        editor.permitted(
            3,
            json!({"toolCallId": "c", "title": "touch allowed-1", "kind": "execute"})
        ),
        super::no()
    );
}

#[test]
fn each_session_works_in_the_folder_that_the_editor_said() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let other = desk.scene.outside.join("other");
    std::fs::create_dir(&other).unwrap();
    let second = editor.begin(other.to_str().unwrap());
    let inside = other.join("src/x.rs").to_str().unwrap().to_owned();
    let write = |session: &str| json!({"sessionId": session, "path": inside, "content": "x"});
    editor.agent_asks(1, "fs/write_text_file", write(&second));
    assert_eq!(editor.gated.next()["method"], "fs/write_text_file");
    let first = editor.session.clone();
    editor.agent_asks(2, "fs/write_text_file", write(&first));
    assert_eq!(
        editor.gated.next()["method"],
        "session/request_permission",
        "it is outside of the first one's folder"
    );
    for (id, session) in [(3, "nobody"), (4, "")] {
        editor.agent_asks(id, "fs/write_text_file", write(session));
        is_denied(&editor.got(), "nobody knows this session");
    }
    // One that goes on has its folder from the editor, too.
    editor.gated.send(&json!({"jsonrpc": "2.0", "id": "l", "method": "session/load", "params": {"sessionId": "old", "cwd": other}}));
    editor.gated.answer(&json!("l"));
    editor.agent_asks(5, "fs/write_text_file", write("old"));
    assert_eq!(editor.gated.next()["method"], "fs/write_text_file");
}
