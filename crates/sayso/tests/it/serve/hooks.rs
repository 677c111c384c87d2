//! Hooks that wait here: the call is held, and the answer goes back to the very process that asked.

use serde_json::{Value, json};

use super::Served;
use crate::desk::Desk;
use crate::hook::{SESSION, event, is_denied};

fn outcomes(desk: &Desk) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    desk.entries("decided")
        .iter()
        .map(|entry| (text(&entry["outcome"]), text(&entry["by"])))
        .collect()
}

#[test]
fn a_call_waits_until_somebody_says_yes() {
    let served = Served::new();
    let mut hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    assert!(hook.is_waiting());
    // Everything that a screen needs.
    assert_eq!(
        (&prompt["agent"], &prompt["door"], &prompt["session"]),
        (&json!("claude"), &json!("hook"), &json!(SESSION))
    );
    assert_eq!(prompt["preview"]["lines"], json!(["make all"]));
    assert_eq!(
        prompt["offers"][0],
        json!({"scope": "once", "width": "call", "words": "allow this once", "stores": "nothing", "key": null, "pattern": null, "needs_pin": false})
    );
    assert!(
        prompt["context"]["effects"][0]
            .as_str()
            .unwrap()
            .contains("runs the project's own code"),
        "{prompt}"
    );
    assert!(prompt["expires_at"].as_i64().unwrap() > prompt["opened_at"].as_i64().unwrap());
    assert_eq!(
        prompt["pattern_scopes"],
        json!(["session", "project", "always"])
    );
    served.yes(&prompt).is(200);
    let said = hook.said();
    assert_eq!(said["permissionDecision"], "allow");
    assert!(
        said["updatedInput"]["command"]
            .as_str()
            .unwrap()
            .contains(" exec "),
        "sayso runs exactly what was shown: {said}"
    );
    assert_eq!(
        outcomes(&served.desk),
        [("approved".to_owned(), "token".to_owned())]
    );
    assert!(served.prompts().is_empty());
}

#[test]
fn a_no_reaches_the_agent_with_its_note() {
    let served = Served::new();
    for agent in ["claude", "codex"] {
        let hook = served.hook(agent, "Bash", json!({"command": "make all"}));
        let prompt = served.prompt();
        served
            .answer(
                &prompt,
                json!({"choice": "deny", "note": "use \u{202e}cargo"}),
            )
            .is(200);
        let said = hook.said();
        is_denied(&said, "cargo");
        let why = said["permissionDecisionReason"].as_str().unwrap();
        assert!(
            why.contains("nothing was changed") && !why.contains('\u{202e}'),
            "{why}"
        );
    }
    assert!(
        outcomes(&served.desk)
            .iter()
            .all(|one| *one == ("denied".to_owned(), "token".to_owned()))
    );
}

#[test]
fn what_takes_two_confirmations_is_asked_twice() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "rm a.txt"}));
    let first = served.prompt();
    assert_eq!(
        (&first["round"], &first["confirm"]),
        (&json!("first"), &json!("double"))
    );
    assert_eq!(
        first["offers"].as_array().unwrap().len(),
        1,
        "once and no further"
    );
    served.yes(&first).is(200);
    let second = loop {
        let prompt = served.prompt();
        if prompt["id"] != first["id"] {
            break prompt;
        }
    };
    assert_eq!(second["round"], "second");
    // The answer to the first is none to the second.
    served.yes(&first).is_problem(409, "answered");
    served.yes(&second).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(served.desk.entries("decided")[0]["confirmations"], 2);
}

#[test]
fn a_wider_answer_is_kept_by_the_hook_and_counts_for_the_next_call() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let offer = Served::offer(&prompt, "allow `make all` in this project");
    served
        .answer(&prompt, json!({"choice": "offer", "offer": offer}))
        .is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "make all"}))
            .said()["permissionDecision"],
        "allow",
        "nobody is asked again"
    );
    let rules = served.get("/v1/rules").is(200)["rules"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(rules.len(), 1);
    served
        .delete(&format!("/v1/rules/{}", rules[0]["id"].as_str().unwrap()))
        .is(200);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    is_denied(&hook.said(), "");
}

#[test]
fn a_pattern_of_ones_own_has_to_fit() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    let pattern = |text: &str, scope: &str| {
        served.answer(
            &prompt,
            json!({"choice": "pattern", "pattern": text, "scope": scope}),
        )
    };
    pattern("*", "always").is_problem(422, "bad-pattern");
    pattern("cargo *", "session").is_problem(422, "bad-pattern");
    pattern("make all *", "once").is_problem(422, "not-offered");
    pattern("make all *", "session").is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "make all x=1"}))
            .said()["permissionDecision"],
        "allow"
    );
    // What a session was granted goes with a word of the person.
    let granted = served
        .get(&format!("/session/{SESSION}/permissions"))
        .is(200);
    assert_eq!(
        granted["permissions"].as_array().unwrap().len(),
        1,
        "{granted}"
    );
    served
        .delete(&format!("/session/{SESSION}/permissions"))
        .is(200);
    assert_eq!(served.get("/v1/grants").is(200)["grants"], json!([]));
}

#[test]
fn a_file_that_changes_while_it_is_asked_about_is_asked_about_again() {
    let served = Served::new();
    let path = served.desk.scene.workspace.join("a.py");
    std::fs::write(&path, "one\n").unwrap();
    let hook = served.hook(
        "claude",
        "Edit",
        json!({"file_path": path, "old_string": "one", "new_string": "two"}),
    );
    let first = served.prompt();
    assert_eq!(first["preview"]["type"], "diff");
    let line = &first["preview"]["hunks"][0]["lines"][0];
    assert_eq!(
        (&line["change"], &line["old"], &line["new"]),
        (&json!("removed"), &json!(1), &Value::Null)
    );
    std::fs::write(&path, "one\nrm -rf /\n").unwrap();
    served.yes(&first).is(200);
    let second = loop {
        let prompt = served.prompt();
        if prompt["id"] != first["id"] {
            break prompt;
        }
    };
    assert!(
        second["preview"].to_string().contains("rm -rf /"),
        "{second}"
    );
    served.yes(&second).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
}

#[test]
fn what_a_model_wrote_hides_nothing() {
    let served = Served::new();
    let command = "make $'\\u202e' '\u{202e}\u{200b}\u{1b}[2J<script>alert(1)</script>'";
    let hook = served.hook("claude", "Bash", json!({"command": command}));
    let prompt = served.prompt();
    let mut shown = prompt.clone();
    for key in ["arguments", "session", "call_id"] {
        shown.as_object_mut().unwrap().remove(key);
    }
    let text = shown.to_string();
    assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{1b}']), "{text}");
    assert!(
        text.contains("‹U+202E›") && text.contains("<script>"),
        "{text}"
    );
    served.answer(&prompt, json!({"choice": "deny"})).is(200);
    hook.said();
}

#[test]
fn an_inbox_that_is_not_open_or_breaks_denies_and_says_what_to_do() {
    let mut served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    served.prompt();
    served.kill();
    let said = hook.said();
    is_denied(&said, "sayso serve");
    for agent in ["claude", "codex"] {
        let hook = served.hook(agent, "Bash", json!({"command": "make all"}));
        is_denied(&hook.said(), "hooks.ask: host");
    }
    // What needs no question runs as ever.
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "cat a.txt"}))
            .said()["permissionDecision"],
        "allow"
    );
}

#[test]
fn a_hook_that_goes_away_takes_its_question_back() {
    let served = Served::new();
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let prompt = served.prompt();
    hook.kill();
    let path = format!("/v1/prompts/{}", prompt["id"].as_str().unwrap());
    while served.get(&path).status == 200 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(
        served.yes(&prompt).is_problem(410, "ended")["ended"]["answer"],
        "cancelled"
    );
}

#[test]
fn nobody_answers_in_time() {
    let served = Served::with(
        Desk::with(&[]),
        "hooks: {ask: inbox}\napproval_timeout: 1\n",
    );
    let mut listener = served.listen("/v1/events", None);
    listener.until("hello");
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    // The prompt may be over before a request could list it.
    let prompt = listener.until("requested").1["prompt"].clone();
    is_denied(&hook.said(), "");
    assert_eq!(outcomes(&served.desk)[0].0, "timed_out");
    assert_eq!(
        served.yes(&prompt).is_problem(410, "ended")["ended"]["answer"],
        "timeout"
    );
}

#[test]
fn with_auto_the_inbox_asks_while_somebody_watches() {
    let served = Served::with(Desk::with(&[]), "");
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "make all"}))
            .said()["permissionDecision"],
        "ask"
    );
    let mut listener = served.listen("/v1/events", None);
    listener.until("hello");
    served
        .post("/v1/here", json!({"screen": "a", "here": true}))
        .is(204);
    let hook = served.hook("claude", "Bash", json!({"command": "make all"}));
    let (_, told) = listener.until("requested");
    assert_eq!(told["prompt"]["message"], served.prompt()["message"]);
    served.yes(&served.prompt()).is(200);
    assert_eq!(hook.said()["permissionDecision"], "allow");
    drop(listener);
    while served.get("/v1/me").is(200)["watching"] != 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(
        served
            .hook("claude", "Bash", json!({"command": "make all"}))
            .said()["permissionDecision"],
        "ask"
    );
}

#[test]
fn codex_is_not_asked_a_second_time() {
    let served = Served::new();
    let file = served.desk.scene.workspace.join("new.py");
    let patch = format!(
        "*** Begin Patch\n*** Add File: {}\n+print(1)\n*** End Patch",
        file.display()
    );
    let input = json!({"command": patch});
    let hook = served.hook("codex", "apply_patch", input.clone());
    served.yes(&served.prompt()).is(200);
    assert_eq!(hook.said()["code"], 0, "it runs");
    let mut payload = event(&served.desk, "PermissionRequest", "apply_patch", input);
    payload.as_object_mut().unwrap().remove("tool_use_id");
    let said = served.hook_with("codex", &payload, &[]).said();
    assert_eq!(said["decision"]["behavior"], "allow", "{said}");
    // That was once.
    let hook = served.hook_with("codex", &payload, &["--wait", "60"]);
    served
        .answer(&served.prompt(), json!({"choice": "deny"}))
        .is(200);
    assert_eq!(hook.said()["decision"]["behavior"], "deny");
}

#[test]
fn a_hook_opens_the_inbox_where_the_person_wants_that() {
    let desk = Desk::with(&[]);
    desk.scene
        .user_policy("version: 1\nhooks: {ask: inbox, start: true}\napproval_timeout: 1\n");
    let payload = crate::hook::before(&desk, "Bash", json!({"command": "make all"}));
    let done = crate::hook::raw(&desk, "claude", payload.to_string().as_bytes());
    is_denied(&crate::desk::read(&done)["hookSpecificOutput"], "");
    assert_eq!(outcomes(&desk)[0].0, "timed_out", "it waited there");
    let status = crate::program::run(desk.program().args(["serve", "--status", "--json"]), b"")
        .is(0, "one is open");
    assert_eq!(crate::desk::read(&status)["open"], true);
    crate::program::run(desk.program().args(["serve", "--stop"]), b"").is(0, "it stops");
    crate::program::run(desk.program().args(["serve", "--status"]), b"").is(1, "none is open");
    // A project's file does not start anything.
    desk.scene.user_policy("version: 1\nhooks: {ask: inbox}\n");
    desk.scene
        .file(".sayso/policy.yaml", "version: 1\nhooks: {start: true}\n");
    let done = crate::hook::raw(&desk, "claude", payload.to_string().as_bytes());
    is_denied(&crate::desk::read(&done)["hookSpecificOutput"], "not open");
}
