//! What passes, passes byte for byte, and every call is in the record.

use serde_json::json;

use super::{Gated, OPEN, got, outcomes, text};
use crate::desk::Desk;

fn open() -> Desk {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    desk
}

#[test]
fn bytes_are_the_same_on_both_sides() {
    let desk = open();
    // `cat` gives back exactly what it gets.
    let mut gated = Gated::of(&desk, &["--name", "s"], &["cat".to_owned()]);
    let long = "ü漢🦀\\u0041\u{2028}".repeat(700_000);
    assert!(long.len() > 10 << 20);
    let lines = [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"future/thing\",\"params\":{\"big\":12345678901234567890123,\"f\":1.0e+2,\"\":null}}\n".to_owned(),
        "  { \"method\" : \"tools/call\" , \"id\" : \"\\u0061\" , \"x-future\" : [ ] ,\t\"jsonrpc\":\"2.0\", \"params\" : { \"name\" : \"t\" , \"arguments\" : { \"n\" : 9007199254740993 , \"e\" : 1E300 } , \"futureField\" : { } } }  \r\n".to_owned(),
        "\n".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/odd\",\"params\":[]}\n".to_owned(),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{{\"name\":\"t\",\"arguments\":{{\"x\":\"{long}\"}}}}}}\n"),
        // As an answer to the first one, when it comes back.
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"roots\":[],\"extra\":1e1}}\n".to_owned(),
    ];
    for line in &lines {
        gated.raw(line.as_bytes());
        assert!(
            gated.line() == *line,
            "not the same: {}",
            line.chars().take(200).collect::<String>()
        );
    }
    // A last line that does not end is one, too.
    gated.raw(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
    gated.close();
    assert_eq!(
        gated.rest(),
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}"
    );
    assert_eq!(gated.ended().code(), Some(0));
    assert_eq!(outcomes(&desk), ["auto_approved", "auto_approved"]);
}

#[test]
fn what_a_server_says_passes_if_nobody_can_read_a_message_out_of_it_that_we_do_not() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    for said in [
        "no json at all\n",
        "[1,2]\n",
        "\u{1b}[2J\n",
        "{\"level\":\"info\"}\n",
        "{\"method\":\"x\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}\n",
    ] {
        gated.call(1, "raw", json!({"text": said}));
        assert_eq!(gated.line(), said);
        gated.answer(&json!(1));
    }
    let large = gated.called(2, "large", json!({"size": 12 << 20}));
    assert_eq!(text(&large).len(), 12 << 20);
}

#[test]
fn a_call_has_its_decision_and_its_end_in_the_record() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    gated.initialize(json!({}));
    assert_eq!(
        text(&gated.called(1, "echo", json!({"a": 1}))),
        "{\"a\": 1}"
    );
    assert_eq!(
        gated.called(2, "fail", json!({}))["result"]["isError"],
        true
    );
    gated.close();
    assert_eq!(gated.ended().code(), Some(7));
    let decided = desk.entries("decided");
    assert_eq!(
        (
            &decided[0]["tool"],
            &decided[0]["what"],
            &decided[0]["agent"]
        ),
        (&json!("mcp"), &json!("mcp(s/echo: a=1)"), &json!("mcp"))
    );
    assert_eq!(
        decided[0]["args"]["arguments"],
        json!({"a": 1}),
        "{}",
        decided[0]
    );
    let finished: Vec<_> = desk
        .entries("finished")
        .iter()
        .map(|entry| entry["succeeded"].clone())
        .collect();
    assert_eq!(finished, [json!(true), json!(false)]);
    assert_eq!(desk.entries("session_ended").len(), 1);
}

#[test]
fn both_eras_and_unknown_methods_pass() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    let modern = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    gated.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": modern}}));
    assert_eq!(gated.next()["result"]["echo"]["method"], "server/discover");
    gated.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {}, "_meta": modern}}));
    assert_eq!(text(&gated.next()), "{}");
    gated.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "echo", "_meta": modern}}));
    assert_eq!(text(&gated.next()), "{}");
    drop(gated);
    // A denial of the new era says which kind of result it is; one of the old does not.
    desk.scene
        .user_policy("version: 1\nrules:\n  - {deny: {mcp: 's/*'}}\n");
    let mut gated = Gated::start(&desk);
    gated.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "_meta": modern}}));
    assert_eq!(gated.next()["result"]["resultType"], "complete");
    assert!(
        gated.called(3, "echo", json!({}))["result"]
            .get("resultType")
            .is_none()
    );
    assert_eq!(
        got(&desk).matches("tools/call").count(),
        2,
        "what is denied never comes there"
    );
}

#[test]
fn a_change_of_the_policy_counts_for_the_next_call() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    assert_eq!(text(&gated.called(1, "echo", json!({}))), "{}");
    desk.scene
        .user_policy("version: 1\nrules:\n  - {deny: {mcp: 's/echo'}, reason: no more}\n");
    super::is_denied(&gated.called(2, "echo", json!({})), "no more");
    desk.scene.user_policy("version: 1\nrules: broken");
    super::is_denied(&gated.called(3, "echo", json!({})), "policy");
    desk.scene.user_policy(OPEN);
    assert_eq!(text(&gated.called(4, "echo", json!({}))), "{}");
}

#[test]
fn a_policy_of_the_command_line_only_tightens_until_it_is_trusted() {
    let desk = Desk::with(&[]);
    let policy = desk.batch("extra.yaml", OPEN);
    let policy = policy.to_str().unwrap();
    let mut gated = Gated::of(&desk, &["--name", "s", "--policy", policy], &super::small());
    super::is_denied(
        &gated.called(1, "echo", json!({})),
        "a person has to be asked",
    );
    drop(gated);
    desk.scene.user_policy(OPEN);
    std::fs::write(policy, "version: 1\nrules:\n  - {deny: {mcp: 's/echo'}}\n").unwrap();
    let mut gated = Gated::of(&desk, &["--name", "s", "--policy", policy], &super::small());
    super::is_denied(&gated.called(1, "echo", json!({})), "policy");
    assert_eq!(got(&desk), "");
}
