//! Requests for permission, answered by the policy: by the kind of what is offered, and never with an answer that lasts.

use serde_json::json;

use super::{Editor, command, desk, no, options, yes};
use crate::mcp::outcomes;

#[test]
fn the_policy_answers_in_place_of_the_person() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    assert_eq!(editor.permitted(1, command("touch allowed-1")), yes());
    assert_eq!(editor.permitted(2, command("ls src")), yes());
    editor.wants(3, command("touch denied-1"));
    let got = editor.got();
    assert_eq!(got["result"]["outcome"], no());
    assert!(
        got["result"]["_meta"]["sayso"]["reason"]
            .as_str()
            .unwrap()
            .contains("not that one"),
        "{got}"
    );
    assert_eq!(
        outcomes(&desk),
        ["auto_approved", "auto_approved", "blocked"]
    );
    let entries = desk.entries("decided");
    assert!(
        entries.iter().all(|entry| entry["agent"] == "tiny"
            && entry["session"].as_str().unwrap().starts_with("acp-")),
        "{entries:?}"
    );
}

#[test]
fn tools_are_known_by_kind_and_arguments() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let path = |name: &str| desk.scene.workspace.join(name).to_str().unwrap().to_owned();
    let edit = |name: &str| {
        json!({"toolCallId": "c", "title": name, "kind": "edit", "rawInput": {"filepath": path(name), "diff": "…"},
            "content": [{"type": "diff", "path": path(name), "oldText": "", "newText": "y\n"}], "locations": [{"path": path(name)}]})
    };
    let read = |name: &str| json!({"toolCallId": "c", "title": name, "kind": "read", "rawInput": {"file_path": path(name)}});
    let fetch = |url: &str| json!({"toolCallId": "c", "title": url, "kind": "fetch", "rawInput": {"url": url, "format": "text"}});
    for (id, call, outcome) in [
        (1, edit("src/a.rs"), yes()),
        (2, edit("infra/a.tf"), no()),
        (3, read("src/a.rs"), yes()),
        (4, fetch("https://docs.example/x"), yes()),
        (
            5,
            json!({"toolCallId": "c", "kind": "execute", "rawInput": {"command": ["touch", "allowed-1"]}}),
            yes(),
        ),
        (
            6,
            json!({"toolCallId": "c", "kind": "execute", "rawInput": {"command": ["touch", "denied-1"], "cwd": path("src")}}),
            no(),
        ),
    ] {
        assert_eq!(editor.permitted(id, call.clone()), outcome, "{call}");
    }
}

#[test]
fn the_second_version_of_the_protocol_is_read_too() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let call = |text: &str| json!({"type": "tool_call", "toolCall": command(text)});
    let plain =
        |text: &str| json!({"type": "command", "command": text, "cwd": desk.scene.folder()});
    for (id, subject, outcome) in [
        (1, call("touch allowed-1"), yes()),
        (2, call("touch denied-1"), no()),
        (3, plain("touch allowed-1"), yes()),
        (4, plain("touch denied-1"), no()),
    ] {
        editor.agent_asks(
            id,
            "session/request_permission",
            json!({"title": "Run?", "subject": subject, "options": options()}),
        );
        assert_eq!(editor.got()["result"]["outcome"], outcome);
    }
}

#[test]
fn what_says_nothing_for_sure_can_be_forbidden_and_never_allowed() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let file = desk
        .scene
        .workspace
        .join("infra/x")
        .to_str()
        .unwrap()
        .to_owned();
    for (id, call) in [
        (
            1,
            json!({"toolCallId": "c", "title": "touch denied-1", "kind": "execute"}),
        ),
        (
            2,
            json!({"toolCallId": "c", "title": "touch denied-1 [current working directory /x] (why)", "kind": "execute"}),
        ),
        (
            3,
            json!({"toolCallId": "c", "title": "Writing", "kind": "edit", "locations": [{"path": file}]}),
        ),
        (
            4,
            json!({"toolCallId": "c", "title": "Writing", "kind": "edit", "content": [{"type": "diff", "path": file, "newText": "x"}]}),
        ),
        (
            5,
            json!({"toolCallId": "c", "title": "x", "kind": "other", "rawInput": {"options": {"command": "touch denied-1"}}}),
        ),
        (
            6,
            json!({"toolCallId": "c", "title": "x", "kind": "execute", "rawInput": {"command": "touch denied-1", "shell": "fish"}}),
        ),
    ] {
        assert_eq!(editor.permitted(id, call.clone()), no(), "{call}");
    }
    for (id, call) in [
        (
            11,
            json!({"toolCallId": "c", "title": "touch allowed-1", "kind": "execute"}),
        ),
        (
            12,
            json!({"toolCallId": "c", "title": "x", "kind": "execute", "rawInput": {"command": "touch allowed-1", "shell": "fish"}}),
        ),
        (
            13,
            json!({"toolCallId": "c", "title": "git status", "kind": "unheard_of", "rawInput": {"command": "git status"}}),
        ),
        (14, json!({"toolCallId": "c"})),
    ] {
        editor.wants(id, call.clone());
        let asked = editor.gated.next();
        assert_eq!(
            (&asked["id"], &asked["method"]),
            (&json!(id), &json!("session/request_permission")),
            "{call}"
        );
        editor.picks(&json!(id), "allow");
        assert_eq!(editor.got()["result"]["outcome"], no());
    }
}

#[test]
fn a_rule_may_name_what_nobody_knows() {
    let desk = desk();
    desk.scene.user_policy("version: 1\nrules:\n  - {allow: {tool: 'acp:think'}}\n  - {deny: {tool: 'acp:switch_mode'}}\n  - {deny: {tool: drop_database}}\n  - {deny: {mcp: 'prod/*'}}\n");
    let mut editor = Editor::start(&desk);
    for (id, title, kind, outcome) in [
        (1, "Thinking", "think", yes()),
        (2, "Leave the plan", "switch_mode", no()),
        (3, "drop_database", "other", no()),
        (4, "mcp__prod__query", "other", no()),
    ] {
        assert_eq!(
            editor.permitted(id, json!({"toolCallId": "c", "title": title, "kind": kind})),
            outcome,
            "{title}"
        );
    }
}

#[test]
fn an_answer_that_lasts_is_neither_given_nor_offered() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    // Without a yes for once there is none.
    let lasting = json!([{"optionId": "a", "name": "Allow once", "kind": "allow_always"}, {"optionId": "r", "name": "", "kind": "reject_always"}]);
    editor.agent_asks(
        1,
        "session/request_permission",
        json!({"toolCall": command("touch allowed-1"), "options": lasting}),
    );
    assert_eq!(
        editor.got()["result"]["outcome"],
        json!({"outcome": "selected", "optionId": "r"})
    );
    // Without a no there is still no yes.
    let only = json!([{"optionId": "a", "name": "", "kind": "allow_once"}]);
    editor.agent_asks(
        2,
        "session/request_permission",
        json!({"toolCall": command("touch denied-1"), "options": only}),
    );
    assert_eq!(editor.got()["result"]["outcome"]["outcome"], "cancelled");
    // What is asked is offered once, and what nobody knows stays as it is.
    let mut offered = options();
    offered.as_array_mut().unwrap().push(
        json!({"optionId": "new", "name": "Tonight", "kind": "allow_tonight", "_meta": {"x": 1e3}}),
    );
    editor.agent_asks(
        3,
        "session/request_permission",
        json!({"toolCall": command("make"), "options": offered, "_meta": {"keep": [1, null]}}),
    );
    let asked = editor.gated.next();
    let kinds: Vec<&str> = asked["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["allow_once", "reject_once", "allow_tonight"]);
    assert_eq!(
        (
            &asked["params"]["_meta"]["keep"],
            &asked["params"]["toolCall"]
        ),
        (&json!([1, null]), &command("make"))
    );
    // An answer of a kind that nobody knows is no yes.
    editor.picks(&json!(3), "new");
    assert_eq!(editor.got()["result"]["outcome"], no());
    // Nor is one that was not offered.
    editor.wants(4, command("make"));
    editor.gated.next();
    editor.picks(&json!(4), "reject");
    assert_eq!(editor.got()["result"]["outcome"], no());
    assert_eq!(
        outcomes(&desk)
            .iter()
            .filter(|outcome| outcome.contains("approved"))
            .count(),
        0
    );
}

#[test]
fn several_ways_to_say_yes_are_for_the_person() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let several = json!([
        {"optionId": "a", "name": "Yes", "kind": "allow_once"},
        {"optionId": "b", "name": "Yes, and forget everything", "kind": "allow_once"},
        {"optionId": "r", "name": "No", "kind": "reject_once"},
    ]);
    editor.agent_asks(
        1,
        "session/request_permission",
        json!({"toolCall": command("touch allowed-1"), "options": several}),
    );
    let asked = editor.gated.next();
    assert_eq!(asked["id"], 1, "{asked}");
    editor.picks(&json!(1), "b");
    assert_eq!(editor.got()["result"]["outcome"]["optionId"], "b");
    editor.agent_asks(
        2,
        "session/request_permission",
        json!({"toolCall": command("touch denied-1"), "options": several}),
    );
    assert_eq!(
        editor.got()["result"]["outcome"]["optionId"],
        "r",
        "and the policy still says no"
    );
}
