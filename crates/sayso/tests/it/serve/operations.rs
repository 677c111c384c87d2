//! Operations that programs submit: decided, asked about, waited for, taken back, reported; each with its entry.

use serde_json::{Value, json};

use super::Served;

#[test]
fn what_is_allowed_or_denied_is_so_at_once_and_written_down() {
    let served = Served::new();
    let allowed = served.submit("cat a.txt").is(200);
    assert_eq!(
        (&allowed["state"], &allowed["outcome"], &allowed["call_id"]),
        (&json!("allowed"), &json!("auto_approved"), &json!("call-1"))
    );
    let denied = served.submit("rm -rf /").is(200);
    assert_eq!(
        (&denied["state"], &denied["outcome"]),
        (&json!("denied"), &json!("blocked"))
    );
    assert!(
        denied["message"]
            .as_str()
            .unwrap()
            .contains("nothing was changed")
    );
    let outcomes: Vec<Value> = served
        .desk
        .entries("decided")
        .iter()
        .map(|entry| entry["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["auto_approved", "blocked"]);
    let report = format!("/v1/operations/{}/report", allowed["id"].as_str().unwrap());
    served
        .asks(
            "POST",
            &report,
            Some(json!({"succeeded": true, "milliseconds": 12, "exit": 0})),
        )
        .is(204);
    served
        .asks("POST", &report, Some(json!({"succeeded": true})))
        .is_problem(409, "reported");
    let denied = format!("/v1/operations/{}/report", denied["id"].as_str().unwrap());
    served
        .asks("POST", &denied, Some(json!({"succeeded": true})))
        .is_problem(409, "reported");
    let finished = served.desk.entries("finished");
    assert_eq!(
        (finished.len(), &finished[0]["milliseconds"]),
        (1, &json!(12))
    );
}

#[test]
fn what_has_to_be_asked_waits() {
    let served = Served::new();
    let asking = served.submit("make all").is(202);
    assert_eq!(
        (&asking["state"], &asking["outcome"]),
        (&json!("asking"), &Value::Null)
    );
    let prompt = served.prompt();
    assert_eq!(
        (&asking["prompt"], &prompt["door"], &prompt["agent"]),
        (&prompt["id"], &json!("http"), &json!("http"))
    );
    let path = format!("/v1/operations/{}", asking["id"].as_str().unwrap());
    assert_eq!(served.asks("GET", &path, None).is(200)["state"], "asking");
    let waits = std::thread::scope(|scope| {
        let waits = scope.spawn(|| served.asks("GET", &format!("{path}?wait=30"), None).is(200));
        served.yes(&prompt).is(200);
        waits.join().unwrap()
    });
    assert_eq!(
        (
            &waits["state"],
            &waits["outcome"],
            &waits["by"],
            &waits["scope"]
        ),
        (
            &json!("allowed"),
            &json!("approved"),
            &json!("token"),
            &json!("once")
        )
    );
    served
        .asks("GET", "/v1/operations/operation-0", None)
        .is_problem(404, "missing");
}

#[test]
fn one_that_is_taken_back_ends() {
    let served = Served::new();
    let asking = served.submit("make all").is(202);
    let prompt = served.prompt();
    let path = format!("/v1/operations/{}", asking["id"].as_str().unwrap());
    assert_eq!(
        served.asks("DELETE", &path, None).is(200)["outcome"],
        "cancelled"
    );
    while served.yes(&prompt).status != 410 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert_eq!(served.asks("GET", &path, None).is(200)["state"], "denied");
    let decided = loop {
        let decided = served.desk.entries("decided");
        if !decided.is_empty() {
            break decided;
        }
    };
    assert_eq!(
        (decided.len(), &decided[0]["outcome"]),
        (1, &json!("cancelled"))
    );
}

#[test]
fn a_policy_that_gets_stricter_counts_for_what_is_open() {
    let served = Served::new();
    let asking = served.submit("make all").is(202);
    let prompt = served.prompt();
    served
        .desk
        .scene
        .user_policy("version: 1\nrules:\n  - deny: {command: \"make *\"}\n");
    served.yes(&prompt).is(200);
    let path = format!("/v1/operations/{}?wait=30", asking["id"].as_str().unwrap());
    assert_eq!(served.asks("GET", &path, None).is(200)["state"], "denied");
    assert_eq!(served.submit("make all").is(200)["outcome"], "blocked");
}

#[test]
fn to_be_called_by_another_name_gives_no_rights() {
    let served = Served::with(
        crate::desk::Desk::with(&[]),
        "rules:\n  - deny: {command: \"make secret\"}\nagents:\n  builder: {rules: [{allow: {command: \"make *\"}}]}\n",
    );
    let mut body = served.operation("make all");
    body["agent"] = json!("builder");
    assert_eq!(
        served.asks("POST", "/v1/operations", Some(body)).is(202)["state"],
        "asking"
    );
}

#[test]
fn what_is_no_call_is_refused() {
    let served = Served::new();
    for (body, status) in [
        (json!({}), 400),
        (json!({"tool": "terminal"}), 400),
        (json!({"tool": "terminal", "workspace": "ws"}), 400),
        (
            json!({"tool": "terminal", "workspace": "/ws", "args": []}),
            400,
        ),
        (
            json!({"tool": "terminal", "workspace": "/ws", "mode": "trust-all"}),
            400,
        ),
        (
            json!({"tool": "terminal", "workspace": "/ws", "wait": 9999}),
            400,
        ),
        (json!({"tool": 1, "workspace": "/ws"}), 400),
        // These can be read, and are denied for what they are.
        (json!({"tool": "a\u{0}b", "workspace": "/ws"}), 200),
        (
            json!({"tool": "terminal", "workspace": "/ws", "args": {"command": "a\u{0}b"}}),
            200,
        ),
    ] {
        let got = served.asks("POST", "/v1/operations", Some(body.clone()));
        assert_eq!(got.status, status, "{body}: {got:?}");
        if status == 200 {
            assert_eq!(got.json()["state"], "denied", "{body}");
        }
    }
}

#[test]
fn to_judge_only_writes_nothing_down() {
    let served = Served::new();
    for (command, decision) in [
        ("cat a.txt", "allow"),
        ("make all", "ask"),
        ("rm -rf /", "deny"),
    ] {
        let verdict = served
            .asks("POST", "/v1/check", Some(served.operation(command)))
            .is(200);
        assert_eq!(verdict["decision"], decision, "{verdict}");
        let line = crate::program::run(
            served
                .desk
                .program()
                .args(["check", "--json", "-C"])
                .arg(&served.desk.scene.workspace)
                .args(["--", command]),
            b"",
        );
        assert_eq!(
            verdict["reasons"],
            crate::desk::read(&line)["reasons"],
            "as the command line says"
        );
    }
    assert!(served.desk.entries("decided").is_empty());
}
