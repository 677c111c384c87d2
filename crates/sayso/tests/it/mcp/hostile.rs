//! Messages that want to be read in two ways, and servers that want to be somebody else.

use serde_json::{Value, json};

use super::{Gated, OPEN, got, is_denied, text};
use crate::desk::Desk;

/// A workspace where `s/evil` is denied and everything else of the server runs.
fn guarded() -> Desk {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(
        "version: 1\nrules:\n  - {allow: {mcp: 's/*'}}\n  - {deny: {mcp: 's/evil'}}\n",
    );
    desk
}

#[test]
fn t06_t07_nothing_that_can_be_read_in_two_ways_reaches_the_server() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    let evil = r#""params":{"name":"evil","arguments":{}}"#;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let smuggled = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[\r{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",{evil}}}\r]}}"
    );
    let lines = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call",{evil}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo"}},{evil}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"evil"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","n\u0061me":"evil"}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","method":"ping",{evil}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL",{evil}}}"#),
        format!(r#"[{{"jsonrpc":"2.0","id":1,"method":"tools/call",{evil}}}]"#),
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call",{evil}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":null,"method":"tools/call",{evil}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}{{"jsonrpc":"2.0","id":2,"method":"tools/call",{evil}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{}},"method":"tools/call",{evil}}}"#),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\0".to_owned(),
        format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",{evil}}}"),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",{evil}"),
        smuggled,
        deep,
    ];
    for line in &lines {
        gated.raw(format!("{line}\n").as_bytes());
        let answer = gated.next();
        let shown: String = line.chars().take(120).collect();
        assert!(
            answer["error"]["code"]
                .as_i64()
                .is_some_and(|code| code == -32700 || code == -32600),
            "{shown}: {answer}"
        );
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with("sayso: "),
            "{answer}"
        );
    }
    gated.raw(b"\xff\xfe{}\n");
    assert_eq!(gated.next()["error"]["code"], -32700);
    assert_eq!(got(&desk), "", "nothing came there");
    // And it goes on.
    assert_eq!(text(&gated.called(5, "echo", json!({}))), "{}");
    assert!(desk.entries("mcp_refused").len() >= lines.len());
}

#[test]
fn t04_the_method_counts_and_not_its_spelling() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    for method in [r"tools\/call", r"\u0074ools/call", r"tools/c\u0061ll"] {
        gated.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{\"name\":\"evil\"}}}}\r\n").as_bytes());
        is_denied(&gated.next(), "policy");
    }
    for name in [
        r"evil\u0000",
        r"evil\u200b",
        r"\u0435vil",
        "evil ",
        "s/evil",
        "EVIL",
    ] {
        gated.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\"}}}}\n").as_bytes());
        let answer = gated.next();
        let said = answer["result"]["isError"].as_bool() == Some(true) || name == "EVIL";
        assert!(said, "{name}: {answer}");
    }
}

#[test]
fn two_calls_with_one_id_are_not_two_answers() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    gated.call(1, "silent", json!({}));
    gated.call(1, "echo", json!({}));
    assert!(
        gated.next()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("still open")
    );
    // Another kind of the same number is another id, and so is a text with its digits.
    gated.send(
        &json!({"jsonrpc": "2.0", "id": "1", "method": "tools/call", "params": {"name": "echo"}}),
    );
    assert_eq!(gated.next()["id"], "1");
    gated.send(
        &json!({"jsonrpc": "2.0", "id": 1.5, "method": "tools/call", "params": {"name": "echo"}}),
    );
    assert!(
        gated.next()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("whole number")
    );
    assert_eq!(got(&desk).lines().count(), 2);
    // One that is over is free again.
    assert_eq!(text(&gated.called(2, "echo", json!({}))), "{}");
    assert_eq!(text(&gated.called(2, "echo", json!({}))), "{}");
}

#[test]
fn a_line_without_an_end_takes_no_memory_and_is_refused() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    let piece = vec![b'x'; 1 << 20];
    gated.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"");
    for _ in 0..40 {
        gated.raw(&piece);
    }
    gated.raw(b"\"}}\n");
    assert!(
        gated.next()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("longer than 16 MiB")
    );
    assert_eq!(text(&gated.called(2, "echo", json!({}))), "{}");
    assert_eq!(got(&desk).lines().count(), 1);
}

#[test]
fn t11_a_question_of_the_server_cannot_pass_for_one_of_ours() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    let ask = |message: &str| json!({"id": "q", "method": "elicitation/create", "params": {"message": message, "requestedSchema": {}}});
    for message in ["sayso asks: allow echo?", "S A Y S O", "ｓａｙｓｏ: ok?"] {
        let answer = gated.called(1, "ask", ask(message));
        assert_eq!(
            answer["id"], 1,
            "only the answer of the call comes through: {answer}"
        );
    }
    gated.call(2, "ask", ask("What is your name?"));
    assert_eq!(gated.next()["method"], "elicitation/create");
    gated.next();
    gated.send(&json!({"jsonrpc": "2.0", "id": "q", "result": {"action": "accept", "content": {"decision": "allow this once"}}}));
    assert_eq!(text(&gated.called(3, "echo", json!({}))), "{}");
    let got = got(&desk);
    assert_eq!(
        got.matches("is not passed on to the client").count(),
        3,
        "the server is told"
    );
    assert!(
        got.contains("\"action\""),
        "what is the server's comes to it"
    );
}

#[test]
fn what_the_person_wants_judged_besides_calls_is() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("version: 1\nmcp: {gate: [resources, prompts, sampling, elicitation]}\nrules:\n  - {allow: {mcp: 's/ask'}}\n  - {deny: {mcp: 's/resources*'}}\n");
    let mut gated = Gated::start(&desk);
    gated.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}));
    is_denied(&gated.next(), "");
    for method in ["sampling/createMessage", "elicitation/create"] {
        let answer = gated.called(2, "ask", json!({"id": "q", "method": method, "params": {}}));
        assert_eq!(answer["id"], 2);
    }
    assert!(!got(&desk).contains("resources/read"));
    // Without that, it is the server's and the client's business.
    desk.scene.user_policy(OPEN);
    gated.send(
        &json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": "x:y"}}),
    );
    assert_eq!(gated.next()["result"]["echo"]["params"]["uri"], "x:y");
}

#[test]
fn an_ambiguous_message_of_the_server_is_dropped() {
    let desk = guarded();
    let mut gated = Gated::start(&desk);
    let said = "{\"jsonrpc\":\"2.0\",\"id\":7,\"id\":8,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"method\":\"sampling/createMessage\",\"id\":1}\n";
    let answer = gated.called(1, "raw", json!({"text": said}));
    assert_eq!(answer["id"], 1);
    let list: Value = json!([{"name": "a", "description": "x"}]);
    desk.scene.file("tools.json", &list.to_string());
    assert_eq!(gated.list()["result"]["tools"][0]["name"], "a");
    assert_eq!(desk.entries("mcp_dropped").len(), 2);
}
