//! Who answered is one value: the hook's reply, the record and the page say it in the same words.

use serde_json::{Value, json};

use super::Served;
use crate::desk::Desk;
use crate::hook::{self, answered, before, event};
use crate::program::run;

/// What a person reads about the last call: `audit list` and `audit show`.
fn read(desk: &Desk) -> (String, String) {
    let said = |words: &[&str]| run(desk.program().args(words), b"").is(0, "the record").out;
    let number = desk.entries("decided").last().unwrap()["n"].to_string();
    (said(&["audit", "list"]), said(&["audit", "show", &number]))
}

/// Insists that every view of the last call has these words.
#[track_caller]
fn is_by(desk: &Desk, words: &str) {
    let (list, show) = read(desk);
    let last = list.lines().last().unwrap();
    assert!(last.contains(words), "audit list: {list}");
    assert!(show.contains(&format!(" by {words}")), "audit show: {show}");
    for wrong in ["process ", "browser 1"] {
        assert!(
            !last.contains(wrong) && !show.contains(wrong),
            "{wrong}: {list}{show}"
        );
    }
}

fn why(said: &Value) -> &str {
    said["permissionDecisionReason"]
        .as_str()
        .unwrap_or_default()
}

/// finding W-04: a yes in the browser is "by you, in the browser", in the hook's reply, in the record and for whoever comes second.
#[test]
fn finding_w_04_a_yes_in_the_browser_is_by_you_everywhere() {
    let served = Served::new();
    let login = served.request(
        "POST",
        "/v1/login",
        &[],
        Some(&json!({"code": served.code}).to_string()),
    );
    let key = login.is(200)["key"].as_str().unwrap().to_owned();
    let cookie = login.headers["set-cookie"]
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let browser = [("cookie", cookie.as_str()), ("sayso-key", key.as_str())];
    let waiting = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let path = format!("/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    let body = json!({"digest": prompt["digest"], "choice": "offer", "offer": 0}).to_string();
    let taken = served.request("POST", &path, &browser, Some(&body)).is(200);
    assert_eq!(taken["by_words"], "you, in the browser");
    let said = waiting.said();
    assert_eq!(
        why(&said),
        "sayso: allowed by you, in the browser, and run by sayso"
    );
    is_by(&served.desk, "you, in the browser");
    let listed = served.get("/v1/audit?limit=1").is(200);
    assert_eq!(
        listed["entries"][0]["by_words"], "you, in the browser",
        "{listed}"
    );
    let late = served.yes(&prompt).is_problem(409, "answered");
    assert_eq!(
        (
            late["ended"]["by_words"].as_str(),
            late["detail"].as_str().unwrap().contains("browser 1")
        ),
        (Some("you, in the browser"), false)
    );
    // A file is let through with the same words.
    let waiting = served.hook(
        "claude",
        "Edit",
        json!({"file_path": served.desk.scene.workspace.join("a.txt"), "old_string": "one", "new_string": "two"}),
    );
    if let [prompt] = served.prompts().as_slice() {
        served.yes(prompt).is(200);
    }
    waiting.said();
}

/// finding W-04: a yes in the agent's own dialog is by you, in that dialog; a rule, the policy and an earlier answer are named as what they are.
#[test]
fn finding_w_04_a_decision_names_the_dialog_the_rule_or_the_policy() {
    let desk = Desk::with(&[("a.py", "one\n")]);
    desk.scene.user_policy("version: 1\nrules:\n  - id: builds\n    allow: {command: \"make {test,lint}\"}\n  - id: no-deploy\n    deny: {command: \"make deploy\"}\n");
    let input = json!({"file_path": desk.scene.workspace.join("a.py"), "old_string": "one", "new_string": "two"});
    assert_eq!(
        answered(&desk, "claude", &before(&desk, "Edit", input.clone()))["permissionDecision"],
        "ask"
    );
    answered(&desk, "claude", &event(&desk, "PostToolUse", "Edit", input));
    is_by(&desk, "you, in Claude Code's dialog");
    let said =
        |command: &str| hook::decided(&desk, "claude", "Bash", json!({"command": command})).1;
    assert!(
        said("make test").starts_with("sayso: allowed by the rule `builds` ("),
        "{}",
        said("make test")
    );
    is_by(&desk, "the rule `builds`");
    assert_eq!(said("cat a.py"), "sayso: allowed by the policy");
    is_by(&desk, "the policy");
    assert!(said("make deploy").contains("denied by policy"));
    is_by(&desk, "the rule `no-deploy`");
}

/// finding W-04: an answer that was kept is by you, by an earlier answer, and one that nobody gave in time is by nobody in time.
#[test]
fn finding_w_04_an_earlier_answer_and_a_timeout_are_named() {
    let served = Served::with(
        Desk::with(&[]),
        "hooks: {ask: inbox}\napproval_timeout: 3\n",
    );
    let waiting = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let offer = prompt["offers"]
        .as_array()
        .unwrap()
        .iter()
        .position(|offer| offer["scope"] == "session")
        .unwrap();
    served
        .answer(&prompt, json!({"choice": "offer", "offer": offer}))
        .is(200);
    waiting.said();
    let said = served
        .hook("claude", "Bash", json!({"command": "make all"}))
        .said();
    assert!(
        why(&said).starts_with("sayso: allowed by you, by an earlier answer"),
        "{said}"
    );
    is_by(&served.desk, "you, by an earlier answer");
    served
        .hook("claude", "Bash", json!({"command": "make other"}))
        .said();
    is_by(&served.desk, "nobody in time");
}
