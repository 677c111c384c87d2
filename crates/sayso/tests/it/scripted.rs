//! The scripted model: what it answers, in both languages, and what it refuses.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use sayso_agents::scripted_model::{Conversation, LAST_WORDS, Model, Script, Step, Use};
use sayso_core::text::node::Node;
use serde_json::{Value, json};

const KEY: &str = "the-key-of-this-test";

fn step(tool: &str, input: &Value) -> Step {
    let input =
        sayso_core::text::json::read(&input.to_string(), &sayso_core::text::Limits::default())
            .unwrap();
    vec![Use {
        tool: tool.to_owned(),
        input,
    }]
}

fn model() -> Model {
    let main = vec![
        step("Bash", &json!({"command": "ls é \"x\""})),
        step("Read", &json!({"file_path": "/a"})),
    ];
    let inner = vec![step("Bash", &json!({"command": "inner"}))];
    let conversations = vec![
        Conversation {
            about: "SUB".to_owned(),
            steps: inner,
        },
        Conversation {
            about: String::new(),
            steps: main,
        },
    ];
    Model::start(
        Script {
            ids: "n1".to_owned(),
            conversations,
        },
        KEY,
    )
    .unwrap()
}

/// Sends bytes, and gives the status and the body of the answer.
fn send(model: &Model, bytes: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(model.url().strip_prefix("http://").unwrap()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(300)))
        .unwrap();
    // It may answer before it has read all of it.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let text = String::from_utf8(all).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    (
        head.split(' ')
            .nth(1)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0),
        body.to_owned(),
    )
}

fn post(model: &Model, path: &str, key: &str, body: &str) -> (u16, String) {
    send(model, format!("POST {path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: {key}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

#[track_caller]
fn asked(model: &Model, path: &str, body: &Value) -> Value {
    let (status, text) = post(model, path, KEY, &body.to_string());
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// The data of each event.
fn events(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn tools() -> Value {
    json!([{"name": "Bash", "input_schema": {}}, {"name": "Read", "input_schema": {}}])
}

#[test]
fn messages_follow_the_script_by_the_number_of_results() {
    let model = model();
    let user = json!({"role": "user", "content": "go"});
    let first = asked(
        &model,
        "/v1/messages?beta=true",
        &json!({"model": "m", "tools": tools(), "messages": [user]}),
    );
    assert_eq!(first["stop_reason"], "tool_use");
    assert_eq!(
        (
            &first["content"][1]["id"],
            &first["content"][1]["input"]["command"]
        ),
        (&json!("toolu_n1_1_0"), &json!("ls é \"x\""))
    );
    let result = |text: &str| {
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_n1_1_0", "content": [{"type": "text", "text": text}]}]})
    };
    let second = asked(
        &model,
        "/v1/messages",
        &json!({"tools": tools(), "messages": [user, result("out")]}),
    );
    assert_eq!(second["content"][1]["name"], "Read");
    let last = asked(
        &model,
        "/v1/messages",
        &json!({"tools": tools(), "messages": [user, result("out"), result("2")]}),
    );
    assert_eq!(
        (&last["stop_reason"], &last["content"][0]["text"]),
        (&json!("end_turn"), &json!(LAST_WORDS))
    );
    let none = asked(&model, "/v1/messages", &json!({"messages": [user]}));
    assert_eq!(
        none["stop_reason"], "end_turn",
        "a tool that is not offered is not called"
    );
    let sub = asked(
        &model,
        "/v1/messages",
        &json!({"tools": tools(), "messages": [{"role": "user", "content": [{"type": "text", "text": "a SUB"}]}]}),
    );
    assert_eq!(
        (
            &sub["content"][1]["id"],
            &sub["content"][1]["input"]["command"]
        ),
        (&json!("toolu_n1_0_0"), &json!("inner"))
    );
    assert_eq!(
        asked(
            &model,
            "/v1/messages/count_tokens",
            &json!({"messages": []})
        )["input_tokens"],
        100
    );
    assert_eq!(
        model.results(),
        [("toolu_n1_1_0".to_owned(), "out".to_owned())],
        "what the model saw, each once"
    );
}

#[test]
fn messages_come_in_pieces_where_that_is_wanted() {
    let model = model();
    let body =
        json!({"stream": true, "tools": tools(), "messages": [{"role": "user", "content": "go"}]})
            .to_string();
    let (_, text) = post(&model, "/v1/messages", KEY, &body);
    let events = events(&text);
    let names: Vec<&str> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let block = [
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    ];
    assert_eq!(
        names,
        [
            &["message_start"],
            &block[..],
            &block[..],
            &["message_delta", "message_stop"]
        ]
        .concat()
    );
    assert!(text.starts_with("event: message_start\n"));
    assert_eq!(
        events[4]["content_block"],
        json!({"type": "tool_use", "id": "toolu_n1_1_0", "name": "Bash", "input": {}})
    );
    let input: Value =
        serde_json::from_str(events[5]["delta"]["partial_json"].as_str().unwrap()).unwrap();
    assert_eq!(input["command"], "ls é \"x\"");
    assert_eq!(events[7]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn responses_are_given_in_the_form_that_a_tool_was_offered_in() {
    let first = vec![
        Use {
            tool: "nobody".to_owned(),
            input: Node::text("x"),
        },
        Use {
            tool: "exec_command".to_owned(),
            input: Node::map([("cmd", Node::text("ls"))]),
        },
    ];
    let patch = vec![Use {
        tool: "apply_patch".to_owned(),
        input: Node::text("*** Begin"),
    }];
    let mcp = vec![Use {
        tool: "ping".to_owned(),
        input: Node::map::<String>([]),
    }];
    let model = Model::start(Script::of("n", vec![first, patch, mcp]), KEY).unwrap();
    let tools = json!([
        {"type": "function", "name": "exec_command"}, {"type": "custom", "name": "apply_patch"}, {"type": "web_search"},
        {"type": "namespace", "name": "mcp__tiny", "tools": [{"type": "function", "name": "ping"}]},
    ]);
    let output = |id: &str, output: Value| json!({"type": "function_call_output", "call_id": id, "output": output});
    let user = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]});
    let ask = |items: &[Value]| {
        let input = [std::slice::from_ref(&user), items].concat();
        let body = json!({"stream": true, "tools": tools, "input": input}).to_string();
        let (status, text) = post(&model, "/v1/responses", KEY, &body);
        assert_eq!(status, 200);
        let events = events(&text);
        assert_eq!(events.last().unwrap()["type"], "response.completed");
        events[2]["item"].clone()
    };
    let one = ask(&[]);
    assert_eq!(
        (&one["type"], &one["name"], &one["arguments"]),
        (
            &json!("function_call"),
            &json!("exec_command"),
            &json!("{\"cmd\":\"ls\"}")
        )
    );
    let two = ask(&[output("call_n_0_0", json!("denied"))]);
    assert_eq!(
        (&two["type"], &two["input"]),
        (&json!("custom_tool_call"), &json!("*** Begin"))
    );
    let custom = json!({"type": "custom_tool_call_output", "call_id": "call_n_0_1", "output": [{"type": "input_text", "text": "ok"}]});
    let three = ask(&[output("call_n_0_0", json!("denied")), custom.clone()]);
    assert_eq!(
        (&three["name"], &three["namespace"]),
        (&json!("ping"), &json!("mcp__tiny"))
    );
    let last = ask(&[
        output("call_n_0_0", json!("denied")),
        custom,
        output("call_n_0_2", json!({"content": 1})),
    ]);
    assert_eq!(
        (&last["type"], &last["content"][0]["text"]),
        (&json!("message"), &json!(LAST_WORDS))
    );
    let texts: Vec<String> = model.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["denied", "ok", "{\"content\":1}"]);
    let whole = asked(
        &model,
        "/v1/responses",
        &json!({"input": [user], "tools": tools}),
    );
    assert_eq!(whole["output"][0]["name"], "exec_command");
    let (status, text) = send(
        &model,
        format!("GET /v1/models HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\n\r\n").as_bytes(),
    );
    assert!(status == 200 && text.contains("\"data\""), "{text}");
}

#[test]
fn only_who_brings_the_key_is_heard_and_nobody_gets_further() {
    let model = model();
    for key in [
        "",
        "the-key-of-this-tesT",
        "the-key-of-this-test2",
        "Bearer",
    ] {
        assert_eq!(post(&model, "/v1/messages", key, "{}").0, 401, "{key}");
    }
    assert!(model.seen().is_empty());
    assert_eq!(
        send(
            &model,
            b"CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com\r\n\r\n"
        )
        .0,
        403
    );
    assert_eq!(
        send(&model, b"GET http://example.com/ HTTP/1.1\r\n\r\n").0,
        403
    );
    assert_eq!(
        model.elsewhere(),
        ["api.example.com:443", "http://example.com/"]
    );
    assert!(model.url().starts_with("http://127.0.0.1:"));
}

#[test]
fn bad_requests_are_refused_and_the_next_one_is_answered() {
    let model = model();
    let huge_head = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let with = |line: &str, body: &str| {
        format!("POST /v1/messages HTTP/1.1\r\nX-Api-Key: {KEY}\r\n{line}\r\n\r\n{body}")
            .into_bytes()
    };
    for bytes in [
        b"\r\n\r\n".to_vec(),
        b"nonsense\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\n\xff: x\r\n\r\n".to_vec(),
        huge_head.into_bytes(),
        with("Content-Length: 99999999999999999999", ""),
        with("Content-Length: 999999999", ""),
        with("Content-Length: -1", ""),
        with("Transfer-Encoding: chunked", "0\r\n\r\n"),
        with("Content-Encoding: zstd\r\nContent-Length: 2", "{}"),
        with("Content-Length: 3", "{\"a"),
        with("Content-Length: 15", "{\"a\":1,\"a\":2}  "),
        with("Content-Length: 2", "\u{e9}"),
    ] {
        let (status, text) = send(&model, &bytes);
        assert!(
            status == 400 || status == 0,
            "{status} {text} for {:?}",
            String::from_utf8_lossy(&bytes)
                .chars()
                .take(80)
                .collect::<String>()
        );
    }
    assert_eq!(post(&model, "/v1/other", KEY, "{}").0, 404);
    // Wrong types are no script's business: there is simply nothing to do.
    for body in [
        "{}",
        "[]",
        "{\"messages\": 7, \"tools\": \"x\"}",
        "{\"messages\": [null, 3, {\"content\": [[]]}], \"tools\": [1]}",
    ] {
        assert_eq!(post(&model, "/v1/messages", KEY, body).0, 200, "{body}");
        assert_eq!(post(&model, "/v1/responses", KEY, body).0, 200, "{body}");
    }
}

#[test]
fn many_silent_connections_do_not_end_it() {
    let model = model();
    let address = model.url().strip_prefix("http://").unwrap().to_owned();
    let silent: Vec<TcpStream> = (0..60)
        .filter_map(|_| TcpStream::connect(&address).ok())
        .collect();
    drop(silent);
    // Those that went away make room.
    let answered = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        post(&model, "/v1/messages", KEY, "{}").0 == 200
    });
    assert!(answered);
}

#[test]
fn chat_completions_and_generate_content_follow_the_script_as_well() {
    let model = model();
    let tools = json!([{"type": "function", "function": {"name": "Bash"}}, {"type": "function", "function": {"name": "Read"}}]);
    let first = asked(
        &model,
        "/v1/chat/completions",
        &json!({"messages": [{"role": "user", "content": "work"}], "tools": tools}),
    );
    let call = &first["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(
        (call["function"]["name"].as_str(), call["id"].as_str()),
        (Some("Bash"), Some("call_n1_1_0"))
    );
    let messages = json!([{"role": "user", "content": "work"}, {"role": "tool", "tool_call_id": "call_n1_1_0", "content": "one"}]);
    let second = asked(
        &model,
        "/v1/chat/completions",
        &json!({"messages": messages, "tools": tools}),
    );
    assert_eq!(
        second["choices"][0]["message"]["tool_calls"][0]["function"]["name"],
        "Read"
    );
    let (status, text) = post(
        &model,
        "/v1/chat/completions",
        KEY,
        &json!({"messages": messages, "stream": true, "tools": []}).to_string(),
    );
    assert!(
        status == 200 && text.contains(LAST_WORDS) && text.ends_with("data: [DONE]\n\n"),
        "{text}"
    );
    let offered = json!([{"functionDeclarations": [{"name": "Bash"}, {"name": "Read"}]}]);
    let said = json!([{"role": "user", "parts": [{"text": "work"}]}]);
    let path = "/v1beta/models/m:generateContent";
    let first = asked(&model, path, &json!({"contents": said, "tools": offered}));
    assert_eq!(
        first["candidates"][0]["content"]["parts"][0]["functionCall"]["name"],
        "Bash"
    );
    let said = json!([{"role": "user", "parts": [{"text": "work"}, {"functionResponse": {"name": "Bash", "response": {"error": "two"}}}]}]);
    let (status, text) = post(
        &model,
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        KEY,
        &json!({"contents": said, "tools": offered}).to_string(),
    );
    assert!(status == 200 && text.contains("\"Read\""), "{text}");
    assert_eq!(
        post(&model, "/v1beta/models/m:somethingElse", KEY, "{}").0,
        404
    );
    let results: Vec<String> = model.results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(results, ["one", "two"]);
}
