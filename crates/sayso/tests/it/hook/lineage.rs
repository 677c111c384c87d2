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

/// The lines of a script that calls the hook for one command, with no word of a session before.
fn asks_once(desk: &Desk, agent: &str) -> String {
    let file = desk.scene.home.join("before.json");
    fs::write(
        &file,
        before(desk, "Bash", json!({"command": "ls"})).to_string(),
    )
    .unwrap();
    format!(
        "sh -c '{} hook {agent}' < {} > /dev/null",
        env!("CARGO_BIN_EXE_sayso"),
        file.display()
    )
}

/// Runs lines in a script of this name, in the environment of a hook.
fn script(desk: &Desk, name: &str, lines: &str) -> String {
    let program = desk.scene.home.join("bin").join(name);
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, format!("#!/bin/bash\n{lines}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let like = super::program(desk, "claude");
    let mut command = Command::new(&program);
    command
        .env_clear()
        .current_dir(&desk.scene.workspace)
        .stdin(std::process::Stdio::null());
    command.envs(
        like.get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))),
    );
    let done = command.output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

fn has_proc() -> bool {
    std::path::Path::new("/proc/self/stat").exists()
}

#[test]
fn finding_d_04_the_environment_and_the_program_of_every_ancestor_count() {
    if !has_proc() {
        return;
    }
    let sayso = env!("CARGO_BIN_EXE_sayso");
    let add = format!("env -i PATH=\"$PATH\" HOME=\"$HOME\" {sayso} policy init; echo status $?");
    for (name, lines) in [
        // The variable is gone in the process itself, and not in those above it.
        (
            "plain",
            format!(
                "CLAUDECODE=1 bash -c {}",
                sayso_shell::quote(&[format!("unset CLAUDECODE; {add}; true")])
            ),
        ),
        (
            "plain",
            format!(
                "CODEX_THREAD_ID=7 bash -c {}",
                sayso_shell::quote(&[format!(
                    "bash -c {}; true",
                    sayso_shell::quote(std::slice::from_ref(&add))
                )])
            ),
        ),
        // No hook was ever started by it.
        (
            "claude",
            format!(
                "bash -c {}; true",
                sayso_shell::quote(std::slice::from_ref(&add))
            ),
        ),
        ("codex", add.clone()),
        ("gemini", add.clone()),
        ("cursor-agent", add.clone()),
    ] {
        let desk = Desk::with(&[]);
        let told = script(&desk, name, &lines);
        assert!(
            told.contains("status 20") && told.contains("this is for people"),
            "{name}: {told}"
        );
    }
    let desk = Desk::with(&[]);
    assert!(
        script(&desk, "claudette", &add).contains("status 0"),
        "a name that only begins like an agent's"
    );
}

#[test]
fn finding_d_04_every_hook_event_remembers_the_process_of_the_agent() {
    if !has_proc() {
        return;
    }
    let sayso = env!("CARGO_BIN_EXE_sayso");
    let desk = Desk::with(&[]);
    // Not the exact name of the program, so that only the hook tells who it is.
    let lines = format!(
        "{}; env -i PATH=\"$PATH\" HOME=\"$HOME\" {sayso} policy init; echo status $?",
        asks_once(&desk, "claude")
    );
    let told = script(&desk, "claude-1.2.3", &lines);
    assert!(
        told.contains("status 20") && told.contains("below `claude`, process"),
        "{told}"
    );
    assert_eq!(
        run(desk.program().args(["policy", "init"]), b"").code,
        0,
        "not below it"
    );
}

#[test]
fn finding_d_04_who_leaves_the_tree_is_still_seen() {
    if !has_proc() {
        return;
    }
    let sayso = env!("CARGO_BIN_EXE_sayso");
    let out = |desk: &Desk| desk.scene.home.join("told");
    for away in ["setsid", "nohup", "env"] {
        let desk = Desk::with(&[]);
        let told = out(&desk);
        let inner = format!(
            "for i in $(seq 100); do case \"$(cat /proc/$(cut -d' ' -f4 /proc/$$/stat)/comm)\" in claude*) sleep 0.05;; *) break;; esac; done; env -i PATH=\"$PATH\" HOME=\"$HOME\" {sayso} policy init > {0}.part 2>&1; mv {0}.part {0}",
            told.display()
        );
        // The parent ends at once, so that init adopts what it started.
        let inner = sayso_shell::quote(&["bash".to_owned(), "-c".to_owned(), inner]);
        let lines = format!(
            "{}\n({away} {inner} < /dev/null > /dev/null 2>&1 &)\nfor i in $(seq 100); do [ -e {} ] && break; sleep 0.1; done",
            asks_once(&desk, "claude"),
            told.display()
        );
        script(&desk, "claude-1.2.3", &lines);
        let told = fs::read_to_string(told).unwrap_or_default();
        assert!(
            told.contains("whose tree it has left")
                && !desk.scene.workspace.join(".sayso").exists(),
            "{away}: {told}"
        );
    }
}

/// The lines that try to change the policy without any variable of an agent, and keep what was said.
fn tries(told: &std::path::Path) -> String {
    let sayso = env!("CARGO_BIN_EXE_sayso");
    format!(
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" {sayso} policy init > {0}.part 2>&1; echo status $? >> {0}.part; mv {0}.part {0}",
        told.display()
    )
}

fn is_there(program: &str, version: &str) -> bool {
    let found = Command::new(program)
        .arg(version)
        .output()
        .is_ok_and(|done| done.status.success());
    if !found {
        eprintln!("NOT CHECKED: `{program}` is not installed");
    }
    found
}

fn waits(told: &std::path::Path) -> String {
    format!(
        "for i in $(seq 100); do [ -e {} ] && break; sleep 0.1; done",
        told.display()
    )
}

#[test]
fn finding_d_04_a_scheduler_has_no_person_in_front_of_it() {
    if !has_proc() {
        return;
    }
    for name in ["cron", "crond", "atd", "anacron"] {
        let desk = Desk::with(&[]);
        let told = desk.scene.home.join("told");
        let quoted = |text: String| {
            sayso_shell::quote(&[
                "setsid".to_owned(),
                "-w".to_owned(),
                "bash".to_owned(),
                "-c".to_owned(),
                text,
            ])
        };
        // Before any agent was seen, a machine is set up like that.
        script(&desk, name, &quoted(tries(&told)));
        assert!(
            fs::read_to_string(&told).unwrap().contains("status 0"),
            "{name}"
        );
        fs::remove_dir_all(desk.scene.workspace.join(".sayso")).unwrap();
        script(&desk, "claude-1.2.3", &asks_once(&desk, "claude"));
        script(&desk, name, &quoted(tries(&told)));
        let said = fs::read_to_string(&told).unwrap();
        assert!(
            said.contains("status 20") && said.contains(&format!("below `{name}`")),
            "{name}: {said}"
        );
        assert!(!desk.scene.workspace.join(".sayso").exists());
        // To look is left.
        let look = format!(
            "{} policy show > /dev/null; echo status $?",
            env!("CARGO_BIN_EXE_sayso")
        );
        assert!(
            script(&desk, name, &quoted(look)).contains("status 0"),
            "{name}"
        );
    }
}

#[test]
fn finding_d_04_nobody_is_at_a_terminal_that_tmux_keeps_alone() {
    if !has_proc() || !is_there("tmux", "-V") {
        return;
    }
    let desk = Desk::with(&[]);
    let (told, socket) = (desk.scene.home.join("told"), desk.scene.home.join("tmux"));
    let tmux = |words: &str| format!("tmux -S {} -f /dev/null {words}", socket.display());
    // The server is older than the agent, and not below it.
    script(
        &desk,
        "plain",
        &tmux("new-session -d -s one -x 80 -y 24 'sleep 60'"),
    );
    let window = |told: &std::path::Path| {
        let inner = sayso_shell::quote(&[tries(told)]);
        format!(
            "{}; {}",
            tmux(&format!("new-window -t one {inner}")),
            waits(told)
        )
    };
    script(&desk, "plain", &window(&told));
    let before = fs::read_to_string(&told).unwrap_or_default();
    assert!(before.contains("status 0"), "no agent was seen: {before}");
    fs::remove_dir_all(desk.scene.workspace.join(".sayso")).unwrap();
    fs::remove_file(&told).unwrap();
    script(
        &desk,
        "claude-1.2.3",
        &format!("{}\n{}", asks_once(&desk, "claude"), window(&told)),
    );
    let said = fs::read_to_string(&told).unwrap_or_default();
    // With somebody attached, it is a terminal of a person.
    fs::remove_file(&told).unwrap();
    let attach = sayso_shell::quote(&[
        "script".to_owned(),
        "-qec".to_owned(),
        format!("TERM=xterm {}", tmux("attach -t one")),
        "/dev/null".to_owned(),
    ]);
    let person = format!(
        "(sleep 20 | {attach}) > /dev/null 2>&1 & sleep 2; {}; {}",
        window(&told),
        tmux("kill-server")
    );
    script(&desk, "plain", &person);
    let attached = fs::read_to_string(&told).unwrap_or_default();
    assert!(
        said.contains("status 20")
            && said.contains("`tmux`")
            && said.contains("nobody is attached to"),
        "{said}"
    );
    assert!(attached.contains("status 0"), "{attached}");
}

#[test]
fn finding_d_04_a_terminal_that_a_process_of_the_agent_keeps_is_not_a_persons() {
    if !has_proc() || !is_there("script", "--version") {
        return;
    }
    let desk = Desk::with(&[]);
    let told = desk.scene.home.join("told");
    // It leaves the tree first, and makes its terminal then.
    let inner = sayso_shell::quote(&[
        "script".to_owned(),
        "-qec".to_owned(),
        format!("sleep 1; {}", tries(&told)),
        "/dev/null".to_owned(),
    ]);
    let lines = format!(
        "{}\n(setsid {inner} < /dev/null > /dev/null 2>&1 &)\n{}",
        asks_once(&desk, "claude"),
        waits(&told)
    );
    script(&desk, "claude-1.2.3", &lines);
    let said = fs::read_to_string(&told).unwrap_or_default();
    assert!(
        said.contains("status 20") && said.contains("whose tree it has left"),
        "{said}"
    );
    // The same terminal, made by a person.
    fs::remove_file(&told).unwrap();
    script(&desk, "plain", &inner);
    let said = fs::read_to_string(&told).unwrap_or_default();
    assert!(said.contains("status 0"), "{said}");
}

#[test]
fn finding_d_04_what_starts_a_command_elsewhere_is_never_silent() {
    let desk = Desk::with(&[("job", "x\n")]);
    for line in [
        "at now",
        "echo 'echo x' | at now",
        "at -f job now",
        "batch",
        "echo 'echo x' | batch",
        "crontab job",
        "crontab -",
        "echo '* * * * * echo x' | crontab -",
        "crontab -e",
        "systemd-run --user echo x",
        "systemd-run echo x",
        "systemd-run --user --scope true",
        "systemd-run --user --on-active=1 echo x",
        "systemctl --user start x.service",
        "systemctl --user link job",
        "tmux send-keys -t 0 ls Enter",
        "tmux new-session -d ls",
        "tmux new-window ls",
        "tmux run-shell ls",
        "tmux respawn-pane -k ls",
        "tmux pipe-pane ls",
        "tmux if-shell true ls",
        "tmux source-file job",
        "tmux paste-buffer",
        "tmux set-hook -g session-created 'run ls'",
        "screen -X stuff ls",
        "screen -dmS x ls",
        "screen -S x -X exec ls",
        "ssh localhost ls",
        "ssh 127.0.0.1 true",
        "ssh -t ::1 ls",
        "dtach -n x ls",
        "abduco -n x ls",
        "zellij run -- ls",
        "zellij action write-chars ls",
        "busctl --user call a b c d",
        "dbus-send --session x",
        "gdbus call --session",
        "script -c ls x",
        "socat - EXEC:ls,pty",
        "xterm -e ls",
        "gnome-terminal -- ls",
        "kitty @ launch ls",
        "wezterm cli spawn ls",
        "emacsclient -e '(shell-command \"ls\")'",
    ] {
        assert_ne!(command(&desk, line), "allow", "{line}");
    }
    for line in [
        "setsid sayso rules add --allow x",
        "systemd-run --user sayso policy init",
        "nohup sayso policy trust --yes",
    ] {
        assert_eq!(command(&desk, line), "deny", "{line}");
    }
}
