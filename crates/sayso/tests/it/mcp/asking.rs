//! Calls that somebody is asked about: in the inbox, with words for a client that waits, and taken back when it does not.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Gated, LONGEST, got, is_denied, outcomes, text};
use crate::desk::Desk;
use crate::serve::Served;

fn served() -> Served {
    Served::with(
        Desk::with(&[]),
        "rules:\n  - {allow: {mcp: 's/free'}}\n  - {allow: {mcp: 's/forge'}}\n",
    )
}

fn until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + LONGEST;
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn t_09_a_call_waits_for_a_person_and_everything_else_goes_on() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    gated.list();
    gated.call(1, "echo", json!({"a": "\u{202e}b"}));
    let prompt = served.prompt();
    assert_eq!(
        (&prompt["agent"], &prompt["tool"]),
        (&json!("mcp"), &json!("mcp"))
    );
    let shown = prompt["preview"].to_string();
    assert!(
        shown.contains("U+202E") && shown.contains("The tool echo."),
        "{shown}"
    );
    // Meanwhile.
    assert_eq!(text(&gated.called(2, "free", json!({}))), "{}");
    assert!(
        !got(&served.desk).contains("echo"),
        "nothing came to the server"
    );
    served.yes(&prompt).is(200);
    assert!(text(&gated.answer(&json!(1))).contains("202e"));
    assert_eq!(outcomes(&served.desk), ["auto_approved", "approved"]);
}

#[test]
fn a_no_is_a_result_that_the_model_reads() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    gated.call(1, "echo", json!({}));
    served
        .answer(
            &served.prompt(),
            json!({"choice": "deny", "note": "not today"}),
        )
        .is(200);
    is_denied(&gated.next(), "not today");
    assert_eq!(got(&served.desk), "");
}

#[test]
fn t_10_h_49_an_answer_for_a_session_is_for_this_tool_of_this_server() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    gated.list();
    gated.call(1, "echo", json!({"n": 1}));
    let prompt = served.prompt();
    let offer = Served::offer(
        &prompt,
        "allow every call of echo of the MCP server s in this session",
    );
    served
        .answer(&prompt, json!({"choice": "offer", "offer": offer}))
        .is(200);
    gated.answer(&json!(1));
    assert_eq!(
        text(&gated.called(2, "echo", json!({"n": 2}))),
        "{\"n\": 2}"
    );
    // Another tool, another server, and another run.
    gated.call(3, "run", json!({}));
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&gated.answer(&json!(3)), "denied");
    for name in ["other", "s"] {
        let mut other = Gated::of(&served.desk, &["--name", name], &super::small());
        other.list();
        other.call(1, "echo", json!({"n": 3}));
        served
            .answer(&served.prompt(), json!({"choice": "deny"}))
            .is(200);
        is_denied(&other.answer(&json!(1)), "denied");
    }
}

#[test]
fn a_client_that_cancels_takes_the_question_back() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    gated.call(1, "echo", json!({}));
    served.prompt();
    gated.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    until("the prompt is gone", || served.prompts().is_empty());
    assert_eq!(
        text(&gated.called(2, "free", json!({}))),
        "{}",
        "nothing was answered to the first"
    );
    let got = got(&served.desk);
    assert!(
        !got.contains("echo") && !got.contains("cancelled"),
        "the server knows nothing of it: {got}"
    );
    until("its end is written down", || {
        outcomes(&served.desk)
            .iter()
            .any(|outcome| outcome == "cancelled")
    });
    // What the server has is the server's to stop.
    gated.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}));
    gated.called(3, "free", json!({}));
    assert!(super::got(&served.desk).contains("77"));
}

#[test]
fn a_client_or_server_that_ends_takes_its_questions_along() {
    let served = served();
    for ends in ["client", "server", "gateway"] {
        let mut gated = Gated::start(&served.desk);
        gated.call(1, "echo", json!({}));
        served.prompt();
        match ends {
            "client" => gated.close(),
            "server" => {
                gated.raw(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n");
                rustix::process::kill_process(
                    rustix::process::Pid::from_child(&gated.child),
                    rustix::process::Signal::TERM,
                )
                .unwrap();
            }
            _ => drop(gated.child.kill()),
        }
        until(ends, || served.prompts().is_empty());
    }
    assert_eq!(got(&served.desk).matches("echo").count(), 0);
}

#[test]
fn a_client_with_a_token_hears_that_somebody_is_asked() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    let params = json!({"name": "echo", "arguments": {}, "_meta": {"progressToken": "p-1"}});
    gated.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let prompt = served.prompt();
    let told: Vec<_> = (0..2).map(|_| gated.next()).collect();
    assert!(
        told.iter()
            .all(|one| one["method"] == "notifications/progress"
                && one["params"]["progressToken"] == "p-1"),
        "{told:?}"
    );
    let steps: Vec<f64> = told
        .iter()
        .map(|one| one["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(steps[0] < steps[1] && steps[1] < 0.001, "{steps:?}");
    served.yes(&prompt).is(200);
    gated.answer(&json!(1));
}

#[test]
fn a_server_cannot_answer_a_call_that_it_was_not_given() {
    let served = served();
    let mut gated = Gated::start(&served.desk);
    gated.call(1, "echo", json!({"real": true}));
    let prompt = served.prompt();
    let answer = gated.called(2, "forge", json!({"id": 1}));
    assert_eq!(answer["id"], 2);
    served.yes(&prompt).is(200);
    assert_eq!(text(&gated.next()), "{\"real\": true}");
    assert_eq!(served.desk.entries("mcp_dropped").len(), 1);
}

#[test]
fn nobody_to_ask_is_a_no() {
    let desk = Desk::with(&[]);
    let mut gated = Gated::start(&desk);
    is_denied(&gated.called(1, "echo", json!({})), "sayso serve");
    desk.scene.user_policy("version: 1\napproval_timeout: 1\n");
    let served = Served::start(desk);
    gated.call(2, "echo", json!({}));
    is_denied(&gated.answer(&json!(2)), "in time");
    assert_eq!(got(&served.desk), "");
}

#[test]
fn a_call_that_a_hook_asked_about_is_not_asked_again() {
    let served = served();
    let mut payload = crate::hook::before(&served.desk, "mcp__s__echo", json!({"x": 1}));
    payload["tool_use_id"] = json!("toolu_1");
    payload["mcp_server"] = json!({"name": "s", "source": "user"});
    served
        .desk
        .scene
        .user_policy("version: 1\nhooks: {ask: inbox}\n");
    let hook = served.hook_with("claude", &payload, &["--wait", "300"]);
    served.yes(&served.prompt()).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    let mut gated = Gated::start(&served.desk);
    let call = |id: i64, n: i64, tool_use: &str| {
        let params = json!({"name": "echo", "arguments": {"x": n}, "_meta": {"claudecode/toolUseId": tool_use}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    // Another call, by its arguments or by its id, is another question.
    for (id, n, tool_use) in [(1, 2, "toolu_1"), (2, 1, "toolu_2")] {
        gated.send(&call(id, n, tool_use));
        served
            .answer(&served.prompt(), json!({"choice": "deny"}))
            .is(200);
        is_denied(&gated.answer(&json!(id)), "denied");
    }
    gated.send(&call(3, 1, "toolu_1"));
    assert_eq!(text(&gated.answer(&json!(3))), "{\"x\": 1}");
    // Once.
    gated.send(&call(4, 1, "toolu_1"));
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&gated.answer(&json!(4)), "denied");
}
