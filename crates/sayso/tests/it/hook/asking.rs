//! What is allowed, denied and asked, and who asks.

use serde_json::{Value, json};

use super::{SESSION, answered, before, command, decided, event, is_denied, program, raw};
use crate::desk::{Desk, read};
use crate::program::run;

#[test]
fn claude_is_told_what_runs_and_what_does_not() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    assert_eq!(command(&desk, "cat a.txt"), "allow");
    assert_eq!(command(&desk, "make all"), "ask");
    let (decision, why) = decided(&desk, "claude", "Bash", json!({"command": "rm -rf /"}));
    assert_eq!(decision, "deny");
    assert!(why.contains("nothing was changed"), "{why}");
    let entries = desk.record();
    let outcomes: Vec<&Value> = entries
        .iter()
        .filter(|entry| entry["kind"] == "decided")
        .map(|entry| &entry["outcome"])
        .collect();
    assert_eq!(outcomes, ["auto_approved", "blocked"]);
    assert!(entries.iter().all(|entry| entry["session"] == SESSION
        && entry["agent"] == "claude"
        && entry["call"] == "toolu_01"));
}

#[test]
fn codex_hears_nothing_about_what_runs_and_no_word_that_it_does_not_know() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    assert_eq!(
        answered(
            &desk,
            "codex",
            &before(&desk, "Bash", json!({"command": "cat a.txt"}))
        ),
        Value::Null
    );
    for (line, words) in [
        ("make all", "Codex cannot be told to ask"),
        ("rm -rf /", "nothing was changed"),
    ] {
        let said = answered(
            &desk,
            "codex",
            &before(&desk, "Bash", json!({"command": line})),
        );
        is_denied(&said, words);
        assert_eq!(said.as_object().unwrap().len(), 3, "{said}");
    }
}

#[test]
fn a_dialog_asks_where_somebody_sits_in_front_of_it_and_one_yes_is_enough() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let (decision, why) = decided(&desk, "claude", "Bash", json!({"command": "make all"}));
    assert_eq!(decision, "ask");
    assert!(
        why.contains("Claude wants to run the project's own code"),
        "{why}"
    );
    // A delete takes two confirmations.
    let (decision, why) = decided(&desk, "claude", "Bash", json!({"command": "rm a.txt"}));
    assert_eq!(
        (decision.as_str(), why.contains("two confirmations")),
        ("deny", true),
        "{why}"
    );
    // Nobody sits there.
    let payload = before(&desk, "Bash", json!({"command": "make all"})).to_string();
    let done = run(
        program(&desk, "claude").env("CLAUDE_CODE_SESSION_ATTENDED", "0"),
        payload.as_bytes(),
    );
    is_denied(&read(&done)["hookSpecificOutput"], "nobody sits in front");
}

#[test]
fn a_run_that_nobody_watches_is_ended_at_a_question_where_the_person_wants_that() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let asks = |attended: &str, line: &str| {
        let payload = before(&desk, "Bash", json!({"command": line})).to_string();
        let done = run(
            program(&desk, "claude").env("CLAUDE_CODE_SESSION_ATTENDED", attended),
            payload.as_bytes(),
        );
        let said = read(&done)["hookSpecificOutput"].clone();
        (
            said["permissionDecision"].as_str().unwrap().to_owned(),
            said["permissionDecisionReason"]
                .as_str()
                .unwrap()
                .to_owned(),
        )
    };
    assert_eq!(asks("0", "make all").0, "deny", "not unless they want it");
    desk.scene.user_policy("version: 1\nhooks: {defer: true}\n");
    let (decision, why) = asks("0", "make all");
    assert_eq!(
        (
            decision.as_str(),
            why.contains("make all") && why.contains("--resume")
        ),
        ("defer", true),
        "{why}"
    );
    assert_eq!(asks("1", "make all").0, "ask");
    assert_eq!(asks("0", "rm a.txt").0, "deny", "two confirmations");
    assert_eq!(asks("0", "cat a.txt").0, "allow");
    is_denied(
        &answered(
            &desk,
            "codex",
            &before(&desk, "Bash", json!({"command": "make all"})),
        ),
        "",
    );
    // The person has answered by a rule, and the same call comes again.
    desk.scene.user_policy(
        "version: 1\nhooks: {defer: true}\nrules:\n  - allow: {command: \"make *\"}\n",
    );
    assert_eq!(asks("0", "make all").0, "allow");
    desk.scene
        .user_policy("version: 1\nhooks: {defer: true}\nrules:\n  - deny: {command: \"make *\"}\n");
    assert_eq!(asks("0", "make all").0, "deny");
}

#[test]
fn an_inbox_that_is_not_there_denies_and_says_what_to_do() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy("version: 1\nhooks: {ask: inbox}\n");
    let (decision, why) = decided(&desk, "claude", "Bash", json!({"command": "make all"}));
    assert_eq!(
        (decision.as_str(), why.contains("hooks.ask: host")),
        ("deny", true),
        "{why}"
    );
}

#[test]
fn the_agents_own_question_is_answered_where_that_relaxes_nothing() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let asks = |agent: &str, line: &str| {
        let mut payload = event(
            &desk,
            "PermissionRequest",
            "Bash",
            json!({"command": line, "description": "why"}),
        );
        payload.as_object_mut().unwrap().remove("tool_use_id");
        answered(&desk, agent, &payload)["decision"].clone()
    };
    assert_eq!(
        asks("claude", "cat a.txt"),
        Value::Null,
        "the person wanted to be asked"
    );
    assert_eq!(asks("claude", "make"), Value::Null);
    assert_eq!(asks("claude", "rm -rf /")["behavior"], "deny");
    assert_eq!(asks("codex", "cat a.txt"), json!({"behavior": "allow"}));
    assert_eq!(asks("codex", "make"), Value::Null);
    let denied = asks("codex", "rm -rf /");
    assert_eq!(
        (&denied["behavior"], denied.as_object().unwrap().len()),
        (&json!("deny"), 2)
    );
    assert_eq!(
        asks("codex", "rm a.txt")["behavior"],
        "deny",
        "two confirmations"
    );
}

#[test]
fn no_agent_approves_itself() {
    let desk = Desk::with(&[]);
    for line in [
        "sayso rules add --allow 'command: *'",
        "sayso policy trust",
        "sayso exec 00000000000000000000000000000000",
        "sayso grants revoke x",
        "echo '{}' | sayso hook claude",
    ] {
        assert_eq!(command(&desk, line), "deny", "{line}");
    }
    for path in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".codex/hooks.json",
    ] {
        let path = desk.scene.workspace.join(path);
        let (decision, _) = decided(
            &desk,
            "claude",
            "Write",
            json!({"file_path": path, "content": "{}"}),
        );
        assert_ne!(decision, "allow", "{}", path.display());
    }
    let own = desk.scene.config().join("policy.yaml");
    assert_eq!(
        decided(
            &desk,
            "claude",
            "Write",
            json!({"file_path": own, "content": "x"})
        )
        .0,
        "deny"
    );
}

#[test]
fn variables_of_the_agent_change_nothing() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let payload = before(&desk, "Bash", json!({"command": "cat a.txt"})).to_string();
    let mut program = program(&desk, "claude");
    program
        .env("SAYSO_MODE", "confirm-all")
        .env("SAYSO_PROFILE", "nonsense");
    assert_eq!(
        read(&run(&mut program, payload.as_bytes()))["hookSpecificOutput"]["permissionDecision"],
        "allow"
    );
}

#[test]
fn a_sub_agent_has_no_more_rights_than_its_parent() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy(
        "version: 1\nagents:\n  claude: {rules: [{deny: {command: \"make *\"}}]}\n  builder: {rules: [{allow: {command: \"make *\"}}]}\n",
    );
    let mut payload = before(&desk, "Bash", json!({"command": "make all"}));
    payload["agent_id"] = json!("a1");
    payload["agent_type"] = json!("builder");
    is_denied(&answered(&desk, "claude", &payload), "");
    assert_eq!(desk.entries("decided")[0]["agent"], "builder < claude");
}

#[test]
fn tools_are_known_by_their_exact_names_and_what_is_unknown_is_never_safe() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let file = desk.scene.workspace.join("a.txt");
    assert_eq!(
        decided(&desk, "claude", "Read", json!({"file_path": file})).0,
        "allow"
    );
    // The agent's own list: sayso has nothing to say.
    assert_eq!(
        answered(
            &desk,
            "claude",
            &before(&desk, "TodoWrite", json!({"todos": []}))
        ),
        Value::Null
    );
    assert_eq!(
        answered(
            &desk,
            "codex",
            &before(&desk, "update_plan", json!({"plan": []}))
        ),
        Value::Null
    );
    for tool in [
        "read_file",
        "terminal",
        "Frobnicate",
        "TodoWrite ",
        "bash",
        "mcp__a__b__c",
        "CronCreate",
    ] {
        assert_eq!(
            decided(
                &desk,
                "claude",
                tool,
                json!({"path": "a.txt", "command": "ls"})
            )
            .0,
            "ask",
            "{tool}"
        );
    }
    // A parameter that switches a sandbox off does not help.
    let input = json!({"command": "cat a.txt", "dangerouslyDisableSandbox": true});
    assert_eq!(decided(&desk, "claude", "Bash", input).0, "ask");
    assert_eq!(
        decided(
            &desk,
            "claude",
            "Agent",
            json!({"description": "d", "prompt": "p", "subagent_type": "x", "model": "m"})
        )
        .0,
        "ask"
    );
}

#[test]
fn a_rule_for_an_mcp_tool_counts_where_its_server_is_certain() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(
        "version: 1\nrules:\n  - allow: {mcp: \"git.hub/get_*\"}\n  - allow: {mcp: \"a/*\"}\n",
    );
    let mut payload = before(&desk, "mcp__git_hub__get_issue", json!({"id": 1}));
    payload["mcp_server"] = json!({"name": "git.hub", "source": "user"});
    assert_eq!(
        answered(&desk, "claude", &payload)["permissionDecision"],
        "allow"
    );
    payload["mcp_server"] = json!({"name": "other", "source": "user"});
    assert_eq!(
        answered(&desk, "claude", &payload)["permissionDecision"],
        "ask"
    );
    assert_eq!(decided(&desk, "claude", "mcp__a__b", json!({})).0, "allow");
    assert_eq!(decided(&desk, "claude", "mcp__a__b__c", json!({})).0, "ask");
    assert_eq!(
        answered(&desk, "codex", &before(&desk, "mcp__a__b", json!({}))),
        Value::Null
    );
    is_denied(
        &answered(&desk, "codex", &before(&desk, "mcp__a__b__c", json!({}))),
        "",
    );
}

#[test]
fn a_folder_that_the_model_chose_is_no_workspace() {
    let desk = Desk::with(&[("sub/a.txt", "one\n")]);
    for agent in ["claude", "codex"] {
        let asks = |folder: &str, line: &str| {
            let mut payload = before(&desk, "Bash", json!({"command": line}));
            payload["cwd"] = json!(folder);
            let said = answered(&desk, agent, &payload);
            said["permissionDecision"]
                .as_str()
                .unwrap_or("allow")
                .to_owned()
        };
        assert_eq!(
            asks(
                desk.scene.workspace.join("sub").to_str().unwrap(),
                "cat a.txt"
            ),
            "allow"
        );
        for (folder, line) in [
            ("/var/log", "cat syslog"),
            (desk.scene.home.to_str().unwrap(), "cat notes.md"),
        ] {
            assert_ne!(asks(folder, line), "allow", "{agent}: {line} in {folder}");
        }
    }
}

#[test]
fn without_a_workspace_nothing_runs() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let mut payload = before(&desk, "Bash", json!({"command": "cat a.txt"}));
    let done = run(
        program(&desk, "claude").env_remove("CLAUDE_PROJECT_DIR"),
        payload.to_string().as_bytes(),
    );
    is_denied(&read(&done)["hookSpecificOutput"], "CLAUDE_PROJECT_DIR");
    // A record of another session says nothing of this one.
    payload["session_id"] = json!("another");
    is_denied(&answered(&desk, "codex", &payload), "SessionStart");
    // Once the start was seen, the record is not needed, and no folder of a call counts.
    let start = json!({"hook_event_name": "SessionStart", "session_id": "another", "cwd": desk.scene.folder(), "source": "startup"});
    assert_eq!(raw(&desk, "codex", start.to_string().as_bytes()).code, 0);
    assert!(answered(&desk, "codex", &payload).is_null());
}

#[test]
fn finding_d_11_a_mode_that_may_answer_for_the_person_is_never_left_a_question() {
    let desk = Desk::with(&[("a.txt", "one\n"), (".envrc", "x\n")]);
    let said = |mode: Value, tool: &str, input: Value, moment: &str| {
        let mut payload = event(&desk, moment, tool, input);
        payload["permission_mode"] = mode;
        answered(&desk, "claude", &payload)
    };
    let calls = || {
        [
            ("Bash", json!({"command": "make all"})),
            (
                "Write",
                json!({"file_path": desk.scene.workspace.join(".envrc"), "content": "y\n"}),
            ),
            (
                "Edit",
                json!({"file_path": desk.scene.workspace.join(".envrc"), "old_string": "x", "new_string": "y"}),
            ),
        ]
    };
    for mode in ["auto", "dontAsk", "autopilot", ""] {
        for (tool, input) in calls() {
            is_denied(
                &said(json!(mode), tool, input, "PreToolUse"),
                "in which it may not ask you",
            );
        }
        let asked = said(
            json!(mode),
            "Bash",
            json!({"command": "make all"}),
            "PermissionRequest",
        );
        assert_eq!(asked["decision"]["behavior"], "deny", "{mode}: {asked}");
        assert_eq!(
            said(
                json!(mode),
                "Bash",
                json!({"command": "cat a.txt"}),
                "PreToolUse"
            )["permissionDecision"],
            "allow"
        );
    }
    is_denied(
        &said(
            json!(7),
            "Bash",
            json!({"command": "make all"}),
            "PreToolUse",
        ),
        "does not say in which mode",
    );
    for mode in ["default", "acceptEdits", "plan", "bypassPermissions"] {
        for (tool, input) in calls() {
            assert_eq!(
                said(json!(mode), tool, input, "PreToolUse")["permissionDecision"],
                "ask",
                "{mode} {tool}"
            );
        }
        assert_eq!(
            said(
                json!(mode),
                "Bash",
                json!({"command": "make all"}),
                "PermissionRequest"
            ),
            Value::Null,
            "{mode}"
        );
    }
}
