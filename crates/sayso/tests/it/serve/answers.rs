//! Answers: the first valid one wins, and whatever is wrong with one leaves the prompt as it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::Served;

#[test]
fn of_many_answers_at_once_one_counts() {
    let served = Arc::new(Served::new());
    for _ in 0..5 {
        let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
        let prompt = Arc::new(served.prompt());
        let won = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (served, prompt, won) =
                    (Arc::clone(&served), Arc::clone(&prompt), Arc::clone(&won));
                thread::spawn(move || {
                    let choice = if number % 2 == 0 {
                        json!({"choice": "offer", "offer": 0})
                    } else {
                        json!({"choice": "deny"})
                    };
                    let got = served.answer(&prompt, choice);
                    match got.status {
                        200 => drop(won.fetch_add(1, Ordering::SeqCst)),
                        // The others hear who was first.
                        _ => assert_eq!(got.is_problem(409, "answered")["ended"]["by"], "token"),
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert_eq!(won.load(Ordering::SeqCst), 1);
        hook.said();
    }
    assert_eq!(
        served.desk.entries("decided").len(),
        5,
        "one end for each call"
    );
}

#[test]
fn an_answer_is_to_what_was_shown() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let id = prompt["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/prompts/{id}/answer");
    let other = format!("sha256:{}", "0".repeat(64));
    served
        .post(
            &path,
            json!({"digest": other, "choice": "offer", "offer": 0}),
        )
        .is_problem(409, "other-digest");
    for (body, status) in [
        (json!({"choice": "offer", "offer": 0}), 400),
        (json!({"digest": "x", "choice": "deny"}), 400),
        (json!({"digest": prompt["digest"], "choice": "offer"}), 400),
        (
            json!({"digest": prompt["digest"], "choice": "offer", "offer": -1}),
            400,
        ),
        (
            json!({"digest": prompt["digest"], "choice": "offer", "offer": "0"}),
            400,
        ),
        (
            json!({"digest": prompt["digest"], "choice": "offer", "offer": 99}),
            422,
        ),
        (
            json!({"digest": prompt["digest"], "choice": "deny", "offer": 0}),
            400,
        ),
        (json!({"digest": prompt["digest"], "choice": "yes"}), 400),
        (
            json!({"digest": prompt["digest"], "choice": "deny", "nota": "x"}),
            400,
        ),
        (
            json!({"digest": prompt["digest"], "choice": "deny", "note": "x".repeat(5000)}),
            400,
        ),
        (json!([]), 400),
    ] {
        assert_eq!(served.post(&path, body.clone()).status, status, "{body}");
    }
    served
        .post(
            "/v1/prompts/prompt-0-0-0/answer",
            json!({"digest": prompt["digest"], "choice": "deny"}),
        )
        .is_problem(404, "missing");
    assert_eq!(served.prompt()["id"], json!(id), "it is as it was");
    served.yes(&prompt).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    // Played again, it is told who was first.
    assert_eq!(
        served.yes(&prompt).is_problem(409, "answered")["ended"]["answer"],
        "once"
    );
}

#[test]
fn two_open_prompts_are_not_mixed_up() {
    let served = Served::new();
    let one = served.hook("claude", "Bash", json!({"command": "make one"}));
    let two = served.hook("claude", "Bash", json!({"command": "make two"}));
    let prompts = loop {
        let prompts = served.prompts();
        if prompts.len() == 2 {
            break prompts;
        }
    };
    let of = |words: &str| {
        prompts
            .iter()
            .find(|prompt| prompt["message"].as_str().unwrap().contains(words))
            .unwrap()
    };
    let crossed = json!({"digest": of("make one")["digest"], "choice": "offer", "offer": 0});
    served
        .post(
            &format!(
                "/v1/prompts/{}/answer",
                of("make two")["id"].as_str().unwrap()
            ),
            crossed,
        )
        .is_problem(409, "other-digest");
    served.yes(of("make two")).is(200);
    assert_eq!(two.said()["permissionDecision"], "allow");
    served
        .answer(of("make one"), json!({"choice": "deny"}))
        .is(200);
    assert_eq!(one.said()["permissionDecision"], "deny");
}

#[test]
fn the_pin_is_asked_for_what_reaches_further_and_for_dangers() {
    let served = Served::new();
    crate::program::run(
        served.desk.program().args(["serve", "--set-pin"]),
        b"2468\n",
    )
    .is(0, "set");
    assert_eq!(served.get("/v1/me").is(200)["pin"], "wider");
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let offer = Served::offer(&prompt, "allow `make all` in this project");
    assert_eq!(
        (
            &prompt["offers"][0]["needs_pin"],
            &prompt["offers"][offer]["needs_pin"]
        ),
        (&json!(false), &json!(true))
    );
    served
        .answer(&prompt, json!({"choice": "offer", "offer": offer}))
        .is_problem(403, "pin");
    served
        .answer(
            &prompt,
            json!({"choice": "pattern", "pattern": "make all", "scope": "session"}),
        )
        .is_problem(403, "pin");
    served
        .answer(
            &prompt,
            json!({"choice": "offer", "offer": offer, "pin": "1111"}),
        )
        .is_problem(403, "pin");
    served
        .answer(
            &prompt,
            json!({"choice": "offer", "offer": offer, "pin": "2468"}),
        )
        .is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    let rules = served.get("/v1/rules").is(200);
    let path = format!("/v1/rules/{}", rules["rules"][0]["id"].as_str().unwrap());
    served.delete(&path).is_problem(403, "pin");
    // Once needs none, and a no never does.
    let hook = served.hook("claude", "Bash", json!({"command": "make other"}));
    served.yes(&served.prompt()).is(200);
    hook.said();
    for _ in 0..6 {
        let token = format!("Bearer {}", served.answering);
        served.request(
            "DELETE",
            &path,
            &[("authorization", &token), ("sayso-pin", "9999")],
            None,
        );
    }
    let token = format!("Bearer {}", served.answering);
    let got = served.request(
        "DELETE",
        &path,
        &[("authorization", &token), ("sayso-pin", "2468")],
        None,
    );
    got.is_problem(429, "pin");
    let refused = served.desk.entries("refused");
    assert!(
        refused
            .iter()
            .any(|entry| entry["why"].as_str().unwrap().contains("PIN")),
        "{refused:?}"
    );
}

#[test]
fn the_words_of_the_other_profile_are_known() {
    let served = Served::new();
    let respond = |session: &str, body: Value| {
        served.post(&format!("/session/{session}/permission/respond"), body)
    };
    let session = crate::hook::SESSION;
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let pending = served
        .get(&format!("/session/{session}/permissions"))
        .is(200)["pending"]
        .clone();
    assert_eq!(
        (
            &pending[0]["id"],
            &pending[0]["operation"],
            &pending[0]["is_dangerous"]
        ),
        (&prompt["id"], &json!("terminal"), &json!(false))
    );
    for field in [
        "session_id",
        "call_id",
        "message",
        "details",
        "warning",
        "requested_at",
        "context",
        "preview",
    ] {
        assert!(pending[0].get(field).is_some(), "{field}");
    }
    let id = &prompt["id"];
    respond(session, json!({"requestID": id, "action": "allow"})).is(400);
    respond(session, json!({"requestID": id, "action": "pattern"})).is(400);
    respond("another", json!({"requestID": id, "action": "once"})).is_problem(403, "session");
    respond(session, json!({"requestID": "prompt-x", "action": "once"})).is_problem(404, "missing");
    let done = respond(
        session,
        json!({"requestID": id, "action": "pattern", "pattern": "make all *"}),
    )
    .is(200);
    assert_eq!(
        (&done["requestID"], &done["action"], &done["pattern"]),
        (id, &json!("pattern"), &json!("make all *"))
    );
    assert!(done["created_at"].as_i64().unwrap() > 1_700_000_000);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    respond(session, json!({"requestID": id, "action": "reject"})).is_problem(409, "answered");
    let hook = served.hook("claude", "Bash", json!({"command": "rm a.txt"}));
    let prompt = served.prompt();
    respond(
        session,
        json!({"requestID": prompt["id"], "action": "always"}),
    )
    .is_problem(422, "not-offered");
    respond(
        session,
        json!({"requestID": prompt["id"], "action": "reject"}),
    )
    .is(200);
    assert_eq!(hook.said()["permissionDecision"], "deny");
}
