//! Events: the names of each list, and the fields of each payload.

use serde_json::{Value, json};

use super::{lines, text};
use crate::desk::Desk;
use crate::program::run;
use crate::serve::{Listener, Served};

fn listen(served: &Served, path: &str) -> Listener {
    let mut listener = served.listen(path, None);
    listener.until("hello");
    listener
}

/// Submits a command and answers its prompt.
fn answered(served: &Served, command: &str, answer: Value) {
    let asking = served.submit(command).is(202);
    let prompt = served
        .get(&format!(
            "/v1/prompts/{}",
            asking["prompt"].as_str().unwrap()
        ))
        .is(200);
    served.answer(&prompt, answer).is(200);
}

/// The names of the fields of a payload, at whatever depth.
fn fields(name: &str) -> Vec<String> {
    let text = text(name);
    let parts: Vec<&str> = text.split('"').collect();
    let is_key = |at: &usize| {
        parts
            .get(at + 1)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    (1..parts.len())
        .step_by(2)
        .filter(is_key)
        .map(|at| parts[at].to_owned())
        .collect()
}

fn has_field(value: &Value, field: &str) -> bool {
    match value {
        Value::Object(map) => {
            map.contains_key(field) || map.values().any(|value| has_field(value, field))
        }
        _ => false,
    }
}

/// `sessionID` is `session_id` or `session`.
fn spellings(field: &str) -> [String; 3] {
    let mut small = String::new();
    for letter in field.replace("ID", "Id").chars() {
        if letter.is_uppercase() {
            small.push('_');
        }
        small.extend(letter.to_lowercase());
    }
    [
        field.to_owned(),
        small.trim_end_matches("_id").to_owned(),
        small,
    ]
}

#[track_caller]
fn has_all(name: &str, told: &Value) {
    let fields = fields(name);
    assert!(fields.len() >= 4, "{fields:?}");
    for field in fields {
        assert!(has_field(told, &field), "{name}: {field}: {told}");
    }
}

/// 000 §2.5.3 and §6.5.
#[test]
fn every_event_of_000_is_sent_with_its_fields() {
    let served = Served::with(Desk::with(&[]), "profile: kollabor-spec\n");
    let mut told = listen(&served, "/v1/events?names=kollabor-spec");
    answered(&served, "make one", json!({"choice": "offer", "offer": 0}));
    answered(&served, "make two", json!({"choice": "deny"}));
    let calls = "{\"tool\":\"terminal\",\"args\":{\"command\":\"make three\"}}\n".repeat(2);
    for answers in ["a", "q"] {
        run(
            served
                .desk
                .program()
                .args(["run", "-", "--answers", answers]),
            calls.as_bytes(),
        );
    }
    let names = lines("000-events.txt");
    let wanted: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| *name != "permission_timeout")
        .collect();
    assert_eq!(wanted.len(), 5);
    let found = told.all(&wanted);
    has_all("000-event-request.txt", &found["permission_request"]);
    has_all("000-event-granted.txt", &found["permission_granted"]);
    has_all("000-event-denied.txt", &found["permission_denied"]);
    drop(told);
    drop(served);
    let served = Served::with(
        Desk::with(&[]),
        "profile: kollabor-spec\napproval_timeout: 1\n",
    );
    let mut told = listen(&served, "/v1/events?names=kollabor-spec");
    served.submit("make four").is(202);
    told.until("permission_timeout");
}

/// 003: the three events of a session, the fields of a request and of a response, and the four answers.
#[test]
fn every_event_and_answer_of_003_is_known() {
    let served = Served::with(Desk::with(&[]), "profile: opencode\n");
    let mut told = listen(&served, "/session/s1/events");
    for (number, action) in lines("003-actions.txt").iter().enumerate() {
        // The command and the pattern of the document's own screen; a wider one is refused.
        let pattern = action == "pattern";
        let command = if pattern {
            "git commit -m \"Update docs\"".to_owned()
        } else {
            format!("make x{number}")
        };
        let asking = served.submit(&command).is(202);
        let (_, request) = told.until("permission.requested");
        for field in lines("003-request-fields.txt") {
            // E-09 writes them in small letters; a message of the agent and a warning are only there where there is one.
            let known = spellings(&field)
                .iter()
                .any(|name| request.get(name).is_some());
            assert!(
                known || matches!(field.as_str(), "messageID" | "warning"),
                "{field}: {request}"
            );
        }
        let mut response = json!({"requestID": asking["prompt"], "action": action, "createdAt": "2025-12-17T10:00:00Z"});
        if pattern {
            response["pattern"] = json!("git commit *");
        }
        let unknown = |field: &&String| {
            lines("003-response-fields.txt")
                .iter()
                .all(|known| known != *field)
        };
        assert_eq!(response.as_object().unwrap().keys().find(unknown), None);
        served
            .post("/session/s1/permission/respond", response)
            .is(200);
        told.until("permission.responded");
    }
    // Every name of the list was told by then, but for this one, which the answers `always` and `pattern` bring.
    let mut again = listen(&served, "/session/s1/events");
    let asking = served.submit("cargo build").is(202);
    served
        .post(
            "/session/s1/permission/respond",
            json!({"requestID": asking["prompt"], "action": "always"}),
        )
        .is(200);
    let names = lines("003-events.txt");
    again.all(&names.iter().map(String::as_str).collect::<Vec<_>>());
}

/// 004.
#[test]
fn every_event_of_004_is_sent() {
    let served = Served::with(Desk::with(&[]), "profile: kollabor\n");
    let mut told = listen(&served, "/v1/events?names=kollabor");
    answered(&served, "make one", json!({"choice": "offer", "offer": 0}));
    answered(&served, "make two", json!({"choice": "deny"}));
    let names = lines("004-events.txt");
    assert_eq!(names.len(), 5);
    told.all(&names.iter().map(String::as_str).collect::<Vec<_>>());
}
