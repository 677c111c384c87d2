//! No agent approves itself (H-03, H-04): by what it writes, by what it runs, and by what runs below it. Sub-agents have no more rights than
//! the agent that started them (H-05), and a tool that nobody knows is gated like any other (H-29).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::{Value, json};

use super::{SESSION, answered, before, command, decided, is_denied};
use crate::desk::Desk;
use crate::program::run;

/// Everything is allowed that a policy can allow.
const GENEROUS: &str = "version: 1\nmode: auto-approve-edits\nrules:\n  - allow: {command: \"*\"}\n  - allow: {write: \"**\"}\n  - allow: {write: \"/**\"}\n  - allow: {tool: \"*\"}\n";

/// Files that decide what agents may do, below the workspace and below the home folder.
const IN_PROJECT: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".mcp.json",
];
const AT_HOME: &[&str] = &[
    ".claude.json",
    ".claude/settings.json",
    ".claude/hooks/x.sh",
    ".claude/plugins/x/hooks/hooks.json",
    ".codex/config.toml",
    ".codex/hooks.json",
];

#[test]
fn h_03_no_tool_of_an_agent_writes_what_decides_about_agents() {
    let desk = Desk::with(&[(".claude/settings.json", "{}\n"), ("x", "{}\n")]);
    desk.scene.user_policy(GENEROUS);
    std::os::unix::fs::symlink(".claude", desk.scene.workspace.join("link")).unwrap();
    std::os::unix::fs::symlink(
        ".claude/settings.json",
        desk.scene.workspace.join("innocent.md"),
    )
    .unwrap();
    let project = IN_PROJECT.iter().chain(&[
        "link/settings.json",
        "innocent.md",
        "sub/../.claude/settings.json",
        ".CLAUDE/Settings.JSON",
    ]);
    let project = project.map(|path| desk.scene.workspace.join(path));
    let home = AT_HOME.iter().map(|path| desk.scene.home.join(path));
    let managed = [
        "/etc/claude-code/managed-settings.json",
        "/etc/codex/config.toml",
    ]
    .map(std::path::PathBuf::from);
    for path in project.chain(home).chain(managed) {
        let shown = path.display().to_string();
        assert_ne!(
            decided(
                &desk,
                "claude",
                "Write",
                json!({"file_path": path, "content": "{}"})
            )
            .0,
            "allow",
            "{shown}"
        );
        let edit = json!({"file_path": path, "old_string": "{}", "new_string": "{\"disableAllHooks\":true}"});
        assert_ne!(decided(&desk, "claude", "Edit", edit).0, "allow", "{shown}");
        let patch = format!("*** Begin Patch\n*** Add File: {shown}\n+x\n*** End Patch");
        is_denied(
            &answered(
                &desk,
                "codex",
                &before(&desk, "apply_patch", json!({"command": patch})),
            ),
            "",
        );
        let patch = format!(
            "*** Begin Patch\n*** Update File: x\n*** Move to: {shown}\n@@\n-{{}}\n+x\n*** End Patch"
        );
        is_denied(
            &answered(
                &desk,
                "codex",
                &before(&desk, "apply_patch", json!({"command": patch})),
            ),
            "",
        );
        for line in [
            format!("echo x > '{shown}'"),
            format!("echo x >> '{shown}'"),
            format!("echo x | tee -a '{shown}'"),
            format!("sed -i s/a/b/ '{shown}'"),
            format!("cp x '{shown}'"),
            format!("mv x '{shown}'"),
            format!("ln -sf x '{shown}'"),
            format!("rm '{shown}'"),
            format!("truncate -s 0 '{shown}'"),
            format!("dd if=x of='{shown}'"),
            format!("git checkout HEAD -- '{shown}'"),
            format!("git restore '{shown}'"),
            format!("chmod 777 '{shown}'"),
            format!("python3 -c 'open(\"{shown}\", \"w\")'"),
        ] {
            let said = answered(
                &desk,
                "claude",
                &before(&desk, "Bash", json!({"command": line})),
            );
            assert_ne!(said["permissionDecision"], "allow", "{line}");
        }
    }
    for line in [
        "cd .claude && echo x > settings.json",
        "cd .claude; cat > settings.local.json <<X\n{}\nX",
        "pushd .claude && tee settings.json < x",
        "(cd ~/.codex && cp /tmp/x config.toml)",
        "echo x > .claude/settings.j*",
        "f=.claude/settings.json; echo x > $f",
        "mv .claude .old",
        "rm -rf .claude",
        "ln -s .claude y && echo x > y/settings.json",
        "echo x > ~/.claude.json",
        "git -C .claude checkout HEAD .",
    ] {
        assert_ne!(command(&desk, line), "allow", "{line}");
    }
}

#[test]
fn h_04_no_agent_runs_a_command_of_sayso_that_changes_something() {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(GENEROUS);
    for line in [
        "sayso policy trust --yes",
        "sayso policy init",
        "sayso rules add --allow 'command: *'",
        "sayso rules import x",
        "sayso grants revoke --all",
        "sayso run --yolo x.json",
        "sayso undo --yes",
        "sayso audit prune",
        "sayso install claude --takeover",
        "sayso uninstall claude",
        "sayso hook claude",
    ] {
        for whole in [
            line.to_owned(),
            format!("env -u CLAUDECODE {line}"),
            format!("nohup setsid {line}"),
            format!("bash -c '{line}'"),
        ] {
            assert_eq!(command(&desk, &whole), "deny", "{whole}");
        }
    }
}

#[test]
fn h_04_below_an_agent_only_looking_is_left() {
    let desk = Desk::with(&[]);
    let mark = |name: &str, words: &[&str]| run(desk.program().env(name, "1").args(words), b"");
    for name in [
        "CLAUDECODE",
        "CLAUDE_CODE_SESSION_ID",
        "CODEX_SANDBOX",
        "CODEX_THREAD_ID",
    ] {
        for words in [
            &["rules", "add", "--allow", "make *"][..],
            &["policy", "trust", "--yes"],
            &["policy", "init"],
            &["grants", "revoke", "--all"],
        ] {
            let done = mark(name, words);
            assert_eq!(
                (done.code, done.out.as_str()),
                (20, ""),
                "{name} {words:?}: {done:?}"
            );
            assert!(
                done.err.contains(name) && done.err.contains("nothing was changed"),
                "{done:?}"
            );
        }
        assert_eq!(mark(name, &["policy", "show"]).code, 0);
        assert_eq!(mark(name, &["audit", "list"]).code, 0);
    }
    assert!(!desk.scene.workspace.join(".sayso").exists());
    // The same by hand.
    assert_eq!(run(desk.program().args(["policy", "init"]), b"").code, 0);
}

/// Runs lines below a process that is called like an agent, whose session has begun, and gives what they print.
fn below(desk: &Desk, agent: &str, lines: &str) -> String {
    let folder = desk.scene.home.join("bin");
    fs::create_dir_all(&folder).unwrap();
    let start = json!({"hook_event_name": "SessionStart", "session_id": SESSION, "cwd": desk.scene.folder(), "source": "startup"});
    fs::write(folder.join("start.json"), start.to_string()).unwrap();
    let program = folder.join(agent);
    let sayso = env!("CARGO_BIN_EXE_sayso");
    let script = format!(
        "#!/bin/bash\nsh -c '{sayso} hook {agent}' < {}/start.json || echo failed\n{lines}\n",
        folder.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let like = super::program(desk, agent);
    let mut command = Command::new(&program);
    command.env_clear().current_dir(&desk.scene.workspace);
    command.envs(
        like.get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))),
    );
    let done = command.output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

#[test]
fn h_04_the_process_tree_of_an_agent_is_known_without_its_variables() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        return;
    }
    let sayso = env!("CARGO_BIN_EXE_sayso");
    for agent in ["claude", "codex"] {
        let desk = Desk::with(&[]);
        let told = below(
            &desk,
            agent,
            &format!(
                "bash -c '({sayso} policy init; true)'; {sayso} policy show > /dev/null && echo looked"
            ),
        );
        assert!(
            told.contains(&format!("below `{agent}`, process")) && told.contains("looked"),
            "{told}"
        );
        assert!(!desk.scene.workspace.join(".sayso").exists(), "{told}");
        // Not below it.
        assert_eq!(run(desk.program().args(["policy", "init"]), b"").code, 0);
    }
}

#[test]
fn h_04_what_sayso_runs_for_an_agent_is_below_it() {
    // Written out, it would be denied as soon as the script is read.
    let desk = Desk::with(&[
        ("x.sh", "$(cat name) policy init; echo status $?\n"),
        ("name", env!("CARGO_BIN_EXE_sayso")),
    ]);
    if !std::path::Path::new("/proc/self/stat").exists() {
        return;
    }
    let said = answered(
        &desk,
        "claude",
        &before(&desk, "Bash", json!({"command": "sh x.sh"})),
    );
    let line = said["updatedInput"]["command"].as_str().unwrap().to_owned();
    let done = super::exec::shell(&desk, &Value::from(line));
    let told =
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(
        told.contains("status 20") && told.contains("that sayso runs for an agent"),
        "{told}"
    );
    assert!(!desk.scene.workspace.join(".sayso").exists());
}

#[test]
fn h_04_what_runs_in_a_sandbox_is_below_an_agent() {
    if !crate::sandbox::works("sayso in a sandbox") {
        return;
    }
    // The processes above the sandbox cannot be seen from in there.
    let desk = Desk::with(&[]);
    let sayso = std::path::Path::new(env!("CARGO_BIN_EXE_sayso"));
    let mut program = desk.program();
    // What is in the search path can be run in there.
    program.env(
        "PATH",
        format!("{}:/usr/bin:/bin", sayso.parent().unwrap().display()),
    );
    let done = run(
        program.args(["sandbox", "--", "sayso", "rules", "add", "--allow", "make"]),
        b"",
    );
    assert!(
        done.code == 20 && done.err.contains("that sayso runs for an agent"),
        "{done:?}"
    );
}

#[test]
fn h_05_a_sub_agent_gets_no_more_than_its_parent_whatever_it_is_called() {
    let desk = Desk::with(&[("a.txt", "one\n")]);
    desk.scene.user_policy(
        "version: 1\nagents:\n  claude: {rules: [{deny: {command: \"make *\"}}]}\n  codex: {mode: safe-only}\n  free: {mode: auto-approve-edits, rules: [{allow: {command: \"make *\"}}]}\n",
    );
    for (agent, kind) in [
        ("claude", "free"),
        ("claude", "claude"),
        ("claude", ""),
        ("codex", "free"),
        ("codex", "codex"),
    ] {
        let mut payload = before(&desk, "Bash", json!({"command": "make all"}));
        payload["agent_id"] = json!("a1");
        payload["agent_type"] = json!(kind);
        is_denied(&answered(&desk, agent, &payload), "");
        // One that does not say of what kind it is, too.
        payload.as_object_mut().unwrap().remove("agent_type");
        is_denied(&answered(&desk, agent, &payload), "");
    }
    // To start one is asked about.
    let input = json!({"description": "d", "prompt": "p", "subagent_type": "free"});
    assert_eq!(decided(&desk, "claude", "Agent", input).0, "ask");
}

#[test]
fn h_29_a_tool_that_nobody_knows_is_gated() {
    let desk = Desk::with(&[]);
    for tool in [
        "start_session",
        "navigate",
        "click",
        "fill",
        "Workflow",
        "Skill",
        "SendMessage",
        "RemoteTrigger",
        "read",
        "BASH",
    ] {
        assert_eq!(
            decided(&desk, "claude", tool, json!({"x": 1})).0,
            "ask",
            "{tool}"
        );
        is_denied(
            &answered(&desk, "codex", &before(&desk, tool, json!({"x": 1}))),
            "a person has to be asked",
        );
    }
}
