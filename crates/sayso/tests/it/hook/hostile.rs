//! Payloads that no agent sends: each is a denial in the agent's own form, and never a crash.

use serde_json::json;

use super::{answered, before, decided, event, is_denied, is_refused, raw};
use crate::desk::Desk;
use crate::program::noise;

#[test]
fn what_is_not_one_sound_document_is_denied() {
    let desk = Desk::with(&[]);
    let sound = before(&desk, "Bash", json!({"command": "true"})).to_string();
    let twice = sound.replacen(
        "\"tool_name\":\"Bash\"",
        "\"tool_name\":\"Bash\",\"tool_name\":\"TodoWrite\"",
        1,
    );
    let inside = sound.replacen(
        "\"command\":\"true\"",
        "\"command\":\"true\",\"command\":\"make\"",
        1,
    );
    assert!(twice != sound && inside != sound);
    let deep = sound.replacen(
        "\"true\"",
        &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        1,
    );
    let huge = sound.replacen("\"true\"", &format!("\"{}\"", "x".repeat(17 << 20)), 1);
    let mut invalid = sound.clone().into_bytes();
    invalid.extend_from_slice(b"\xff");
    let payloads: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\n".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        [b"\xef\xbb\xbf", sound.as_bytes()].concat(),
        format!("{sound}{sound}").into_bytes(),
        format!("{sound}\nx").into_bytes(),
        sound.as_bytes()[..sound.len() - 1].to_vec(),
        twice.into_bytes(),
        inside.into_bytes(),
        deep.into_bytes(),
        huge.into_bytes(),
        invalid,
        noise(4096, 7),
    ];
    for agent in ["claude", "codex"] {
        for payload in &payloads {
            is_refused(&raw(&desk, agent, payload), "");
        }
    }
    assert!(!desk.scene.state().join("journal").exists() || desk.entries("decided").is_empty());
}

#[test]
fn wrong_types_are_denied_in_the_form_of_the_event() {
    let desk = Desk::with(&[]);
    let sound = before(&desk, "Bash", json!({"command": "true"}));
    let wrong = [
        ("tool_name", json!(1)),
        ("tool_name", json!(null)),
        ("tool_input", json!("true")),
        ("tool_input", json!([])),
        ("tool_input", json!({"command": ["true"]})),
        ("tool_input", json!({"command": ""})),
        ("tool_input", json!({})),
        ("session_id", json!({})),
        ("cwd", json!("relative")),
        ("cwd", json!(7)),
        ("tool_use_id", json!(7)),
        ("agent_type", json!([])),
    ];
    for agent in ["claude", "codex"] {
        for (key, value) in &wrong {
            let mut payload = sound.clone();
            payload[key] = value.clone();
            is_denied(&answered(&desk, agent, &payload), "");
        }
        for key in ["tool_name", "tool_input", "session_id", "cwd"] {
            let mut payload = sound.clone();
            payload.as_object_mut().unwrap().remove(key);
            is_denied(&answered(&desk, agent, &payload), key);
        }
    }
}

#[test]
fn an_unknown_event_is_denied_and_a_known_one_without_a_call_is_not() {
    let desk = Desk::with(&[]);
    for agent in ["claude", "codex"] {
        for name in [
            json!("PreToolUSE"),
            json!("Anything"),
            json!(""),
            json!(3),
            json!(null),
        ] {
            let mut payload = before(&desk, "Bash", json!({"command": "true"}));
            payload["hook_event_name"] = name;
            is_refused(&raw(&desk, agent, payload.to_string().as_bytes()), "");
        }
        for name in [
            "Notification",
            "Stop",
            "UserPromptSubmit",
            "SubagentStop",
            "PreCompact",
        ] {
            let done = raw(
                &desk,
                agent,
                json!({"hook_event_name": name}).to_string().as_bytes(),
            );
            assert_eq!(
                (done.code, done.out.as_str(), done.err.as_str()),
                (0, "", ""),
                "{name}"
            );
        }
    }
}

#[test]
fn hidden_characters_never_reach_a_reason() {
    let desk = Desk::with(&[]);
    let payload = before(
        &desk,
        "x\u{202e}y",
        json!({"command": "\u{1b}[2Jrm -rf /\u{200b}"}),
    );
    let done = raw(&desk, "claude", payload.to_string().as_bytes());
    assert!(
        !done.out.contains(['\u{1b}', '\u{202e}', '\u{200b}']) && !done.out.contains("\\u001b"),
        "{}",
        done.out
    );
}

/// A line of `a.txt` to some versions of Codex, and another file to others.
const HIDDEN: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n *** Delete File: ../b.txt\n*** End Patch";

#[test]
fn a_patch_that_cannot_be_read_is_denied() {
    let desk = Desk::with(&[]);
    for patch in [
        "",
        "*** Begin Patch\n*** Frob: x\n*** End Patch",
        "*** Begin Patch\n*** Add File: a\n+x",
        HIDDEN,
    ] {
        is_denied(
            &answered(
                &desk,
                "codex",
                &before(&desk, "apply_patch", json!({"command": patch})),
            ),
            "patch",
        );
    }
}

#[test]
fn an_agent_that_is_not_known_is_denied_as_well() {
    let desk = Desk::with(&[]);
    for words in [&["hook"][..], &["hook", "emacs"], &["hook", "claude", "x"]] {
        let done = crate::program::run(desk.program().args(words), b"{}");
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{words:?}");
        assert!(!done.err.trim().is_empty());
    }
}

#[test]
fn h_26_an_argument_that_the_agent_does_not_have_changes_nothing() {
    let desk = Desk::with(&[("a.txt", "one\n"), ("sub/b.txt", "two\n")]);
    let (outside, inside) = (
        desk.scene.home.join("c.txt"),
        desk.scene.workspace.join("a.txt"),
    );
    std::fs::write(&outside, "three\n").unwrap();
    // Read from `sub`, these are files of the workspace; the agents read them from the workspace.
    for key in ["cwd", "workdir", "working_directory", "directory"] {
        for agent in ["claude", "codex"] {
            let (decision, why) = decided(
                &desk,
                agent,
                "Bash",
                json!({"command": "cat ../c.txt", key: desk.scene.workspace.join("sub")}),
            );
            assert!(
                ["ask", "deny"].contains(&decision.as_str()),
                "{agent} {key}: {decision} {why}"
            );
        }
    }
    for (tool, input) in [
        ("Bash", json!({"command": "cat a.txt", "env": {"X": "y"}})),
        ("Bash", json!({"command": "cat a.txt", "cmd": "make"})),
        (
            "NotebookRead",
            json!({"notebook_path": outside, "path": inside}),
        ),
        (
            "NotebookRead",
            json!({"path": inside, "notebook_path": outside}),
        ),
        ("Grep", json!({"pattern": "x", "dir_path": "sub"})),
        ("Read", json!({"filename": inside})),
        ("Glob", json!({"pattern": "~/x/*"})),
        ("Glob", json!({"pattern": "{a,~/x}/*"})),
    ] {
        assert_ne!(
            decided(&desk, "claude", tool, input.clone()).0,
            "allow",
            "{tool} {input}"
        );
    }
    assert_eq!(
        decided(
            &desk,
            "claude",
            "Bash",
            json!({"command": "cat a.txt", "timeout": 5000, "description": "x"})
        )
        .0,
        "allow"
    );
}

#[test]
fn h_49_a_tool_of_a_server_is_none_of_the_agents_own_whatever_it_is_called() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    for (tool, input) in [
        ("Read", json!({"file_path": "a.txt"})),
        ("TodoWrite", json!({})),
        ("Bash", json!({"command": "cat a.txt"})),
    ] {
        let mut payload = before(&desk, tool, input);
        assert_ne!(
            answered(&desk, "claude", &payload)["permissionDecision"],
            "ask",
            "{tool}"
        );
        payload["mcp_server"] = json!({"name": "other"});
        assert_eq!(
            answered(&desk, "claude", &payload)["permissionDecision"],
            "ask",
            "{tool}"
        );
    }
}

#[test]
fn a_connection_that_a_command_wants_is_not_answered_by_the_command() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    let asked = |input| {
        answered(
            &desk,
            "codex",
            &event(&desk, "PermissionRequest", "Bash", input),
        )
    };
    assert_eq!(
        asked(json!({"command": "cat a.txt"}))["decision"]["behavior"],
        "allow"
    );
    assert!(
        asked(json!({"command": "cat a.txt", "description": "network-access https://example.com"}))
            .is_null()
    );
}
