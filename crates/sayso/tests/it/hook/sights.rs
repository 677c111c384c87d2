//! What a person sees of a question at an agent's own screen: where to answer, why, and what would run.

use serde_json::{Value, json};

use super::{answered, before, decided, event, program, raw};
use crate::desk::{Desk, read};
use crate::program::run;

/// finding W-06: where one dialog is not enough, the denial says where to answer and that the call can be tried again. No agent is told to let
/// the person run it by hand.
#[test]
fn finding_w_06_two_confirmations_say_where_to_answer_and_to_try_again() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let says = |agent: &str, command: &str| {
        let (decision, why) = decided(&desk, agent, "Bash", json!({"command": command}));
        assert_eq!(decision, "deny");
        for words in ["`sayso serve`", "`sayso watch`", "Try the same call again"] {
            assert!(why.contains(words), "{agent} {command} {words}: {why}");
        }
        assert!(!why.contains("by hand"), "{why}");
        why
    };
    assert!(
        says("claude", "rm a.txt")
            .contains("it takes two confirmations, and Claude Code's dialog has one")
    );
    assert!(says("codex", "make all").contains("Codex cannot be told to ask"));
    // Nobody sits in front of it.
    let payload = before(&desk, "Bash", json!({"command": "make all"})).to_string();
    let done = run(
        program(&desk, "claude").env("CLAUDE_CODE_SESSION_ATTENDED", "0"),
        payload.as_bytes(),
    );
    let why = read(&done)["hookSpecificOutput"]["permissionDecisionReason"].to_string();
    assert!(
        why.contains("nobody sits in front")
            && why.contains("`sayso watch`")
            && why.contains("Try the same call again"),
        "{why}"
    );
    // Where the person said that sayso never asks, that is what has to change.
    desk.scene.user_policy("version: 1\nhooks: {ask: host}\n");
    let (_, why) = decided(&desk, "claude", "Bash", json!({"command": "rm a.txt"}));
    assert!(
        why.contains("`hooks.ask: auto`") && why.contains("Try the same call again"),
        "{why}"
    );
}

/// finding W-06: the agent's own question about such a call is answered with the same words.
#[test]
fn finding_w_06_a_question_of_the_agent_is_answered_with_the_place() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let mut payload = event(
        &desk,
        "PermissionRequest",
        "Bash",
        json!({"command": "rm a.txt"}),
    );
    payload.as_object_mut().unwrap().remove("tool_use_id");
    let said = answered(&desk, "claude", &payload);
    let why = said["decision"]["message"].as_str().unwrap();
    assert!(
        why.contains("Claude Code's dialog has one")
            && why.contains("`sayso watch`")
            && why.contains("Try the same call again"),
        "{why}"
    );
}

/// finding W-08: every question that Claude Code asks carries its reason: in the dialog, and as a message for the dialogs that show none
/// (Edit, Write, Read).
#[test]
fn finding_w_08_every_dialog_has_its_reason() {
    let desk = Desk::with(&[("a.py", "one\n"), (".env", "KEY=1\n")]);
    let path = |name: &str| desk.scene.workspace.join(name);
    for (tool, input) in [
        (
            "Edit",
            json!({"file_path": path("a.py"), "old_string": "one", "new_string": "two"}),
        ),
        ("Write", json!({"file_path": path("b.py"), "content": "1"})),
        ("Read", json!({"file_path": path(".env")})),
        (
            "Read",
            json!({"file_path": desk.scene.home.join("other.txt")}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": path("a.ipynb"), "new_source": "1"}),
        ),
        (
            "WebFetch",
            json!({"url": "https://example.com/", "prompt": "x"}),
        ),
        ("mcp__server__tool", json!({})),
    ] {
        let done = raw(
            &desk,
            "claude",
            before(&desk, tool, input).to_string().as_bytes(),
        )
        .is(0, tool);
        let said: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(
            said["hookSpecificOutput"]["permissionDecision"], "ask",
            "{tool}: {said}"
        );
        let why = said["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap();
        assert!(
            why.starts_with("sayso: ") && why.len() > 20,
            "{tool}: {why}"
        );
        assert_eq!(said["systemMessage"].as_str(), Some(why), "{tool}: {said}");
    }
}

/// finding W-09: in the agent's dialog the command comes first, as it was written, and how bad it is, is one word.
#[test]
fn finding_w_09_the_command_is_read_first_and_the_risk_is_one_word() {
    let desk = Desk::with(&[("package.json", "{}\n")]);
    let said = answered(
        &desk,
        "claude",
        &before(&desk, "Bash", json!({"command": "npm install left-pad"})),
    );
    assert_eq!(said["permissionDecision"], "ask");
    let shown = said["updatedInput"]["command"].as_str().unwrap();
    assert_eq!(
        shown.lines().next(),
        Some("# npm install left-pad"),
        "{shown}"
    );
    assert!(
        shown.lines().count() == 2 && shown.lines().nth(1).unwrap().contains(" exec "),
        "{shown}"
    );
    let why = said["permissionDecisionReason"].as_str().unwrap();
    assert!(
        why.matches("risk").count() <= 1 && !why.contains("unknown"),
        "{why}"
    );
    // Several lines are several comments, and what runs stands alone on the last one.
    let said = answered(
        &desk,
        "claude",
        &before(
            &desk,
            "Bash",
            json!({"command": "npm install left-pad\n# look here\nnpm test"}),
        ),
    );
    let shown = said["updatedInput"]["command"].as_str().unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[..3],
        ["# npm install left-pad", "# # look here", "# npm test"],
        "{shown}"
    );
    assert!(lines.len() == 4 && !lines[3].starts_with('#'), "{shown}");
}
