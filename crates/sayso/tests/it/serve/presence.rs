//! A screen that nobody looks at is nobody: questions stay where the person is.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Served;
use crate::desk::Desk;
use crate::hook::is_denied;

fn decision(served: &Served) -> Value {
    served
        .hook("claude", "Bash", json!({"command": "make all"}))
        .said()["permissionDecision"]
        .clone()
}

fn present(served: &Served) -> Value {
    served.get("/v1/me").is(200)["present"].clone()
}

/// finding W-07: an open tab is no person. The question goes to the inbox only while a screen says that somebody looks at it.
#[test]
fn finding_w_07_a_forgotten_tab_leaves_questions_in_the_agents_own_dialog() {
    let served = Served::with(Desk::with(&[]), "");
    let mut tab = served.listen("/v1/events", None);
    tab.until("hello");
    assert_eq!(
        (
            served.get("/v1/me").is(200)["watching"].clone(),
            present(&served)
        ),
        (json!(1), json!(0))
    );
    assert_eq!(
        decision(&served),
        "ask",
        "a forgotten tab takes nothing out of sight"
    );
    // Somebody looks at it.
    let here = |screen: &str, is_here: bool| {
        served
            .post("/v1/here", json!({"screen": screen, "here": is_here}))
            .is(204)
    };
    here("a", true);
    here("b", true);
    here("b", false);
    assert_eq!(present(&served), 1);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&hook.said(), "");
    // It is hidden: the dialog of the agent is where the person is.
    here("a", false);
    assert_eq!(decision(&served), "ask");
    // What was said counts for nothing without an open line.
    here("a", true);
    drop(tab);
    while served.get("/v1/me").is(200)["watching"] != 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(present(&served), 0);
    assert_eq!(decision(&served), "ask");
}

/// finding W-07: who says that somebody looks says it well, has the right to answer, and says it for themselves only.
#[test]
fn finding_w_07_presence_takes_the_right_to_answer() {
    let served = Served::new();
    let good = json!({"screen": "a", "here": true});
    served
        .asks("POST", "/v1/here", Some(good.clone()))
        .is_problem(403, "right");
    served
        .request("POST", "/v1/here", &[], Some(&good.to_string()))
        .is_problem(401, "nobody");
    for bad in [
        json!({}),
        json!({"screen": "a"}),
        json!({"screen": 1, "here": true}),
        json!({"screen": "a", "here": "yes"}),
        json!({"screen": "x".repeat(65), "here": true}),
        json!({"screen": "a", "here": true, "more": 1}),
    ] {
        served
            .post("/v1/here", bad.clone())
            .is_problem(400, "unreadable");
    }
    // Whatever is said, an agent is not let near it.
    let (status, _) = served.at_socket(&[("CLAUDECODE", "1")], "POST", "/v1/here", Some(good));
    assert_eq!(status, 403);
}

/// finding W-07: a call that is held names the place of the question: the hook of Claude Code says it while it waits, and a question that
/// nobody answered says where it was.
#[test]
fn finding_w_07_a_question_that_nobody_answered_says_where_it_was() {
    let served = Served::with(
        Desk::with(&[]),
        "hooks: {ask: inbox}\napproval_timeout: 1\n",
    );
    let start = Instant::now();
    let said = served
        .hook("claude", "Bash", json!({"command": "make all"}))
        .said();
    is_denied(&said, "nobody answered in time");
    is_denied(&said, "`sayso watch`");
    is_denied(&said, &format!("http://{}/", served.host));
    assert!(start.elapsed() < Duration::from_secs(60));
}
