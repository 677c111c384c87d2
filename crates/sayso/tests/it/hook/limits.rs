//! Limits and signals that would end a hook before its answer: an agent that gets none runs the tool.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sayso_agents::Which;

use super::every_agent::{call, is_denial};
use super::program;
use crate::desk::Desk;
use crate::program::{Outcome, run};

/// A line of bash that becomes the hook.
fn in_bash(desk: &Desk, which: Which, line: &str) -> Command {
    let hook = program(desk, which.name());
    let mut bash = Command::new("bash");
    bash.env_clear()
        .envs(
            hook.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(&desk.scene.workspace);
    bash.args(["-c", line, "bash"])
        .arg(hook.get_program())
        .args(hook.get_args());
    bash
}

fn denied_call(desk: &Desk, which: Which) -> Vec<u8> {
    call(desk, which, "rm -rf /").to_string().into_bytes()
}

/// How a hook under limits ends; none if it could not even be loaded, which its own code has no part in.
fn under(desk: &Desk, which: Which, limits: &str) -> Option<Outcome> {
    let mut loaded = in_bash(desk, which, &format!("{limits}; exec \"$1\" --version"));
    if !loaded
        .stdin(Stdio::null())
        .output()
        .unwrap()
        .status
        .success()
    {
        return None;
    }
    Some(run(
        &mut in_bash(desk, which, &format!("{limits}; exec \"$@\"")),
        &denied_call(desk, which),
    ))
}

#[test]
fn finding_d_02_no_limit_ends_a_hook_before_it_denies() {
    let limits = [
        "-f 0", "-f 1", "-f 8", "-s 256", "-s 1024", "-t 1", "-n 4", "-n 6", "-n 10", "-u 1",
        "-l 0", "-d 8192", "-i 0", "-q 0", "-x 0",
    ];
    for which in sayso_agents::ALL {
        let desk = Desk::with(&[]);
        for limit in limits {
            let Some(done) = under(&desk, which, &format!("ulimit {limit}")) else {
                continue;
            };
            assert!(
                is_denial(which, &done),
                "{which:?}, ulimit {limit}: {done:?}"
            );
        }
    }
}

#[test]
fn finding_d_02_too_little_memory_is_a_denial() {
    let desk = Desk::with(&[]);
    let mut tried = 0;
    // From where the program cannot be loaded to where it has all it needs.
    for (option, step) in [("-v", 2_000), ("-d", 250)] {
        for size in (0..=40).map(|number| number * step) {
            let Some(done) = under(&desk, Which::CLAUDE, &format!("ulimit {option} {size}")) else {
                continue;
            };
            tried += 1;
            assert!(
                is_denial(Which::CLAUDE, &done),
                "ulimit {option} {size}: {done:?}"
            );
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn finding_d_02_a_hook_answers_before_its_processor_time_is_over() {
    // The shell takes most of the time before it becomes the hook.
    let burn = "ulimit -t 1; t=$HOME/times; until times > \"$t\"; read -r user system < \"$t\"; u=${user//[!0-9]/} s=${system//[!0-9]/}; \
                ((10#$u + 10#$s > 905)); do for ((i = 0; i < 2000; i++)); do :; done; done; exec \"$@\"";
    // What is said then is the same for all of them.
    for which in [Which::CLAUDE, Which::CODEX, Which::WINDSURF] {
        let desk = Desk::with(&[]);
        let done = run(&mut in_bash(&desk, which, burn), &denied_call(&desk, which));
        assert!(is_denial(which, &done), "{which:?}: {done:?}");
    }
}

/// A hook that waits for the rest of its input.
fn waiting(desk: &Desk, which: Which) -> Child {
    let mut hook = program(desk, which.name());
    let child = hook
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    // It handles the last real-time signal: all others were set before it.
    while !catches(child.id(), 64) {
        assert!(Instant::now() < end, "it does not handle signals");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn catches(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:"))
        .map(str::trim);
    caught
        .and_then(|caught| u64::from_str_radix(caught, 16).ok())
        .is_some_and(|caught| caught >> (signal - 1) & 1 == 1)
}

fn send(process: u32, signal: u32) {
    let sent = Command::new("bash")
        .args([
            "-c",
            "kill -\"$0\" \"$1\"",
            &signal.to_string(),
            &process.to_string(),
        ])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn finding_d_02_every_signal_that_would_end_a_hook_is_a_denial() {
    let desk = Desk::with(&[]);
    // KILL and STOP cannot be caught; CHLD, CONT, URG and WINCH end nothing; 32 and 33 belong to the library.
    let others = [9, 17, 18, 19, 23, 28, 32, 33];
    // A write to a pipe that was closed, a file that is too large, and the keys that stop a job: the hook still answers.
    let passed_over = [13, 20, 21, 22, 25];
    for signal in (1..=64).filter(|signal| !others.contains(signal)) {
        let mut hook = waiting(&desk, Which::CLAUDE);
        let mut stdin = hook.stdin.take().unwrap();
        send(hook.id(), signal);
        if passed_over.contains(&signal) {
            stdin.write_all(&denied_call(&desk, Which::CLAUDE)).unwrap();
            drop(stdin);
        }
        let done = hook.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let done = Outcome {
            code: done.status.code().unwrap_or(-1),
            out: text(done.stdout),
            err: text(done.stderr),
        };
        assert!(is_denial(Which::CLAUDE, &done), "signal {signal}: {done:?}");
    }
}

#[test]
fn finding_d_02_a_signal_that_the_agent_ignores_stays_ignored() {
    let desk = Desk::with(&[]);
    let line = "trap '' HUP TERM USR1; exec \"$@\"";
    let mut hook = in_bash(&desk, Which::CLAUDE, line);
    let mut hook = hook
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while !catches(hook.id(), 64) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    for signal in [1, 10, 15] {
        send(hook.id(), signal);
    }
    hook.stdin
        .take()
        .unwrap()
        .write_all(&denied_call(&desk, Which::CLAUDE))
        .unwrap();
    let done = hook.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&done.stdout).contains("\"deny\""));
}

#[test]
fn finding_d_02_commands_have_the_signals_of_the_person() {
    // What sayso handles for itself is as before in what it runs.
    let desk = Desk::with(&[]);
    let calls = serde_json::json!([{"tool": "terminal", "args": {"command": "grep SigIgn /proc/self/status"}}]);
    let file = desk.batch("calls.json", calls.to_string());
    for trap in ["", "trap '' XFSZ; ", "trap '' HUP; ", "trap '' INT; "] {
        let ran = |line: &str| {
            let mut bash = Command::new("bash");
            bash.env_clear()
                .env("PATH", crate::scene::PATH)
                .env("HOME", &desk.scene.home)
                .current_dir(&desk.scene.workspace);
            bash.args(["-c", &format!("{trap}{line}"), env!("CARGO_BIN_EXE_sayso")])
                .arg(&file);
            run(&mut bash, b"")
        };
        let ignored = |done: &Outcome| {
            let at = done
                .out
                .find("SigIgn:")
                .unwrap_or_else(|| panic!("{done:?}"));
            let digits: String = done.out[at + 7..]
                .chars()
                .skip_while(|one| "\\t ".contains(*one) || *one == '\t')
                .take(16)
                .collect();
            // 32 and 33 belong to the library.
            u64::from_str_radix(&digits, 16).unwrap() & !(0b11 << 31)
        };
        let (plain, done) = (
            ran("grep SigIgn /proc/self/status"),
            ran("exec \"$0\" run --approve-all --json \"$1\""),
        );
        assert_eq!(
            ignored(&plain),
            ignored(&done),
            "{trap}: {plain:?} {done:?}"
        );
    }
}

#[test]
fn finding_d_07_an_answer_that_cannot_be_read_is_a_denial_by_its_status() {
    // Closed, nowhere, open for reading only, full, and a pipe that was closed at the other end.
    let outputs = [
        ">&-",
        "> /dev/null",
        "1< /dev/null",
        "> /dev/full",
        "> >(exec <&-)",
    ];
    for which in sayso_agents::ALL {
        let desk = Desk::with(&[("a.txt", "one\n")]);
        for output in outputs {
            for command in ["rm -rf /", "cat a.txt", "make all"] {
                let settled = if output.contains("(") {
                    "sleep 0.1; "
                } else {
                    ""
                };
                let line = format!("exec {output}; {settled}exec \"$@\"");
                let done = run(
                    &mut in_bash(&desk, which, &line),
                    call(&desk, which, command).to_string().as_bytes(),
                );
                // An agent whose yes is no answer at all needs no output for it.
                let is_silent_yes = command == "cat a.txt"
                    && done.code == 0
                    && matches!(which, Which::CODEX | Which::WINDSURF | Which::GOOSE);
                assert!(
                    is_silent_yes || is_denial(which, &done),
                    "{which:?}, {output}, {command}: {done:?}"
                );
            }
        }
        // With no error stream either, the status is all there is.
        let done = run(
            &mut in_bash(&desk, which, "exec \"$@\" >&- 2>&-"),
            &denied_call(&desk, which),
        );
        assert_eq!(done.code, 2, "{which:?}: {done:?}");
    }
}
