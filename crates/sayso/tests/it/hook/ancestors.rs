//! Processes above and beside an agent: a finding (D-04) is that variables alone do not tell whose command it is, so every ancestor counts,
//! and so do processes that left the tree, schedulers, and terminals that nobody sits at.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::json;

use super::{before, command};
use crate::desk::Desk;
use crate::program::run;

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
