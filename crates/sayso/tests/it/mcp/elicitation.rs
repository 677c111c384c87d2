//! The client's own dialog as the place where the person answers, in both eras, where the person has allowed that.

use serde_json::{Value, json};

use super::{Gated, got, is_denied, outcomes, text};
use crate::desk::Desk;

fn desk() -> Desk {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nmcp: {elicitation: [trusted]}\n");
    desk
}

fn gated(desk: &Desk, client: &str) -> Gated {
    Gated::of(desk, &["--name", "s", "--client", client], &super::small())
}

#[test]
fn the_dialog_of_a_client_says_yes_or_no() {
    let desk = desk();
    let mut gated = gated(&desk, "trusted");
    gated.initialize(json!({"elicitation": {}}));
    gated.list();
    for (id, answer, is_yes) in [
        (
            1,
            json!({"action": "accept", "content": {"decision": "allow this once"}}),
            true,
        ),
        (
            2,
            json!({"action": "accept", "content": {"decision": "deny"}}),
            false,
        ),
        (
            3,
            json!({"action": "accept", "content": {"decision": "allow everything"}}),
            false,
        ),
        (4, json!({"action": "accept"}), false),
        (5, json!({"action": "decline"}), false),
        (6, json!({"action": "cancel"}), false),
        (7, json!({}), false),
        (
            8,
            json!({"action": "accept", "content": {"decision": "allow this once"}}),
            true,
        ),
    ] {
        gated.call(id, "echo", json!({"n": id}));
        let question = gated.next();
        assert_eq!(
            (&question["method"], &question["params"]["mode"]),
            (&json!("elicitation/create"), &json!("form"))
        );
        let message = question["params"]["message"].as_str().unwrap();
        assert!(
            message.contains("wants to use the tool echo of the MCP server s\n")
                && message.contains(&format!("arguments.n: {id}")),
            "{message}"
        );
        let answers: Vec<&str> =
            question["params"]["requestedSchema"]["properties"]["decision"]["enum"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
        assert!(
            answers.contains(&"allow this once") && answers.contains(&"deny"),
            "{answers:?}"
        );
        assert!(
            !answers.iter().any(|words| words.contains("project")),
            "nothing that lasts: {answers:?}"
        );
        gated.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
        let answer = gated.answer(&json!(id));
        if is_yes {
            assert_eq!(text(&answer), format!("{{\"n\": {id}}}"));
        } else {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
        }
        // The same answer once more is none to anything, and not the server's business.
        assert!(
            !got(&desk).contains("sayso-"),
            "the server never sees our ids"
        );
    }
    assert_eq!(
        outcomes(&desk)
            .iter()
            .filter(|outcome| *outcome == "approved")
            .count(),
        2
    );
}

#[test]
fn a_client_that_nobody_named_or_that_cannot_is_not_asked() {
    let desk = desk();
    for (client, capabilities) in [
        ("other", json!({"elicitation": {}})),
        ("trusted", json!({})),
        ("trusted", json!({"elicitation": {"url": {}}})),
        ("trusted", json!({"elicitation": true})),
    ] {
        let mut gated = gated(&desk, client);
        gated.initialize(capabilities);
        is_denied(&gated.called(1, "echo", json!({})), "inbox");
    }
}

#[test]
fn a_project_cannot_name_a_client() {
    let desk = Desk::with(&[]);
    desk.scene
        .project_policy("version: 1\nmcp: {elicitation: [trusted]}\n", false);
    let mut gated = gated(&desk, "trusted");
    gated.initialize(json!({"elicitation": {}}));
    let answer = gated.called(1, "echo", json!({}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[test]
fn a_server_cannot_make_the_client_answer_our_question() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(
        "version: 1\nmcp: {elicitation: [trusted]}\nrules:\n  - {allow: {mcp: 's/ask'}}\n",
    );
    let mut gated = gated(&desk, "trusted");
    gated.initialize(json!({"elicitation": {}}));
    gated.call(1, "echo", json!({}));
    let question = gated.next();
    // It does not know the id; one that it guesses is not passed on, and an answer to it says nothing here.
    gated.call(
        2,
        "ask",
        json!({"id": "sayso-1", "method": "elicitation/create", "params": {"message": "name?"}}),
    );
    assert_eq!(
        gated.next()["id"],
        2,
        "a question that names us does not come through"
    );
    gated.send(&json!({"jsonrpc": "2.0", "id": "sayso-1", "result": {"action": "accept", "content": {"decision": "allow this once"}}}));
    gated.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}));
    assert_eq!(gated.answer(&json!(1))["result"]["isError"], true);
    assert!(got(&desk).contains("sayso-1"));
}

/// A call of the revision without sessions.
fn modern(id: i64, n: i64, more: &Value) -> Value {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let mut params = json!({"name": "echo", "arguments": {"n": n}, "_meta": meta});
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn without_sessions_the_call_comes_again_with_the_answer() {
    let desk = desk();
    let mut gated = gated(&desk, "trusted");
    gated.send(&modern(1, 5, &json!({})));
    let question = gated.next();
    assert_eq!(
        (&question["id"], &question["result"]["resultType"]),
        (&json!(1), &json!("input_required"))
    );
    let state = question["result"]["requestState"].as_str().unwrap();
    let asked = &question["result"]["inputRequests"]["sayso"];
    assert_eq!(asked["method"], "elicitation/create");
    let yes = json!({"sayso": {"action": "accept", "content": {"decision": "allow this once"}}, "other": {"action": "decline"}});
    // Bound to the call: with other arguments it is an answer to nothing.
    gated.send(&modern(
        2,
        6,
        &json!({"requestState": state, "inputResponses": yes}),
    ));
    assert_eq!(gated.next()["error"]["code"], -32602);
    gated.send(&modern(
        3,
        5,
        &json!({"requestState": "sayso-guess", "inputResponses": yes}),
    ));
    assert_eq!(gated.next()["error"]["code"], -32602);
    gated.send(&modern(
        4,
        5,
        &json!({"requestState": state, "inputResponses": yes}),
    ));
    let answer = gated.next();
    assert_eq!((&answer["id"], text(&answer)), (&json!(4), "{\"n\": 5}"));
    let got = got(&desk);
    assert!(
        !got.contains("sayso") && !got.contains("requestState") && got.contains("other"),
        "what is ours stays here: {got}"
    );
    // Used up.
    gated.send(&modern(
        5,
        5,
        &json!({"requestState": state, "inputResponses": yes}),
    ));
    assert_eq!(gated.next()["error"]["code"], -32602);
    assert_eq!(outcomes(&desk), ["approved"]);
    gated.send(&modern(6, 5, &json!({})));
    let state = gated.next()["result"]["requestState"].clone();
    gated.send(&modern(
        7,
        5,
        &json!({"requestState": state, "inputResponses": {"sayso": {"action": "decline"}}}),
    ));
    is_denied(&gated.next(), "denied");
}
