//! Prompts and presentations for programs: every field has its name, and the value is JSON.

use sayso_core::answer::run_mode::Run;
use sayso_core::call::operation::{Agent, Call};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use sayso_gate::presentation::{prompt_to_node, to_node};

use super::{call, setup, show};
use crate::flow::room::Room;

fn text<'a>(node: &'a Node, path: &[&str]) -> &'a str {
    let found = path.iter().fold(node, |node, key| {
        node.get(key)
            .unwrap_or_else(|| panic!("no {key} in {node:#?}"))
    });
    found
        .as_text()
        .unwrap_or_else(|| panic!("{path:?} is no text: {found:#?}"))
}

#[test]
fn e_09_a_prompt_has_every_field() {
    let room = Room::new("sayso", Run::Interactive, &[]);
    room.world.write("/ws/build", "x");
    let agent = Agent {
        name: "worker".to_owned(),
        parents: vec!["boss".to_owned()],
    };
    room.call(Call {
        id: "call-7".to_owned(),
        agent,
        ..call("bash", &[("command", "rm -rf build")])
    });
    let prompt = &room.person.seen()[0];
    let node = prompt_to_node(prompt);
    for key in [
        "id",
        "session",
        "call_id",
        "digest",
        "tool",
        "kind",
        "message",
        "title",
        "arguments",
        "details",
        "is_dangerous",
        "warning",
        "warnings",
        "risk",
        "tier",
        "confirm",
        "reasons",
        "requested_at",
        "context",
        "preview",
        "offers",
        "place",
        "round",
        "group",
        "alike",
        "style",
        "timeout",
    ] {
        assert!(node.get(key).is_some(), "no {key}");
    }
    assert_eq!(text(&node, &["id"]), prompt.id);
    assert_eq!(text(&node, &["session"]), "s");
    assert_eq!(text(&node, &["call_id"]), "call-7");
    assert_eq!(text(&node, &["arguments", "command"]), "rm -rf build");
    assert_eq!(
        text(&node, &["digest"]),
        prompt.operation.digest().to_string()
    );
    assert_eq!(text(&node, &["context", "agent"]), "worker");
    assert_eq!(
        node.get("context")
            .and_then(|context| context.get("parents"))
            .unwrap()
            .items()[0]
            .as_text(),
        Some("boss")
    );
    assert_eq!(node.get("is_dangerous").and_then(Node::as_bool), Some(true));
    assert_eq!(text(&node, &["warning"]), "This operation is destructive");
    assert_eq!(text(&node, &["preview", "type"]), "command");
    assert_eq!(text(&node, &["round"]), "first");
    assert_eq!(
        text(&node.get("offers").unwrap().items()[0], &["words"]),
        "allow this once"
    );
    assert_eq!(
        node.get("requested_at").and_then(Node::as_whole),
        Some(u64::try_from(crate::bench::NOW).unwrap())
    );
    assert_eq!(node.get("timeout").and_then(Node::as_whole), Some(300));
    let written = json::write(&node);
    assert_eq!(
        json::write(&json::read(&written, &Limits::default()).expect("JSON")),
        written
    );
}

#[test]
fn every_kind_of_body_has_its_word() {
    let mut setup = setup();
    setup.world.with("/ws/a.py", "old\n");
    for (call, word) in [
        (call("bash", &[("command", "ls")]), "command"),
        (
            call("file_write", &[("path", "a.py"), ("content", "new\n")]),
            "diff",
        ),
        (
            call("file_write", &[("path", "b.py"), ("content", "new\n")]),
            "file_content",
        ),
        (
            call(
                "file_write",
                &[("path", "b.bin"), ("content", "\u{7f}ELF\0\0\0")],
            ),
            "binary",
        ),
        (call("file_delete", &[("path", "a.py")]), "text"),
        (call("my_tool", &[("x", "y")]), "structured"),
    ] {
        let shown = show(&setup, call);
        let node = to_node(&shown);
        assert_eq!(text(&node, &["type"]), word);
        assert_eq!(
            matches!(node.get("full").unwrap().value, Value::Null),
            shown.full.is_none()
        );
        assert_eq!(
            node.get("hidden_lines").and_then(Node::as_whole),
            Some(shown.hidden_lines as u64)
        );
    }
    let node = to_node(&show(
        &setup,
        call("file_write", &[("path", "a.py"), ("content", "new\n")]),
    ));
    assert_eq!(
        json::write(node.get("hunks").unwrap()),
        r#"[{"old_start":1,"new_start":1,"lines":[{"change":"removed","old":1,"new":null,"pieces":[{"text":"old","emphasised":false}]},{"change":"added","old":null,"new":1,"pieces":[{"text":"new","emphasised":false}]}]}]"#
    );
}
