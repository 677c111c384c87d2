//! Events under the names of the systems that sayso stands in for: the names and the payloads of their documents.

use serde_json::{Value, json};

use super::{Listener, Served};
use crate::desk::Desk;

fn listen(served: &Served, path: &str) -> Listener {
    let mut listener = served.listen(path, None);
    listener.until("hello");
    listener
}

#[track_caller]
fn has(told: &Value, fields: &[&str]) {
    for field in fields {
        assert!(told.get(field).is_some(), "{field}: {told}");
    }
}

/// Submits a command, answers its prompt, and waits for its end.
fn answered(served: &Served, command: &str, answer: Value) -> Value {
    let asking = served.submit(command).is(202);
    let path = format!("/v1/prompts/{}", asking["prompt"].as_str().unwrap());
    let prompt = served.get(&path).is(200);
    served.answer(&prompt, answer).is(200);
    served
        .asks(
            "GET",
            &format!("/v1/operations/{}?wait=30", asking["id"].as_str().unwrap()),
            None,
        )
        .is(200)
}

const ONCE: fn() -> Value = || json!({"choice": "offer", "offer": 0});

/// finding A-24: the events of 000 §2.5.3 and §6.5, with their names and payloads.
#[test]
fn finding_a_24_the_events_of_kollabor_spec_are_sent() {
    let served = Served::with(
        Desk::with(&[("a.txt", "one\n")]),
        "profile: kollabor-spec\napproval_timeout: 30\n",
    );
    let mut told = listen(&served, "/v1/events?names=kollabor-spec");
    let end = answered(&served, "make all", ONCE());
    let (_, request) = told.until("permission_request");
    assert_eq!(
        request["tool_data"],
        json!({"type": "terminal", "id": "call-1", "command": "make all"}),
        "type, id and the arguments beside each other"
    );
    has(
        &request["permission_result"],
        &["decision", "approved", "message", "auto_approved"],
    );
    assert_eq!(
        (
            &request["permission_result"]["approved"],
            &request["index"],
            &request["total"]
        ),
        (&json!(false), &json!(1), &json!(1))
    );
    assert_eq!(
        (&request["timeout"], &request["approval_future_id"]),
        (&json!(30), &end["prompt"])
    );
    let (_, granted) = told.until("permission_granted");
    assert_eq!(
        (
            &granted["decision"],
            &granted["user_response"],
            &granted["approval_future_id"],
            &granted["tool_id"]
        ),
        (
            &json!("APPROVE"),
            &json!("y"),
            &end["prompt"],
            &json!("call-1")
        )
    );
    answered(&served, "make two", json!({"choice": "deny"}));
    let (_, denied) = told.until("permission_denied");
    assert_eq!(
        (
            &denied["decision"],
            &denied["user_response"],
            &denied["tool_id"]
        ),
        (&json!("DENY"), &json!("N"), &json!("call-1"))
    );
    answered(&served, "make three", json!({"choice": "quit"}));
    assert_eq!(told.until("permission_quit").1["decision"], "QUIT");
    let path = format!("/v1/operations/{}/report", end["id"].as_str().unwrap());
    served
        .asks("POST", &path, Some(json!({"succeeded": true})))
        .is(204);
    let (_, post) = told.until("tool_call_post");
    assert_eq!(
        (&post["tool_data"]["id"], &post["result"]["success"]),
        (&json!("call-1"), &json!(true))
    );
    // What needs no question has its events, too.
    served.submit("cat a.txt").is(200);
    assert_eq!(
        told.until("tool_call_pre").1["tool_data"]["command"],
        "cat a.txt"
    );
    let (_, granted) = told.until("permission_granted");
    assert_eq!(
        (&granted["auto_approved"], &granted["user_response"]),
        (&json!(true), &Value::Null)
    );
}

/// finding A-24: an open prompt that nobody answers is told as a timeout.
#[test]
fn finding_a_24_a_timeout_has_its_event() {
    let served = Served::with(
        Desk::with(&[]),
        "profile: kollabor-spec\napproval_timeout: 1\n",
    );
    let mut told = listen(&served, "/v1/events?names=kollabor-spec");
    let asking = served.submit("make all").is(202);
    let (_, timeout) = told.until("permission_timeout");
    assert_eq!(
        (&timeout["decision"], &timeout["approval_future_id"]),
        (&json!("TIMEOUT"), &asking["prompt"])
    );
}

/// finding A-24: the events of 004, each with tool, risk and reason.
#[test]
fn finding_a_24_the_events_of_kollabor_are_sent() {
    let served = Served::with(Desk::with(&[("a.txt", "one\n")]), "profile: kollabor\n");
    let mut told = listen(&served, "/v1/events?names=kollabor");
    let fields = ["tool_id", "tool_type", "tool_name", "risk_level", "reason"];
    answered(&served, "make all", ONCE());
    for name in [
        "PERMISSION_CHECK",
        "PERMISSION_CONFIRMATION",
        "PERMISSION_GRANTED",
    ] {
        let (_, event) = told.until(name);
        has(&event, &fields);
        assert_eq!(
            (&event["tool_id"], &event["tool_type"], &event["risk_level"]),
            (&json!("call-1"), &json!("terminal"), &json!("medium"))
        );
    }
    answered(&served, "make two", json!({"choice": "deny"}));
    has(&told.until("PERMISSION_DENIED").1, &fields);
    served.submit("rm -rf /").is(200);
    let (_, pre) = told.until("TOOL_CALL_PRE");
    assert_eq!(
        (&pre["cancelled"], &pre["permission_decision"]["allowed"]),
        (&json!(true), &json!(false))
    );
    has(&told.until("PERMISSION_DENIED").1, &fields);
}

/// finding A-24: what a hook asks and decides in its own process is told under the same names, each end once and without secrets.
#[test]
fn finding_a_24_hooks_are_told_as_well() {
    let served = Served::new();
    let mut spec = listen(&served, "/v1/events?names=kollabor-spec");
    let mut other = listen(&served, "/v1/events?names=kollabor");
    let hook = served.hook(
        "claude",
        "Bash",
        json!({"command": "make TOKEN=hunter2 all"}),
    );
    let prompt = served.prompt();
    assert_eq!(
        spec.until("permission_request").1["approval_future_id"],
        prompt["id"]
    );
    other.until("PERMISSION_CHECK");
    other.until("PERMISSION_CONFIRMATION");
    served.yes(&prompt).is(200);
    hook.said();
    let (_, granted) = spec.until("permission_granted");
    assert_eq!(
        (
            &granted["decision"],
            &granted["user_response"],
            &granted["tool_id"]
        ),
        (&json!("APPROVE"), &json!("y"), &prompt["call_id"])
    );
    let (_, granted) = other.until("PERMISSION_GRANTED");
    assert_eq!(
        (&granted["tool_type"], &granted["tool_id"]),
        (&json!("terminal"), &prompt["call_id"])
    );
    assert!(!granted.to_string().contains("hunter2"), "{granted}");
    let hook = served.hook("claude", "Bash", json!({"command": "rm -rf /"}));
    hook.said();
    assert_eq!(spec.until("permission_denied").1["decision"], "DENY");
    other.until("PERMISSION_CHECK");
    other.until("PERMISSION_DENIED");
    // Under our own names nothing of this is said a second time.
    let mut ours = listen(&served, "/v1/events");
    served.submit("cat a.txt").is(200);
    let names: Vec<String> = std::iter::from_fn(|| Some(ours.next().0)).take(2).collect();
    assert!(
        names
            .iter()
            .all(|name| name == "granted" || name == "entry"),
        "{names:?}"
    );
}

/// finding A-24: what `sayso run` does in its own process is told, with the answers for a whole batch.
#[test]
fn finding_a_24_answers_for_the_rest_and_the_end_of_a_batch_are_told() {
    let served = Served::with(Desk::with(&[]), "profile: kollabor-spec\n");
    let mut told = listen(&served, "/v1/events?names=kollabor-spec");
    let calls = "{\"tool\":\"terminal\",\"args\":{\"command\":\"make one\"}}\n{\"tool\":\"terminal\",\"args\":{\"command\":\"make two\"}}\n";
    let run = |answers: &str| {
        let mut program = served.desk.program();
        program
            .args(["run", "-", "--answers", answers])
            .current_dir(&served.desk.scene.workspace);
        crate::program::run(&mut program, calls.as_bytes())
    };
    run("a");
    assert_eq!(
        told.until("permission_approve_all").1["decision"],
        "APPROVE_ALL"
    );
    told.until("permission_granted");
    run("q");
    assert_eq!(told.until("permission_quit").1["decision"], "QUIT");
}

/// finding A-28: what is stored for a session, and taken back, is told to those who listen to it, and to no other session.
#[test]
fn finding_a_28_what_is_stored_is_told_to_the_session() {
    let served = Served::new();
    let (mut session, mut other) = (
        listen(&served, "/session/s1/events"),
        listen(&served, "/session/s2/events"),
    );
    let asking = served.submit("make all").is(202);
    let body = json!({"requestID": asking["prompt"], "action": "always"});
    served.post("/session/s1/permission/respond", body).is(200);
    session.until("permission.responded");
    let (_, updated) = session.until("permission.updated");
    assert_eq!(updated["session_id"], "s1");
    assert!(
        updated["message"].as_str().unwrap().contains("make all"),
        "{updated}"
    );
    assert!(updated["created_at"].as_i64().unwrap() > 1_700_000_000);
    served.delete("/session/s1/permissions").is(200);
    let (_, updated) = session.until("permission.updated");
    assert!(
        updated["session_id"] == "s1"
            && updated["message"]
                .as_str()
                .unwrap()
                .starts_with("taken back: "),
        "{updated}"
    );
    // The other session hears of its own only: also what a hook stores there, in a process of its own.
    let mut body = served.operation("make other");
    body["session"] = json!("s2");
    served.asks("POST", "/v1/operations", Some(body)).is(202);
    assert_eq!(other.next().0, "permission.requested");
    let mut hooked = listen(
        &served,
        &format!("/session/{}/events", crate::hook::SESSION),
    );
    let hook = served.hook("claude", "Bash", json!({"command": "cargo build"}));
    let (_, asked) = hooked.until("permission.requested");
    let body = json!({"requestID": asked["id"], "action": "always"});
    served
        .post(
            &format!("/session/{}/permission/respond", crate::hook::SESSION),
            body,
        )
        .is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(
        hooked.until("permission.updated").1["session_id"],
        crate::hook::SESSION
    );
    // And what is taken back at the command line.
    crate::program::run(
        served
            .desk
            .program()
            .args(["grants", "revoke", "--all", "--yes"]),
        b"",
    )
    .is(0, "taken back");
    assert!(
        hooked.until("permission.updated").1["message"]
            .as_str()
            .unwrap()
            .starts_with("taken back: ")
    );
}
