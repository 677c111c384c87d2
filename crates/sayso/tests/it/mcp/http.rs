//! The gateway in front of a server with an address: what comes over HTTP is judged by its body, and by nothing else.

use std::io::{BufRead as _, BufReader};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use super::web::{Web, call, got, read};
use super::{OPEN, is_denied, text};
use crate::desk::Desk;
use crate::serve::Served;

#[test]
fn calls_are_judged_and_the_rest_goes_through_with_its_headers() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(
        "version: 1\nrules:\n  - {allow: {mcp: 's/*'}}\n  - {deny: {mcp: 's/evil'}}\n",
    );
    let web = Web::start(&desk);
    let begun = web.post(
        &[("authorization", "Bearer secret"), ("x-future", "1")],
        &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
    );
    assert_eq!(begun.status, 200);
    assert!(
        begun.head.contains("mcp-session-id: s-1") && begun.json()["result"].is_object(),
        "{}",
        begun.head
    );
    let session = [("mcp-session-id", "s-1")];
    assert_eq!(
        text(
            &web.post(&session, &call(1, "echo", &json!({"big": 1})))
                .json()
        ),
        "{\"big\": 1}"
    );
    is_denied(
        &web.post(&session, &call(2, "evil", &json!({}))).json(),
        "policy",
    );
    // A stream of events comes as it is.
    let events = web.post(&session, &call(3, "stream", &json!({}))).events();
    assert_eq!(
        (events.len(), &events[2]["id"]),
        (3, &json!(3)),
        "{events:?}"
    );
    assert_eq!(
        web.post(
            &session,
            &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .status,
        202
    );
    assert_eq!(web.send("DELETE /mcp", &session, "").status, 200);
    let listened = web.send(
        "GET /mcp",
        &[("accept", "text/event-stream"), ("last-event-id", "7")],
        "",
    );
    assert!(
        listened.body.contains("id: 8\n") && listened.events().len() == 1,
        "{}",
        listened.body
    );
    let got = got(&desk);
    assert_eq!(
        (
            &got[0]["headers"]["authorization"],
            &got[0]["headers"]["x-future"]
        ),
        (&json!("Bearer secret"), &json!("1"))
    );
    assert_eq!(
        got[0]["headers"]["host"], web.server,
        "the server's own name"
    );
    assert!(
        !got.iter()
            .any(|one| one["body"].to_string().contains("evil")),
        "what is denied never comes there"
    );
    assert_eq!(desk.entries("decided").len(), 3);
    assert_eq!(desk.entries("finished").len(), 2);
}

#[test]
fn other_pages_other_names_and_other_paths_are_refused() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    let web = Web::start(&desk);
    let body = call(1, "echo", &json!({})).to_string();
    for (headers, status) in [
        (&[("origin", "https://evil.example")][..], 403),
        (&[("origin", "null")], 403),
        (&[("host", "evil.example")], 421),
        (&[("host", "127.0.0.1:1")], 421),
        (&[("sec-fetch-site", "cross-site")], 403),
    ] {
        assert_eq!(
            web.send("POST /mcp", headers, &body).status,
            status,
            "{headers:?}"
        );
    }
    assert_eq!(web.send("POST /other", &[], &body).status, 404);
    assert_eq!(web.send("PUT /mcp", &[], &body).status, 405);
    assert_eq!(
        web.send("GET /.well-known/oauth-protected-resource", &[], "")
            .status,
        200,
        "what a client asks to log in"
    );
    assert_eq!(got(&desk).len(), 1);
    let done = crate::program::run(
        desk.program().args([
            "mcp",
            "--url",
            "https://a.example/",
            "--listen",
            "0.0.0.0:0",
        ]),
        b"",
    );
    assert!(
        done.code == 2 && done.err.contains("--for-others"),
        "{done:?}"
    );
    let done = crate::program::run(
        desk.program().args([
            "mcp",
            "--url",
            "http://a.example/",
            "--listen",
            "127.0.0.1:0",
        ]),
        b"",
    );
    assert!(done.code == 2 && done.err.contains("https"), "{done:?}");
}

#[test]
fn t06_t07_the_body_counts_and_headers_that_say_something_else_are_refused() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(
        "version: 1\nrules:\n  - {allow: {mcp: 's/*'}}\n  - {deny: {mcp: 's/evil'}}\n",
    );
    let web = Web::start(&desk);
    let evil = call(1, "evil", &json!({}));
    for headers in [
        [("mcp-method", "tools/call"), ("mcp-name", "echo")],
        [("mcp-method", "ping"), ("mcp-name", "evil")],
    ] {
        let answer = web.post(&headers, &evil);
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].clone()),
            (400, json!(-32020))
        );
    }
    is_denied(
        &web.post(&[("mcp-method", "tools/call"), ("mcp-name", "evil")], &evil)
            .json(),
        "policy",
    );
    for body in [
        "[]",
        "{",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"tools/call\"}",
        "",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
    ] {
        assert_eq!(web.send("POST /mcp", &[], body).status, 400, "{body}");
    }
    assert!(got(&desk).is_empty());
    let fine = call(2, "echo", &json!({}));
    assert_eq!(
        web.post(
            &[
                ("mcp-method", "tools/call"),
                ("mcp-name", "echo"),
                ("mcp-protocol-version", "2026-07-28")
            ],
            &fine
        )
        .status,
        200
    );
}

#[test]
fn a_call_that_is_asked_about_is_a_stream_until_then() {
    let served = Served::with(Desk::with(&[]), "");
    let web = Web::start(&served.desk);
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let open = |id| {
        web.open(
            "POST /mcp",
            &headers,
            &call(id, "echo", &json!({"n": id})).to_string(),
        )
    };
    let stream = open(1);
    let prompt = served.prompt();
    std::thread::sleep(Duration::from_secs(2));
    served.yes(&prompt).is(200);
    let answer = read(stream);
    assert!(answer.head.contains("text/event-stream"), "{}", answer.head);
    assert_eq!(text(&answer.events()[0]), "{\"n\": 1}");
    let stream = open(2);
    served
        .answer(&served.prompt(), json!({"choice": "deny", "note": "no"}))
        .is(200);
    let answer = read(stream);
    is_denied(
        answer
            .events()
            .first()
            .cloned()
            .as_ref()
            .unwrap_or(&serde_json::from_str(&answer.body).unwrap_or_default()),
        "no",
    );
    // A client that goes away takes its question along.
    let stream = open(3);
    served.prompt();
    std::thread::sleep(Duration::from_secs(2));
    stream.shutdown(Shutdown::Both).unwrap();
    drop(stream);
    let end = std::time::Instant::now() + super::LONGEST;
    while !served.prompts().is_empty() {
        assert!(std::time::Instant::now() < end, "the prompt stays");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(got(&served.desk).len(), 1);
}

#[test]
fn a_server_that_is_not_there_is_an_error_and_no_hang() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    let web = Web::start(&desk);
    let _ = rustix::process::kill_process(
        rustix::process::Pid::from_child(&web.process.0),
        rustix::process::Signal::KILL,
    );
    assert_eq!(
        web.post(&[], &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
            .status,
        502
    );
    let answer = web.post(&[], &call(1, "echo", &json!({}))).json();
    assert!(text(&answer).contains("cannot be reached"), "{answer}");
}

/// The next message on a stream of events.
fn event(lines: &mut BufReader<TcpStream>) -> Value {
    loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(data) = line.strip_prefix("data: ") {
            return serde_json::from_str(data).unwrap();
        }
    }
}

fn dialog_desk() -> Desk {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nmcp: {elicitation: [mcp]}\n");
    desk
}

#[test]
fn a_client_of_the_older_era_is_asked_on_the_stream_of_its_call() {
    let desk = dialog_desk();
    let web = Web::start(&desk);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"form": {}}}});
    assert_eq!(
        web.post(
            &[],
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        )
        .status,
        200
    );
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-session-id", "s-1"),
    ];
    let calls = || {
        got(&desk)
            .iter()
            .filter(|one| one["body"]["method"] == "tools/call")
            .count()
    };
    for (answer, is_yes) in [("allow this once", true), ("deny", false)] {
        let body = call(1, "echo", &json!({"yes": is_yes})).to_string();
        let mut lines = BufReader::new(web.open("POST /mcp", &headers, &body));
        let question = event(&mut lines);
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert!(
            question["params"]["message"]
                .as_str()
                .unwrap()
                .contains("the tool echo of the MCP server s"),
            "{question}"
        );
        assert_eq!(
            calls(),
            usize::from(!is_yes),
            "nothing goes before the answer"
        );
        let accept = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"decision": answer}}});
        assert_eq!(web.post(&[("mcp-session-id", "s-1")], &accept).status, 202);
        let result = event(&mut lines);
        assert_eq!(result["id"], 1, "{result}");
        match is_yes {
            true => assert_eq!(text(&result), "{\"yes\": true}"),
            false => is_denied(&result, "denied"),
        }
        assert_eq!(calls(), 1);
    }
    // Whoever said nothing of a dialog has none: nobody is there to ask.
    let none = web.post(&[("mcp-session-id", "s-2")], &call(2, "echo", &json!({})));
    is_denied(&none.json(), "a person has to be asked");
}

#[test]
fn a_client_of_the_newer_era_asks_and_comes_again() {
    let desk = dialog_desk();
    let web = Web::start(&desk);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let first = |id: i64, n: i64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "echo", "arguments": {"n": n}, "_meta": meta}});
    let ask = |id: i64, n: i64| {
        let wanted = web.post(&[], &first(id, n)).json();
        assert_eq!(
            (&wanted["id"], &wanted["result"]["resultType"]),
            (&json!(id), &json!("input_required")),
            "{wanted}"
        );
        wanted["result"]["requestState"].clone()
    };
    let again = |id: i64, n: i64, state: &Value, answer: &str| {
        let mut retry = first(id, n);
        retry["params"]["requestState"] = state.clone();
        retry["params"]["inputResponses"] =
            json!({"sayso": {"action": "accept", "content": {"decision": answer}}});
        web.post(&[], &retry).json()
    };
    let state = ask(1, 1);
    assert!(got(&desk).is_empty(), "nothing goes before the answer");
    // A yes to one call is none to another, and none twice.
    assert_eq!(
        again(2, 2, &state, "allow this once")["error"]["code"],
        -32602
    );
    let done = again(3, 1, &state, "allow this once");
    assert_eq!((&done["id"], text(&done)), (&json!(3), "{\"n\": 1}"));
    assert_eq!(
        again(4, 1, &state, "allow this once")["error"]["code"],
        -32602
    );
    let seen = got(&desk);
    assert_eq!(seen.len(), 1);
    assert!(
        !seen[0]["body"].to_string().contains("sayso"),
        "the answer is none of the server's: {}",
        seen[0]
    );
    let state = ask(5, 5);
    let denied = again(6, 5, &state, "deny");
    assert_eq!(denied["id"], 6);
    is_denied(&denied, "denied");
    assert_eq!(got(&desk).len(), 1);
}
