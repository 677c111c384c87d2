//! Answers that are kept, over HTTP: for the session that they belong to, unless the request names more.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Served;
use crate::desk::Desk;

/// Every profile there is.
pub const PROFILES: [&str; 6] = [
    "sayso",
    "kollabor-spec",
    "llm-do",
    "forge",
    "opencode",
    "kollabor",
];

fn served(profile: &str) -> Served {
    Served::with(Desk::with(&[]), &format!("profile: {profile}\n"))
}

/// A command, submitted for a session.
fn submit(served: &Served, session: &str, command: &str) -> Value {
    let mut body = served.operation(command);
    body["session"] = json!(session);
    served.asks("POST", "/v1/operations", Some(body)).json()
}

/// Answers what a session asks, by the request of profile `opencode`, and waits until the call is allowed.
#[track_caller]
fn respond(served: &Served, session: &str, command: &str, mut body: Value) -> Value {
    let asking = submit(served, session, command);
    assert_eq!(asking["state"], "asking", "{session}: {command}: {asking}");
    body["requestID"] = asking["prompt"].clone();
    let said = served
        .post(&format!("/session/{session}/permission/respond"), body)
        .is(200);
    let path = format!("/v1/operations/{}?wait=30", asking["id"].as_str().unwrap());
    assert_eq!(served.asks("GET", &path, None).is(200)["state"], "allowed");
    said
}

#[track_caller]
fn states(served: &Served, command: &str, expected: [(&str, &str); 2]) {
    for (session, state) in expected {
        assert_eq!(
            submit(served, session, command)["state"],
            state,
            "{session}: {command}"
        );
    }
}

fn granted(served: &Served, session: &str) -> Vec<Value> {
    served
        .get(&format!("/session/{session}/permissions"))
        .is(200)["permissions"]
        .as_array()
        .unwrap()
        .clone()
}

/// finding A-27: `always` and `pattern` of profile `opencode` are kept for the session of the prompt; others still ask; `DELETE` clears it.
#[test]
fn finding_a_27_what_is_kept_for_a_session_is_for_no_other() {
    for profile in PROFILES {
        let served = served(profile);
        let said = respond(&served, "s1", "make all", json!({"action": "always"}));
        assert_eq!(
            (&said["sessionID"], &said["scope"]),
            (&json!("s1"), &json!("session")),
            "{profile}"
        );
        let said = respond(
            &served,
            "s1",
            "cargo build --release",
            json!({"action": "pattern", "pattern": "cargo build *"}),
        );
        assert_eq!(
            (&said["sessionID"], &said["scope"]),
            (&json!("s1"), &json!("session")),
            "{profile}"
        );
        for command in ["make all", "cargo build --release"] {
            states(&served, command, [("s1", "allowed"), ("s2", "asking")]);
        }
        assert_eq!(
            (granted(&served, "s1").len(), granted(&served, "s2").len()),
            (2, 0),
            "{profile}"
        );
        assert!(
            granted(&served, "s1")
                .iter()
                .all(|grant| grant["session"] == "s1")
        );
        assert_eq!(
            served.get("/v1/rules").is(200)["rules"],
            json!([]),
            "{profile}: nothing outlives the session"
        );
        respond(&served, "s3", "make all", json!({"action": "always"}));
        assert_eq!(
            served.delete("/session/s2/permissions").is(200)["removed"],
            json!([]),
            "it was granted nothing"
        );
        assert_eq!(
            served.delete("/session/s1/permissions").is(200)["removed"]
                .as_array()
                .unwrap()
                .len(),
            2,
            "{profile}"
        );
        assert_eq!(
            (granted(&served, "s1").len(), granted(&served, "s3").len()),
            (0, 1),
            "exactly its own"
        );
        states(&served, "make all", [("s1", "asking"), ("s3", "allowed")]);
        states(
            &served,
            "cargo build --release",
            [("s1", "asking"), ("s3", "asking")],
        );
    }
}

/// finding A-27: only a request that names a wider scope stores more, and says so; `DELETE` leaves what is not of the session.
#[test]
fn finding_a_27_more_than_the_session_is_kept_where_the_request_names_it() {
    let served = served("opencode");
    for (command, scope, more) in [
        ("make one", "project", json!({"action": "always"})),
        ("make two", "always", json!({"action": "always"})),
        (
            "cargo build --release",
            "project",
            json!({"action": "pattern", "pattern": "cargo build *"}),
        ),
    ] {
        let mut body = more;
        body["scope"] = json!(scope);
        assert_eq!(respond(&served, "s1", command, body)["scope"], scope);
        states(&served, command, [("s1", "allowed"), ("s2", "allowed")]);
    }
    assert_eq!(granted(&served, "s1").len(), 0);
    assert_eq!(
        served.delete("/session/s1/permissions").is(200)["removed"],
        json!([])
    );
    let path = "/session/s1/permission/respond";
    let id = submit(&served, "s1", "make three")["prompt"].clone();
    for (body, status) in [
        (json!({"action": "always", "scope": "once"}), 400),
        (json!({"action": "always", "scope": "batch"}), 400),
        (json!({"action": "always", "scope": "world"}), 400),
        (json!({"action": "always", "scope": 1}), 400),
        (json!({"action": "once", "scope": "session"}), 400),
        (json!({"action": "reject", "scope": "always"}), 400),
        (json!({"action": "once", "pattern": "make *"}), 400),
    ] {
        let mut body = body;
        body["requestID"] = id.clone();
        assert_eq!(served.post(path, body.clone()).status, status, "{body}");
    }
    assert_eq!(
        served
            .prompts()
            .iter()
            .filter(|prompt| prompt["id"] == id)
            .count(),
        1,
        "it is as it was"
    );
}

/// finding A-27: the other request that stores an answer names the scope in it, and says which session it was for.
#[test]
fn finding_a_27_every_answer_says_its_scope_and_session() {
    let served = served("sayso");
    let asking = submit(&served, "s1", "make all");
    let prompt = served.prompt();
    let offer = prompt["offers"]
        .as_array()
        .unwrap()
        .iter()
        .position(|offer| offer["scope"] == "session")
        .unwrap();
    let taken = served
        .answer(&prompt, json!({"choice": "offer", "offer": offer}))
        .is(200);
    assert_eq!(
        (&taken["scope"], &taken["session"]),
        (&json!("session"), &json!("s1"))
    );
    let end = Instant::now() + Duration::from_secs(300);
    while granted(&served, "s1").is_empty() {
        assert!(Instant::now() < end, "{asking}");
    }
    states(&served, "make all", [("s1", "allowed"), ("s2", "asking")]);
    let prompt = served.prompt();
    let denied = served.answer(&prompt, json!({"choice": "deny"})).is(200);
    assert_eq!(
        (&denied["scope"], &denied["session"]),
        (&Value::Null, &json!("s2"))
    );
    assert_eq!(
        served.yes(&prompt).is_problem(409, "answered")["ended"]["session"],
        "s2"
    );
}

/// finding A-30: the whole response type of that system is taken, with its time.
#[test]
fn finding_a_30_a_response_with_all_its_fields_is_taken() {
    let served = served("opencode");
    for (number, more) in [
        json!({"action": "once", "createdAt": "2026-01-31T12:00:00Z"}),
        json!({"action": "once", "createdAt": "2026-01-31T12:00:00.123456789+01:00", "pattern": ""}),
        json!({"action": "always", "createdAt": "0001-01-01T00:00:00Z", "pattern": null}),
        json!({"action": "pattern", "pattern": "cargo build *", "createdAt": null}),
    ]
    .into_iter()
    .enumerate()
    {
        let command = if more["action"] == "pattern" { "cargo build --release".to_owned() } else { format!("make target-{number}") };
        let said = respond(&served, "s1", &command, more.clone());
        assert_eq!(said["action"], more["action"]);
        let time = said["createdAt"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        assert_eq!(time.as_second(), said["created_at"].as_i64().unwrap(), "ours, and not that of the client");
    }
    let id = submit(&served, "s1", "make all")["prompt"].clone();
    for bad in [
        json!("yesterday"),
        json!(1_700_000_000),
        json!(["2026-01-31T12:00:00Z"]),
        json!("2".repeat(2000)),
    ] {
        let body = json!({"requestID": id, "action": "once", "createdAt": bad});
        served
            .post("/session/s1/permission/respond", body)
            .is_problem(400, "unreadable");
    }
}
