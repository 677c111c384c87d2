//! What has to be asked: in the inbox if it is for that, and else in the editor, once, and until nobody wants it any more.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Editor, POLICY, command, desk, is_denied, no, yes};
use crate::desk::Desk;
use crate::mcp::outcomes;
use crate::serve::Served;

fn served() -> Served {
    let rules = POLICY.strip_prefix("version: 1\n").unwrap();
    Served::with(
        Desk::with(&[("src/a.rs", "x\n")]),
        &format!("hooks: {{ask: inbox}}\n{rules}"),
    )
}

fn until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(300);
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_editor_is_asked_and_its_answer_is_the_answer() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    editor.wants(1, command("make"));
    let asked = editor.gated.next();
    assert_eq!(
        (&asked["id"], &asked["params"]["toolCall"]),
        (&json!(1), &command("make"))
    );
    // Meanwhile everything goes on.
    assert_eq!(editor.permitted(2, command("touch allowed-1")), yes());
    editor.answers(
        &json!(1),
        json!({"outcome": {"outcome": "selected", "optionId": "no"}, "_meta": {"by": "me"}}),
    );
    let got = editor.got();
    assert_eq!(
        (&got["result"]["outcome"], &got["result"]["_meta"]["by"]),
        (&yes(), &json!("me")),
        "the editor's own words"
    );
    editor.wants(3, command("make"));
    editor.gated.next();
    editor.picks(&json!(3), "allow");
    assert_eq!(editor.got()["result"]["outcome"], no());
    assert_eq!(outcomes(&desk), ["auto_approved", "approved", "denied"]);
    let by: Vec<_> = desk
        .entries("decided")
        .iter()
        .map(|entry| entry["by"].clone())
        .collect();
    assert!(by.contains(&json!("the dialog of the editor")), "{by:?}");
}

#[test]
fn whatever_is_no_plain_yes_is_a_no() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    for (id, result) in [
        (1, json!({})),
        (2, json!({"outcome": "selected"})),
        (3, json!({"outcome": {"outcome": "selected"}})),
        (
            4,
            json!({"outcome": {"outcome": "approved", "optionId": "no"}}),
        ),
        (
            5,
            json!({"outcome": {"outcome": "selected", "optionId": ["no"]}}),
        ),
        (6, json!(null)),
    ] {
        editor.wants(id, command("make"));
        editor.gated.next();
        editor.answers(&json!(id), result);
        assert_eq!(editor.got()["result"]["outcome"], no());
    }
    editor.wants(7, command("make"));
    editor.gated.next();
    editor
        .gated
        .send(&json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "what?"}}));
    assert_eq!(editor.got()["result"]["outcome"], no());
    editor.wants(8, command("make"));
    editor.gated.next();
    editor.gated.raw(
        b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"x\",\"optionId\":\"no\"}}}\n",
    );
    assert_eq!(editor.got()["result"]["outcome"], no());
    editor.wants(9, command("make"));
    editor.gated.next();
    editor.answers(&json!(9), json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.got()["result"]["outcome"]["outcome"], "cancelled");
    assert!(
        outcomes(&desk)
            .iter()
            .all(|outcome| !outcome.contains("approved"))
    );
}

#[test]
fn what_the_editor_is_to_do_is_asked_in_its_own_dialog() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    editor.agent_asks(1, "terminal/create", json!({"command": "make \u{202e}all"}));
    let asked = editor.gated.next();
    let call = &asked["params"]["toolCall"];
    let (id, shown) = (asked["id"].clone(), call.to_string());
    assert!(
        id.as_str().unwrap().starts_with("sayso-")
            && asked["method"] == "session/request_permission",
        "{asked}"
    );
    assert!(
        shown.contains("sayso asks") && shown.contains("U+202E") && !shown.contains('\u{202e}'),
        "{shown}"
    );
    assert_eq!(
        asked["params"]["options"].as_array().unwrap().len(),
        2,
        "once, or not"
    );
    editor.picks(&id, "sayso-once");
    assert_eq!(
        editor.gated.next()["method"],
        "terminal/create",
        "now it comes to the editor"
    );
    let path = desk
        .scene
        .workspace
        .join("Makefile")
        .to_str()
        .unwrap()
        .to_owned();
    editor.agent_asks(
        2,
        "fs/write_text_file",
        json!({"path": path, "content": "all:\n"}),
    );
    let asked = editor.gated.next();
    let diff = &asked["params"]["toolCall"]["content"][1];
    assert_eq!(
        (&diff["type"], &diff["path"], &diff["newText"]),
        (&json!("diff"), &json!(path), &json!("all:\n"))
    );
    editor.picks(&asked["id"], "sayso-deny");
    is_denied(&editor.got(), "denied by the person");
    editor.agent_asks(
        3,
        "fs/write_text_file",
        json!({"path": path, "content": "all:\n\tmake \u{202e}x\n"}),
    );
    let asked = editor.gated.next();
    let shown = asked["params"]["toolCall"]["content"][1].to_string();
    assert!(
        shown.contains("U+202E") && !shown.contains('\u{202e}'),
        "{shown}"
    );
    editor.picks(&asked["id"], "sayso-deny");
    is_denied(&editor.got(), "denied by the person");
}

#[test]
fn what_was_said_yes_to_is_not_asked_again_when_it_is_done() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    let path = desk
        .scene
        .workspace
        .join("Makefile")
        .to_str()
        .unwrap()
        .to_owned();
    editor.wants(1, command("make"));
    editor.gated.next();
    editor.picks(&json!(1), "no");
    editor.got();
    editor.agent_asks(2, "terminal/create", json!({"command": "make"}));
    assert_eq!(editor.gated.next()["method"], "terminal/create");
    let edit = json!({"toolCallId": "c", "title": "Writing", "kind": "edit", "content": [{"type": "diff", "path": path, "newText": "all:\n"}]});
    editor.wants(3, edit);
    editor.gated.next();
    editor.picks(&json!(3), "no");
    editor.got();
    let write = |content: &str| json!({"path": path, "content": content});
    editor.agent_asks(4, "fs/write_text_file", write("evil:\n"));
    let asked = editor.gated.next();
    assert_eq!(
        asked["method"], "session/request_permission",
        "another text is another question"
    );
    editor.picks(&asked["id"], "sayso-deny");
    editor.got();
    editor.agent_asks(5, "fs/write_text_file", write("all:\n"));
    assert_eq!(editor.gated.next()["method"], "fs/write_text_file");
    // Once.
    for (id, method, params) in [
        (6, "terminal/create", json!({"command": "make"})),
        (7, "fs/write_text_file", write("all:\n")),
    ] {
        editor.agent_asks(id, method, params);
        assert_eq!(editor.gated.next()["method"], "session/request_permission");
    }
}

#[test]
fn two_confirmations_are_more_than_an_editor_has() {
    let desk = desk();
    let mut editor = Editor::start(&desk);
    editor.wants(1, command("rm -rf src"));
    let got = editor.got();
    assert_eq!(got["result"]["outcome"], no());
    assert!(got.to_string().contains("two confirmations"), "{got}");
    editor.agent_asks(2, "terminal/create", json!({"command": "rm -rf src"}));
    is_denied(&editor.got(), "two confirmations");
}

#[test]
fn the_inbox_is_asked_where_it_is_to_be() {
    let served = served();
    let mut editor = Editor::start(&served.desk);
    editor.wants(1, command("make"));
    let prompt = served.prompt();
    assert_eq!(prompt["agent"], "tiny");
    served.yes(&prompt).is(200);
    assert_eq!(editor.got()["result"]["outcome"], yes());
    editor.agent_asks(2, "terminal/create", json!({"command": "make all"}));
    served
        .answer(
            &served.prompt(),
            json!({"choice": "deny", "note": "not today"}),
        )
        .is(200);
    is_denied(&editor.got(), "not today");
    // What the title says is no command that anybody knows.
    editor.wants(
        3,
        json!({"toolCallId": "c", "title": "make \u{202e}x", "kind": "execute"}),
    );
    let prompt = served.prompt();
    assert!(prompt["preview"].to_string().contains("U+202E"), "{prompt}");
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    assert_eq!(editor.got()["result"]["outcome"], no());
    assert_eq!(outcomes(&served.desk), ["approved", "denied", "denied"]);
}

#[test]
fn a_cancelled_session_takes_its_questions_back() {
    let served = served();
    let mut editor = Editor::start(&served.desk);
    let second = editor.begin(served.desk.scene.folder());
    editor.wants(1, command("make"));
    served.prompt();
    editor.agent_asks(2, "terminal/create", json!({"command": "make all"}));
    editor.agent_asks(
        3,
        "terminal/create",
        json!({"command": "make other", "sessionId": second}),
    );
    until("all three wait", || served.prompts().len() == 3);
    let session = editor.session.clone();
    editor.gated.send(
        &json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}),
    );
    let mut all: Vec<_> = (0..3).map(|_| editor.gated.next()).collect();
    all.sort_by_key(|message| message["params"]["id"].as_i64().unwrap_or_default());
    assert_eq!(all[0]["method"], "_cancelled", "the agent hears of it");
    assert_eq!(
        all[1]["params"]["result"]["outcome"],
        json!({"outcome": "cancelled"})
    );
    assert_eq!(all[2]["params"]["error"]["code"], -32800);
    until("the other session's is left", || {
        served.prompts().len() == 1
    });
    // The agent can take one back, too.
    let line = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 3}});
    editor.agent_says(format!("{line}\n").as_bytes());
    assert_eq!(editor.got()["error"]["code"], -32800);
    until("none is left", || served.prompts().is_empty());
    until("that is written down", || {
        outcomes(&served.desk)
            .iter()
            .filter(|outcome| *outcome == "cancelled")
            .count()
            == 3
    });
}

#[test]
fn what_nobody_answers_in_time_is_a_no_and_stays_one() {
    let desk = desk();
    desk.scene.add_to_policy("approval_timeout: 1\n");
    let mut editor = Editor::start(&desk);
    editor.wants(1, command("make"));
    assert_eq!(editor.gated.next()["id"], 1);
    assert_eq!(editor.got()["result"]["outcome"], no());
    editor.picks(&json!(1), "no");
    assert_eq!(
        editor.permitted(2, command("touch allowed-1")),
        yes(),
        "the late answer went nowhere"
    );
    assert_eq!(outcomes(&desk), ["timed_out", "auto_approved"]);
}

#[test]
fn whoever_ends_takes_the_questions_along() {
    let served = served();
    for ends in ["editor", "agent", "gateway"] {
        let mut editor = Editor::start(&served.desk);
        editor.wants(1, command("make"));
        served.prompt();
        match ends {
            "editor" => editor.gated.close(),
            "agent" => editor
                .gated
                .send(&json!({"jsonrpc": "2.0", "method": "_exit", "params": {"code": 3}})),
            _ => drop(editor.gated.child.kill()),
        }
        until(ends, || served.prompts().is_empty());
    }
}
