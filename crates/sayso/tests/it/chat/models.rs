//! The real clients against endpoints that answer in pieces and at once, fail, break off, say nothing, and write nonsense.

use std::time::Duration;

use serde_json::{Value, json};

use super::endpoint::{Answer, Endpoint, anthropic, anthropic_whole, openai, openai_whole};
use super::{KEY, chat, configure, everything};
use crate::terminal::screen::Room;

const NO_PAUSE: Duration = Duration::ZERO;

/// One turn with an endpoint: the JSON, the exit status, and what the endpoint was asked.
fn turn(api: &str, more: &str, answers: Vec<Answer>) -> (Value, i32, Vec<super::endpoint::Asked>) {
    let endpoint = Endpoint::start(answers);
    let room = Room::new(&[]);
    configure(&room, api, &endpoint.url, more);
    let output = chat(&room, &["--strict", "--json", "look at a.py"], "");
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        !out.contains(KEY) && !error.contains(KEY),
        "the key was shown: {out} {error}"
    );
    assert!(
        !everything(&room.home.join(".local")).contains(KEY),
        "the key was kept"
    );
    let value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {error}"));
    (value, output.status.code().unwrap(), endpoint.asked())
}

#[test]
fn an_endpoint_that_is_busy_is_left_alone_for_as_long_as_it_says() {
    for (api, fine) in [
        ("openai", openai(&["Now."], &[])),
        ("anthropic", anthropic(&["Now."], &[])),
    ] {
        let start = std::time::Instant::now();
        let (value, status, asked) = turn(
            api,
            "",
            vec![Answer::Busy(2), Answer::Events(fine, NO_PAUSE)],
        );
        assert_eq!(
            (status, value["answer"].as_str(), asked.len()),
            (0, Some("Now."), 2),
            "{value}"
        );
        assert!(
            start.elapsed() >= Duration::from_secs(2),
            "{:?}",
            start.elapsed()
        );
    }
    // One that never has time is given up.
    let (value, status, asked) = turn("anthropic", "", vec![Answer::Busy(0)]);
    assert_eq!((status, asked.len()), (1, 5), "{value}");
    assert!(
        value["error"]
            .as_str()
            .unwrap()
            .contains("gave no answer in 5 tries"),
        "{value}"
    );
}

#[test]
fn slow_answers_are_waited_for_and_broken_ones_of_messages_asked_again() {
    // Each piece comes before patience ends, all of them together long after.
    let slow = |api: &'static str, pieces: Vec<String>| {
        let (value, status, asked) = turn(
            api,
            ", timeout: 5",
            vec![Answer::Events(pieces, Duration::from_secs(1))],
        );
        assert_eq!(
            (status, value["answer"].as_str(), asked.len()),
            (0, Some("abcdef"), 1),
            "{value}"
        );
    };
    let words = ["a", "b", "c", "d", "e", "f"];
    std::thread::scope(|scope| {
        scope.spawn(|| slow("openai", openai(&words, &[])));
        scope.spawn(|| slow("anthropic", anthropic(&words, &[])));
    });
    let call = [(
        "call_1",
        "file_write",
        r#"{"path": "b.py", "content": "1"}"#,
    )];
    let whole = anthropic(&["Half"], &call);
    for kept in [3, 4, 6, 8, whole.len() - 1] {
        let half: Vec<String> = whole.iter().take(kept).cloned().collect();
        let (value, status, asked) = turn(
            "anthropic",
            "",
            vec![
                Answer::Broken(half),
                Answer::Events(anthropic(&["All."], &[]), NO_PAUSE),
            ],
        );
        assert_eq!(
            (status, value["answer"].as_str(), asked.len()),
            (0, Some("All."), 2),
            "{kept}: {value}"
        );
        assert_eq!(value["calls"], json!([]), "nothing of half an answer runs");
    }
}

#[test]
fn calls_of_messages_that_are_none_run_nothing() {
    let huge = format!("{{\"command\": \"{}\"}}", "x".repeat(3 << 20));
    let calls: Vec<(&str, &str, &str)> = vec![
        ("c0", "terminal", "{\"command\": \"rm -rf"),
        ("c1", "no_such_tool", "{}"),
        ("c2", "terminal", "[1]"),
        ("c3", "terminal", &huge),
        ("c4", "terminal", ""),
    ];
    let (value, status, asked) = turn(
        "anthropic",
        "",
        vec![
            Answer::Events(anthropic(&[], &calls), NO_PAUSE),
            Answer::Events(anthropic(&["I see."], &[]), NO_PAUSE),
        ],
    );
    assert_eq!(
        (status, value["answer"].as_str()),
        (20, Some("I see.")),
        "{value}"
    );
    assert!(
        value["calls"]
            .as_array()
            .unwrap()
            .iter()
            .all(|call| call["approved"] == false),
        "{value}"
    );
    let told = asked[1].body["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["content"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(told.len(), 5);
    assert!(
        told.iter().all(|one| one["type"] == "tool_result"
            && one["content"].to_string().contains("nothing was")),
        "{told:?}"
    );
}

/// A reading call and then a last word, in all four ways.
#[test]
fn both_interfaces_answer_in_pieces_and_at_once() {
    let call = [("call_1", "file_read", r#"{"path": "a.py"}"#)];
    let ways: [(&str, &str, Vec<Answer>); 4] = [
        (
            "openai",
            "",
            vec![
                Answer::Events(openai(&["Let me ", "look."], &call), NO_PAUSE),
                Answer::Events(openai(&["It is ö", "ld."], &[]), NO_PAUSE),
            ],
        ),
        (
            "openai",
            ", stream: false",
            vec![
                openai_whole("Let me look.", &call),
                openai_whole("It is öld.", &[]),
            ],
        ),
        (
            "anthropic",
            "",
            vec![
                Answer::Events(anthropic(&["Let me ", "look."], &call), NO_PAUSE),
                Answer::Events(anthropic(&["It is ö", "ld."], &[]), NO_PAUSE),
            ],
        ),
        (
            "anthropic",
            ", stream: false",
            vec![
                anthropic_whole("Let me look.", &call),
                anthropic_whole("It is öld.", &[]),
            ],
        ),
    ];
    for (api, more, answers) in ways {
        let (value, status, asked) = turn(api, more, answers);
        assert_eq!(
            (status, value["answer"].as_str()),
            (0, Some("It is öld.")),
            "{api}{more}: {value}"
        );
        assert_eq!(value["calls"][0]["outcome"], "auto_approved", "{api}{more}");
        assert_eq!(
            (&value["usage"]["input"], &value["usage"]["output"]),
            (&json!(22), &json!(14)),
            "{api}{more}"
        );
        assert_eq!(asked.len(), 2);
        assert!(asked[0].head.contains(KEY), "the endpoint gets the key");
        assert_eq!(asked[0].body["stream"], more.is_empty());
        // The second request brings what the call brought.
        let last = asked[1].body["messages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone();
        assert!(last.to_string().contains("x = old"), "{api}{more}: {last}");
        let (system, tools) = match api {
            "openai" => (
                &asked[0].body["messages"][0]["content"],
                &asked[0].body["tools"][0]["function"]["name"],
            ),
            _ => (&asked[0].body["system"], &asked[0].body["tools"][0]["name"]),
        };
        assert!(
            system
                .as_str()
                .unwrap()
                .contains("How permissions work here"),
            "W-01"
        );
        assert_eq!(tools, "terminal");
    }
}

#[test]
fn what_may_go_better_is_asked_again_and_nothing_is_said_twice() {
    let fine = || Answer::Events(openai(&["All of it."], &[]), NO_PAUSE);
    for bad in [
        Answer::Json(
            500,
            r#"{"error": {"message": "something broke"}}"#.to_owned(),
        ),
        Answer::Json(503, r#"{"error": {"message": "overloaded"}}"#.to_owned()),
        Answer::Json(529, String::new()),
        Answer::Busy(0),
        Answer::Broken(openai(&["Half of"], &[]).into_iter().take(1).collect()),
        Answer::Events(
            vec!["data: {\"choices\": [{\"delta\": {\"content\": \"Half".to_owned()],
            NO_PAUSE,
        ),
        Answer::Events(vec!["data: {nonsense}\n\n".to_owned()], NO_PAUSE),
        Answer::Events(
            vec!["data: {\"error\": {\"message\": \"Overloaded, try again\"}}\n\n".to_owned()],
            NO_PAUSE,
        ),
        Answer::Raw(
            "HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n\u{ff}"
                .to_owned(),
        ),
        Answer::Raw("this is no HTTP".to_owned()),
        Answer::Raw(String::new()),
    ] {
        let (value, status, asked) = turn("openai", "", vec![bad, fine()]);
        assert_eq!(
            (status, value["answer"].as_str(), asked.len()),
            (0, Some("All of it."), 2),
            "{value}"
        );
    }
    // An endpoint that cannot count.
    let unknown =
        json!({"error": {"message": "Unrecognized request argument: stream_options"}}).to_string();
    let (_, status, asked) = turn("openai", "", vec![Answer::Json(400, unknown), fine()]);
    assert_eq!(
        (
            status,
            asked[0].body["stream_options"].is_object(),
            asked[1].body["stream_options"].is_null()
        ),
        (0, true, true)
    );
    // An endpoint that says nothing for too long.
    let (value, status, _) = turn(
        "openai",
        ", timeout: 1",
        vec![Answer::Silence(Duration::from_secs(5)), fine()],
    );
    assert_eq!((status, value["answer"].as_str()), (0, Some("All of it.")));
}

#[test]
fn what_would_fail_again_is_told_at_once_without_the_key() {
    let echo =
        json!({"error": {"message": format!("Incorrect API key provided: {KEY}. \u{1b}[2J")}})
            .to_string();
    for (api, answer, wanted) in [
        ("openai", Answer::Json(401, echo.clone()), "401: Incorrect API key provided: [key]. ␛[2J"),
        ("anthropic", Answer::Json(401, echo), "hint: look at the key"),
        ("openai", Answer::Json(404, "no such page".to_owned()), "it answered 404: no such page"),
        ("openai", Answer::Json(400, json!({"error": {"message": "context is too long"}}).to_string()), "context is too long"),
        ("openai", Answer::Json(200, "{}".to_owned()), "the answer has no choices"),
        ("anthropic", Answer::Json(200, "{}".to_owned()), "the answer has no content"),
        (
            "anthropic",
            Answer::Events(vec!["data: {\"type\":\"error\",\"error\":{\"message\":\"not so\"}}\n\n".to_owned()], NO_PAUSE),
            "not so",
        ),
        ("openai", Answer::Busy(4000), "wants to be left alone for 4000 s"),
        (
            "openai",
            Answer::Raw("HTTP/1.1 302 x\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n".to_owned()),
            "points elsewhere",
        ),
    ] {
        let (value, status, asked) = turn(api, "", vec![answer]);
        assert_eq!((status, asked.len()), (1, 1), "{wanted}: {value}");
        assert!(value["error"].as_str().unwrap().contains(wanted), "{wanted}: {value}");
    }
}

#[test]
fn calls_that_are_none_run_nothing_and_the_model_is_told() {
    let huge = format!("{{\"command\": \"{}\"}}", "x".repeat(3 << 20));
    let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
    let calls: Vec<(&str, &str, &str)> = vec![
        ("c0", "terminal", "{\"command\": \"rm -rf"),
        ("c1", "no_such_tool", "{}"),
        ("c2", "terminal", "\"ls\""),
        ("c3", "terminal", &deep),
        (
            "c4",
            "terminal",
            "{\"command\":\"ls\",\"command\":\"rm x\"}",
        ),
        ("c5", "terminal", &huge),
        ("c6", "terminal", "{\"command\":\"a\\u0000b\"}"),
        ("c7", "", "{}"),
    ];
    let calls = &calls[..7];
    let (value, status, asked) = turn(
        "openai",
        "",
        vec![
            Answer::Events(openai(&[], calls), NO_PAUSE),
            Answer::Events(openai(&["I see."], &[]), NO_PAUSE),
        ],
    );
    assert_eq!(status, 20, "{value}");
    assert_eq!(value["malformed"], 5);
    // The two that could be read were denied by the gate.
    assert_eq!(value["calls"].as_array().unwrap().len(), 2);
    assert!(
        value["calls"]
            .as_array()
            .unwrap()
            .iter()
            .all(|call| call["approved"] == false),
        "{value}"
    );
    let told: Vec<&Value> = asked[1].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["role"] == "tool")
        .collect();
    assert_eq!(told.len(), 7);
    let ids: Vec<&str> = told
        .iter()
        .map(|one| one["tool_call_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["c0", "c1", "c2", "c3", "c4", "c5", "c6"]);
    assert!(
        told.iter()
            .all(|one| one["content"].as_str().unwrap().contains("nothing was")),
        "{told:?}"
    );
}

#[test]
fn answers_without_an_end_are_cut_off() {
    let endless = json!({"choices": [{"delta": {"content": "x".repeat(60_000)}}]});
    let many: Vec<String> = (0..50).map(|_| format!("data: {endless}\n\n")).collect();
    let (value, status, asked) = turn("openai", "", vec![Answer::Events(many, NO_PAUSE)]);
    assert_eq!((status, asked.len()), (1, 1));
    assert!(
        value["error"]
            .as_str()
            .unwrap()
            .contains("longer than 2 MiB"),
        "{value}"
    );
    let calls: Vec<String> = (0..70)
        .map(|at| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [{"index": at, "id": at.to_string(), "function": {"name": "list", "arguments": "{}"}}]}}]})))
        .collect();
    let (value, _, _) = turn("openai", "", vec![Answer::Events(calls, NO_PAUSE)]);
    assert!(
        value["error"]
            .as_str()
            .unwrap()
            .contains("more than 64 tools"),
        "{value}"
    );
    assert_eq!(value["calls"], json!([]), "nothing of half an answer runs");
}
