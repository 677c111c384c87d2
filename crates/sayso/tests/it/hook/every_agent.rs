//! Payloads that no agent sends, and what none of them may be answered, for every agent that there is a hook for.

use sayso_agents::Which;
use serde_json::{Value, json};

use super::raw;
use crate::desk::Desk;
use crate::program::{Outcome, noise};

/// A call of each agent that runs a command, in the form that the agent has for it.
pub(super) fn call(desk: &Desk, which: Which, command: &str) -> Value {
    let (folder, session) = (desk.scene.folder(), super::SESSION);
    let id = if which == Which::QWEN {
        "tool_call_id"
    } else {
        "tool_use_id"
    };
    let usual = |event: &str, tool: &str| {
        json!({"session_id": session, "cwd": folder, "transcript_path": super::transcript(desk, session), "hook_event_name": event,
            "tool_name": tool, "tool_input": {"command": command}, id: "t1"})
    };
    let ours = |tool: &str, arguments: Value| json!({"event": "before", "session": session, "folder": folder, "tool": tool, "id": "t1", "arguments": arguments});
    match which {
        Which::CLAUDE | Which::CODEX => usual("PreToolUse", "Bash"),
        Which::GEMINI => usual("BeforeTool", "run_shell_command"),
        Which::QWEN => usual("PreToolUse", "run_shell_command"),
        Which::COPILOT => {
            json!({"sessionId": session, "cwd": folder, "timestamp": 1, "toolName": "bash", "toolArgs": {"command": command}})
        }
        Which::OPENCODE => ours("bash", json!({"command": command})),
        Which::CLINE => ours("run_commands", json!({"commands": [command]})),
        Which::CURSOR => {
            json!({"conversation_id": session, "generation_id": "g", "hook_event_name": "preToolUse", "workspace_roots": [folder],
            "tool_name": "Shell", "tool_input": {"command": command}, "tool_use_id": "t1"})
        }
        Which::WINDSURF => {
            json!({"agent_action_name": "pre_run_command", "trajectory_id": session, "tool_info": {"command_line": command}})
        }
        Which::DROID => usual("PreToolUse", "Execute"),
        Which::CRUSH => {
            json!({"event": "PreToolUse", "session_id": session, "cwd": folder, "tool_name": "bash", "tool_input": {"command": command}})
        }
        Which::GOOSE => usual("PreToolUse", "developer__shell"),
        Which::GENERIC => ours("terminal", json!({"command": command})),
        other => panic!("write down here how {other:?} calls a command"),
    }
}

/// Where the call names its tool and its arguments.
fn keys(which: Which) -> (&'static str, &'static str) {
    match which {
        Which::COPILOT => ("toolName", "toolArgs"),
        Which::OPENCODE | Which::CLINE | Which::GENERIC => ("tool", "arguments"),
        Which::WINDSURF => ("agent_action_name", "tool_info"),
        _ => ("tool_name", "tool_input"),
    }
}

/// Whether the agent takes this for a denial, in its own form.
pub(super) fn is_denial(which: Which, done: &Outcome) -> bool {
    if done.code == 2 {
        // The one that all of them know: words and a status.
        return done.out.is_empty()
            && done.err.starts_with("sayso: ")
            && done.err.trim().len() > "sayso: ".len();
    }
    let said: Value = serde_json::from_str(&done.out).unwrap_or(Value::Null);
    let has = |reason: &Value| {
        reason
            .as_str()
            .is_some_and(|reason| reason.starts_with("sayso: ") && reason.len() > 8)
    };
    let of = |word: &Value, reason: &Value| word == "deny" && has(reason);
    let inner = &said["hookSpecificOutput"];
    done.code == 0
        && match which {
            Which::CLAUDE | Which::CODEX | Which::QWEN | Which::DROID => of(
                &inner["permissionDecision"],
                &inner["permissionDecisionReason"],
            ),
            Which::COPILOT => of(
                &said["permissionDecision"],
                &said["permissionDecisionReason"],
            ),
            Which::GEMINI | Which::CRUSH | Which::OPENCODE | Which::CLINE | Which::GENERIC => {
                of(&said["decision"], &said["reason"])
            }
            Which::CURSOR => of(&said["permission"], &said["agent_message"]),
            // These know no denial but the status.
            _ => false,
        }
}

#[track_caller]
fn denied(desk: &Desk, which: Which, payload: &[u8], what: &str) {
    let done = raw(desk, which.name(), payload);
    assert!(is_denial(which, &done), "{which:?}, {what}: {done:?}");
}

#[test]
fn a_sound_call_is_allowed_and_a_denied_one_is_denied_in_its_own_form() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy(
        "version: 1\nrules:\n  - deny: {command: \"touch *\"}\n    reason: not that one\n",
    );
    for which in sayso_agents::ALL {
        let done = raw(
            &desk,
            which.name(),
            call(&desk, which, "cat a.txt").to_string().as_bytes(),
        );
        assert!(
            done.code == 0 && !is_denial(which, &done) && !done.out.contains("deny"),
            "{which:?}: {done:?}"
        );
        denied(
            &desk,
            which,
            call(&desk, which, "touch x").to_string().as_bytes(),
            "denied",
        );
        denied(
            &desk,
            which,
            call(&desk, which, "cat a.txt; env nice touch x")
                .to_string()
                .as_bytes(),
            "behind a wrapper",
        );
        // What has to be asked about: Claude Code has a dialog for it.
        let asked = raw(
            &desk,
            which.name(),
            call(&desk, which, "make all").to_string().as_bytes(),
        );
        match which {
            Which::CLAUDE => assert!(asked.out.contains("\"ask\""), "{asked:?}"),
            _ => assert!(
                is_denial(which, &asked) && !asked.out.contains("\"ask\""),
                "{which:?}: {asked:?}"
            ),
        }
    }
}

#[test]
fn what_is_not_one_sound_document_is_denied_by_every_agents_hook() {
    let desk = Desk::with(&[]);
    for which in sayso_agents::ALL {
        let sound = call(&desk, which, "true").to_string();
        let (tool, input) = keys(which);
        let twice = sound.replacen(
            &format!("\"{tool}\":"),
            &format!("\"{tool}\":\"x\",\"{tool}\":"),
            1,
        );
        let inside = sound.replacen(
            &format!("\"{input}\":{{"),
            &format!("\"{input}\":{{\"command\":\"x\",\"command\":\"y\",\"command_line\":\"x\",\"command_line\":\"y\","),
            1,
        );
        assert!(twice != sound && inside != sound, "{which:?}");
        let deep = sound.replacen(
            "\"true\"",
            &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
            1,
        );
        let huge = sound.replacen("\"true\"", &format!("\"{}\"", "x".repeat(17 << 20)), 1);
        let payloads: Vec<(&str, Vec<u8>)> = vec![
            ("nothing", Vec::new()),
            ("a line", b"\n".to_vec()),
            ("a list", b"[]".to_vec()),
            ("null", b"null".to_vec()),
            ("an empty object", b"{}".to_vec()),
            (
                "a mark before it",
                [b"\xef\xbb\xbf", sound.as_bytes()].concat(),
            ),
            ("two documents", format!("{sound}{sound}").into_bytes()),
            ("something behind it", format!("{sound}\nx").into_bytes()),
            ("half of it", sound.as_bytes()[..sound.len() - 1].to_vec()),
            ("a key twice", twice.into_bytes()),
            ("an argument twice", inside.into_bytes()),
            ("deep", deep.into_bytes()),
            ("huge", huge.into_bytes()),
            ("no UTF-8", [sound.as_bytes(), b"\xff"].concat()),
            ("noise", noise(4096, 7)),
        ];
        for (what, payload) in &payloads {
            denied(&desk, which, payload, what);
        }
    }
    assert!(!desk.scene.state().join("journal").exists() || desk.entries("decided").is_empty());
}

#[test]
fn wrong_types_and_unknown_events_are_denied_by_every_agents_hook() {
    let desk = Desk::with(&[]);
    for which in sayso_agents::ALL {
        let sound = call(&desk, which, "true");
        for (key, _) in sound.as_object().unwrap() {
            // What says nothing of the call, the hook does not look at.
            let has_no_ids = which == Which::GEMINI && key == "tool_use_id";
            if ["transcript_path", "timestamp", "generation_id"].contains(&key.as_str())
                || has_no_ids
            {
                continue;
            }
            for wrong in [json!(7), json!([]), json!(true)] {
                let mut payload = sound.clone();
                payload[key] = wrong;
                denied(&desk, which, payload.to_string().as_bytes(), key);
            }
            let mut payload = sound.clone();
            payload.as_object_mut().unwrap().remove(key);
            // A call needs no id, and a document of Copilot without a tool is about something else, which is not known either.
            if !["tool_call_id", "tool_use_id", "id"].contains(&key.as_str()) {
                denied(
                    &desk,
                    which,
                    payload.to_string().as_bytes(),
                    &format!("without {key}"),
                );
            }
        }
        let (_, input) = keys(which);
        for wrong in [
            json!({}),
            json!("true"),
            json!({"command": ["true"], "commands": "true", "command_line": ["true"]}),
            json!({"command": "", "commands": [""], "command_line": ""}),
        ] {
            let mut payload = sound.clone();
            payload[input] = wrong.clone();
            denied(
                &desk,
                which,
                payload.to_string().as_bytes(),
                &wrong.to_string(),
            );
        }
        let event = ["hook_event_name", "event", "agent_action_name"]
            .into_iter()
            .find(|key| sound.get(key).is_some());
        for name in [
            json!("PreToolUSE"),
            json!("Anything"),
            json!(""),
            json!(3),
            json!(null),
        ] {
            let mut payload = sound.clone();
            payload[event.unwrap_or("hookName")] = name;
            denied(
                &desk,
                which,
                payload.to_string().as_bytes(),
                "an unknown event",
            );
        }
        let mut payload = sound.clone();
        let folder = ["cwd", "folder"]
            .into_iter()
            .find(|key| sound.get(key).is_some());
        if let Some(folder) = folder {
            payload[folder] = json!("relative");
            denied(
                &desk,
                which,
                payload.to_string().as_bytes(),
                "a relative folder",
            );
        }
    }
}

#[test]
fn an_unknown_tool_is_unknown_whatever_it_is_called() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    // Names that mean something harmless elsewhere, with arguments that do, too.
    for which in sayso_agents::ALL.into_iter().filter(|which| {
        !matches!(
            *which,
            Which::CLAUDE | Which::CODEX | Which::GENERIC | Which::WINDSURF
        )
    }) {
        let (tool, input) = keys(which);
        for (name, arguments) in [
            ("file_read", json!({"path": "a.txt"})),
            ("TodoRead", json!({})),
            ("LS ", json!({"path": "."})),
            ("cat", json!({"path": "a.txt"})),
            ("mcp__a__b__c", json!({})),
            ("", json!({})),
        ] {
            let mut payload = call(&desk, which, "true");
            payload[tool] = json!(name);
            payload[input] = arguments;
            denied(&desk, which, payload.to_string().as_bytes(), name);
        }
    }
}

#[test]
fn an_argument_that_the_agent_does_not_have_changes_nothing() {
    let desk = Desk::with(&[("a.txt", "one\n"), ("sub/b.txt", "two\n")]);
    std::fs::write(desk.scene.home.join("c.txt"), "three\n").unwrap();
    let sub = desk.scene.workspace.join("sub");
    for which in sayso_agents::ALL
        .into_iter()
        .filter(|which| !matches!(*which, Which::GENERIC))
    {
        let (_, input) = keys(which);
        for key in [
            "cwd",
            "workdir",
            "working_directory",
            "directory",
            "dir_path",
            "working_dir",
            "shellId",
            "env",
            "cmd",
        ] {
            let mut payload = call(&desk, which, "cat ../c.txt");
            payload[input][key] = json!(sub);
            // From `sub` it would be a file of the workspace; where the agent has such an argument, it is one.
            let done = raw(&desk, which.name(), payload.to_string().as_bytes());
            let has = match which {
                Which::GEMINI => key == "dir_path",
                Which::QWEN => key == "directory",
                Which::OPENCODE => key == "workdir",
                Which::CRUSH => key == "working_dir",
                Which::CURSOR => ["cwd", "working_directory"].contains(&key),
                Which::WINDSURF => key == "cwd",
                _ => false,
            };
            if which == Which::CLAUDE {
                assert!(!done.out.contains("\"allow\""), "{which:?} {key}: {done:?}");
            } else {
                assert_eq!(
                    is_denial(which, &done),
                    !has || key == "cmd",
                    "{which:?} {key}: {done:?}"
                );
            }
        }
    }
}

/// What an agent may read in another way than it was judged is denied: two names of one argument, arguments beside those that are known, a
/// tool of a server that is called like one of the agent's own, a folder that is not said.
#[test]
fn what_can_be_read_in_two_ways_is_denied() {
    let desk = Desk::with(&[("notes.md", "# n\n")]);
    let (folder, session) = (desk.scene.folder(), super::SESSION);
    let cursor = |event: &str, tool: &str, input: Value| json!({"conversation_id": session, "workspace_roots": [folder], "hook_event_name": event, "tool_name": tool, "tool_input": input});
    let before = |tool: &str, input: Value| cursor("preToolUse", tool, input);
    let usual = |tool: &str, input: Value| {
        json!({"session_id": session, "cwd": folder, "transcript_path": super::transcript(&desk, session), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "t1"})
    };
    let editor = |input: Value| usual("developer__text_editor", input);
    let cline = |input: Value| json!({"event": "before", "session": session, "folder": folder, "tool": "editor", "id": "t1", "arguments": input});
    let windsurf = |info: Value| json!({"agent_action_name": "pre_write_code", "trajectory_id": session, "tool_info": info});
    let edit = json!({"old_string": "# n", "new_string": "# m"});
    for (which, payload) in [
        (
            Which::CURSOR,
            before(
                "Write",
                json!({"path": "/etc/x", "file_path": "notes.md", "content": "x"}),
            ),
        ),
        (
            Which::CURSOR,
            before(
                "Write",
                json!({"file_path": "notes.md", "path": "notes.md", "content": "x"}),
            ),
        ),
        (
            Which::CURSOR,
            before(
                "Write",
                json!({"file_path": "notes.md", "content": "x", "contents": "y"}),
            ),
        ),
        (
            Which::CURSOR,
            before(
                "Read",
                json!({"path": "/etc/shadow", "file_path": "notes.md"}),
            ),
        ),
        (
            Which::CURSOR,
            before(
                "Shell",
                json!({"command": "ls", "working_directory": "/etc", "cwd": "."}),
            ),
        ),
        (
            Which::CURSOR,
            cursor("beforeMCPExecution", "TodoWrite", json!("{\"a\": 1}")),
        ),
        (
            Which::CURSOR,
            cursor("beforeMCPExecution", "Read", json!({"path": "notes.md"})),
        ),
        (Which::CURSOR, {
            json!({"conversation_id": session, "workspace_roots": [folder], "hook_event_name": "beforeShellExecution",
                "command": "cat notes.md", "cwd": ""})
        }),
        (
            Which::GOOSE,
            editor(
                json!({"command": "str_replace", "path": "notes.md", "old_str": "# n", "new_str": "b", "diff": "--- a"}),
            ),
        ),
        (
            Which::GOOSE,
            editor(json!({"command": "write", "path": "notes.md", "file_text": "b", "other": 1})),
        ),
        (
            Which::DROID,
            usual(
                "Edit",
                json!({"file_path": "notes.md", "old_str": "# n", "old_string": "a", "new_str": "b"}),
            ),
        ),
        (
            Which::CLINE,
            cline(json!({"path": "notes.md", "new_text": "b", "file": "/etc/x"})),
        ),
        (
            Which::WINDSURF,
            windsurf(json!({"file_path": "notes.md", "edits": [edit], "target": "/etc/x"})),
        ),
        // Everything would be inside.
        (
            Which::DROID,
            json!({"session_id": session, "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}}),
        ),
    ] {
        denied(
            &desk,
            which,
            payload.to_string().as_bytes(),
            &payload.to_string(),
        );
    }
}
