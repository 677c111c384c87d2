//! What the record shows is what happened, once, and by the names and values that people know.

use serde_json::json;

use super::{audit, desk, objects, out, rows};
use crate::desk::Desk;
use crate::hook::{answered, before, event};

/// finding A-32: the caller's own name of a tool stands in prompts, results, the list of changes and the record; its kind beside it.
#[test]
fn finding_a_32_the_callers_own_name_is_used_everywhere() {
    for profile in ["sayso", "kollabor-spec", "llm-do"] {
        let desk = Desk::with(&[("a.py", "x\n")]);
        let call =
            |id: &str| json!({"type": "write_file", "id": id, "path": "a.py", "content": id});
        let shown = desk
            .run(
                &["--profile", profile, "--answers", "n"],
                &json!([call("one")]),
            )
            .out;
        assert!(
            shown.contains("write_file(a.py)") && !shown.contains("file_write("),
            "{profile}: {shown}"
        );
        let (refused, _) = desk.result(&["--profile", profile, "--answers", "n"], call("two"));
        let (ran, _) = desk.result(&["--profile", profile, "--answers", "y"], call("three"));
        for (result, outcome) in [(&refused, "denied"), (&ran, "approved")] {
            assert_eq!(result["outcome"], outcome, "{profile}: {result}");
            assert_eq!(
                (&result["tool_type"], &result["tool_kind"]),
                (&json!("write_file"), &json!("file_write")),
                "{profile}: {result}"
            );
        }
        assert_eq!(desk.changes()[0]["tool"], "write_file");
        for listed in objects(&desk, &["list", "--json"]) {
            assert_eq!(
                (&listed["tool"], &listed["what"]),
                (&json!("write_file"), &json!("write_file(a.py)"))
            );
        }
        assert!(
            desk.entries("decided")
                .iter()
                .all(|entry| entry["tool_kind"] == "file_write")
        );
    }
    // Where both are the same, it stands there once.
    let (result, _) = Desk::with(&[("a.py", "x\n")]).result(
        &["--answers", "y"],
        json!({"type": "file_append", "file": "a.py", "content": "y"}),
    );
    assert!(result.get("tool_kind").is_none(), "{result}");
}

/// finding A-32: so it is at a hook.
#[test]
fn finding_a_32_a_hook_uses_the_agents_own_name() {
    let desk = Desk::with(&[("run.sh", "old\n")]);
    let file = desk.scene.workspace.join("run.sh");
    let input = json!({"file_path": file, "old_string": "old", "new_string": "new"});
    answered(&desk, "claude", &before(&desk, "Edit", input.clone()));
    std::fs::write(&file, "new\n").unwrap();
    answered(&desk, "claude", &event(&desk, "PostToolUse", "Edit", input));
    assert_eq!(desk.changes()[0]["tool"], "Edit");
    let listed = objects(&desk, &["list", "--json"]).pop().unwrap();
    assert_eq!(
        (&listed["tool"], &listed["what"]),
        (&json!("Edit"), &json!(format!("Edit({})", file.display())))
    );
}

/// finding A-35: what is odd is spelled out once, in every view of the record.
#[test]
fn finding_a_35_nothing_is_escaped_twice() {
    let desk = Desk::with(&[]);
    let odd = "echo 'a\u{1b}[31m\u{202e}b' ‹x› ␛";
    desk.run(
        &["--answers", "n"],
        &json!([{"type": "terminal", "id": "odd", "command": odd}]),
    )
    .is(20, "denied");
    desk.run(
        &["--answers", "n"],
        &json!([{"type": "odd_tool", "id": "tool", "text": odd}]),
    )
    .is(20, "denied");
    let once = "a␛[31m‹U+202E›b' ‹U+2039›x› ‹U+241B›";
    for words in [
        &["list"][..],
        &["tail"],
        &["show", "odd"],
        &["list", "--json"],
        &["export", "--format", "html"],
        &["stats"],
    ] {
        let text = out(&desk, words).replace("&#39;", "'");
        assert!(text.contains(once), "{words:?}: {text}");
        assert!(
            words[0] == "show" || text.matches(once).count() > 1,
            "{words:?}: {text}"
        );
        assert!(
            !text.contains('\u{1b}') && !text.contains('\u{202e}'),
            "{words:?}: {text:?}"
        );
        // In the list of arguments the text itself is spelled, and there nothing was spelled before.
        assert!(!text.contains("‹U+2039›U+202E"), "{words:?}: {text}");
    }
}

/// finding A-43: calls of tools that sayso does not know are recognised by their values, without secrets, and folded.
#[test]
fn finding_a_43_values_of_unknown_tools_are_shown_redacted_and_folded() {
    let desk = Desk::with(&[]);
    let calls = json!([
        {"type": "mcp", "id": "m", "server": "shell", "tool": "run", "arguments": {"command": "rm -rf /", "password": "hunter22"}},
        {"type": "send_mail", "id": "c", "to": "me@example.com", "subject": "hi", "api_key": "sk-abcdefghijklmnopqrstuvwxyz012345", "body": "long ".repeat(400)},
        {"type": "many", "id": "n", "a": [1, {"b": true}], "b": "x".repeat(59), "c": "x".repeat(59), "d": "x".repeat(59), "e": "x".repeat(59)},
        {"type": "none", "id": "z"},
    ]);
    desk.run(&["--answers", "n,n,n"], &calls);
    let list = out(&desk, &["list"]);
    assert!(
        list.contains("shell/run: command=\"rm -rf /\", password=\"[redacted]\""),
        "{list}"
    );
    assert!(
        list.contains("api_key=\"[redacted]\", body=\"long long"),
        "{list}"
    );
    assert!(
        list.contains("a=[1,{\"b\":true}]")
            && list.contains("subject=\"hi\", to=\"me@example.com\"")
            && list.contains(", and 1 more"),
        "{list}"
    );
    for secret in ["hunter22", "sk-abcdef"] {
        let record = format!("{:?}", desk.record());
        assert!(!list.contains(secret) && !record.contains(secret), "{list}");
    }
    assert!(
        list.lines().all(|line| line.chars().count() < 400),
        "{list}"
    );
}

/// finding W-24: a filter without hits says so, and so does a call that nobody could be asked about.
#[test]
fn finding_w_24_the_list_speaks_plainly() {
    let desk = desk();
    assert_eq!(
        audit(&desk, &["list", "--agent", "other"])
            .is(0, "none")
            .out,
        "no entry matches these filters\n"
    );
    // One answer for two questions.
    let call = |id: &str| json!({"type": "file_create", "id": id, "file": format!("{id}.py"), "content": "x"});
    desk.run(&["--answers", "n"], &json!([call("first"), call("lonely")]))
        .is(20, "denied");
    let line = rows(&desk, &["list", "-n", "1"]).pop().unwrap();
    assert!(
        line.contains("✗ no one to ask") && !line.contains("nobody"),
        "{line}"
    );
    let story = out(&desk, &["show", "lonely"]);
    assert!(
        story.contains("✗ no one to ask") && !story.contains("✗ nobody"),
        "{story}"
    );
    assert!(out(&desk, &["tail"]).contains("✗ no one to ask"));
}

/// finding W-24: a grant is named once.
#[test]
fn finding_w_24_a_grant_is_named_once() {
    let desk = Desk::with(&[]);
    let make = json!({"type": "terminal", "command": "make all"});
    desk.run(&["--answers", "s"], &json!([make.clone(), make]));
    let last = desk.entries("decided").pop().unwrap();
    assert!(
        last["source"].as_str().unwrap().starts_with("grant "),
        "{last}"
    );
    let number = last["n"].to_string();
    let story = out(&desk, &["show", &number]);
    let because = story
        .lines()
        .rfind(|line| line.trim_start().starts_with("because"))
        .unwrap();
    assert!(
        because.contains(" [grant-") && !because.contains("grant grant"),
        "{because}"
    );
}

/// finding W-24: a protected path says which entry protects it.
#[test]
fn finding_w_24_a_protected_path_names_its_entry() {
    let desk = Desk::with(&[("main.py", "x\n")]);
    let shown = desk
        .run(
            &["--profile", "kollabor-spec", "--answers", "n"],
            &json!([{"type": "file_write", "file": "main.py", "content": "y"}]),
        )
        .out;
    assert!(
        shown.contains("is protected: `protected_paths` has `main.py`"),
        "{shown}"
    );
    assert!(!shown.contains("protected: protected"), "{shown}");
}
