//! A held command runs once, and its caller sees what the command itself would have shown.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Output};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{call, exec, exec_of, hold, hold_asked, hold_call, refused, words};
use crate::desk::Desk;
use crate::program::noise;
use crate::scene::PATH;

/// Waits for a file that a command makes.
fn wait_for(path: &Path) {
    let end = Instant::now() + Duration::from_secs(300);
    while !path.exists() {
        assert!(Instant::now() < end, "{} never came", path.display());
        thread::sleep(Duration::from_millis(5));
    }
}

/// The process whose number a command wrote down is gone.
fn is_gone(desk: &Desk, file: &str) -> bool {
    let number = desk.text(file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_none_or(|rest| rest.trim().is_empty() || rest.trim().starts_with('Z'))
}

#[test]
fn it_runs_once() {
    let desk = Desk::with(&[]);
    for id in [
        hold(&desk, "echo line >> log"),
        hold_asked(&desk, "echo line >> log"),
    ] {
        assert!(exec(&desk, &id).status.success());
        for _ in 0..3 {
            refused(&exec(&desk, &id), "each runs once");
        }
        assert_eq!(desk.text("log").unwrap(), "line\n");
        fs::remove_file(desk.scene.workspace.join("log")).unwrap();
    }
}

#[test]
fn of_eight_processes_at_once_one_runs_it() {
    let desk = Desk::with(&[]);
    for round in 1..=5 {
        let id = hold(&desk, "echo line >> log");
        let all: Vec<Child> = (0..8)
            .map(|_| exec_of(&desk, &id).spawn().unwrap())
            .collect();
        let all: Vec<Output> = all
            .into_iter()
            .map(|child| child.wait_with_output().unwrap())
            .collect();
        let codes: Vec<_> = all.iter().map(|done| done.status.code().unwrap()).collect();
        assert_eq!(
            codes.iter().filter(|code| **code == 0).count(),
            1,
            "{codes:?}"
        );
        all.iter()
            .filter(|done| !done.status.success())
            .for_each(|done| refused(done, "each runs once"));
        assert_eq!(desk.text("log").unwrap().lines().count(), round);
    }
    assert_eq!(
        (
            desk.entries("resumed").len(),
            desk.entries("finished").len()
        ),
        (5, 5)
    );
}

#[test]
fn its_status_is_that_of_the_command() {
    let desk = Desk::with(&[]);
    for (command, code) in [
        ("true", 0),
        ("false", 1),
        ("exit 20", 20),
        ("exit 255", 255),
        ("no-such-program-here", 127),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -USR1 $$", 138),
        ("kill -SEGV $$", 139),
    ] {
        let done = exec(&desk, hold_call(&desk, &["--yolo"], call(command)));
        assert_eq!(
            done.status.code(),
            Some(code),
            "{command}: {}",
            words(&done)
        );
        assert!(
            !words(&done).contains("sayso:"),
            "{command}: {}",
            words(&done)
        );
    }
}

#[test]
fn its_two_streams_stay_apart_and_as_they_are() {
    let desk = Desk::with(&[]);
    let done = exec(
        &desk,
        hold(
            &desk,
            "printf 'out\\033[31m\\0\\377'; printf 'err\\r\\033]0;x\\a' >&2; printf end",
        ),
    );
    assert_eq!(done.stdout, b"out\x1b[31m\0\xffend");
    assert_eq!(done.stderr, b"err\r\x1b]0;x\x07");
}

#[test]
fn ten_megabytes_of_anything_come_through_whole() {
    let desk = Desk::with(&[]);
    let bytes = noise(10 << 20, 7);
    fs::write(desk.scene.workspace.join("big"), &bytes).unwrap();
    let done = exec(&desk, hold(&desk, "cat big"));
    assert!(
        done.status.success() && done.stdout == bytes && done.stderr.is_empty(),
        "{} bytes",
        done.stdout.len()
    );
    let done = exec(&desk, hold(&desk, "cat big >&2"));
    assert!(
        done.status.success() && done.stderr == bytes && done.stdout.is_empty(),
        "{} bytes",
        done.stderr.len()
    );
    let done = exec(&desk, hold(&desk, "cat big | tee /dev/stderr"));
    assert!(done.stdout == bytes && done.stderr == bytes);
}

#[test]
fn output_comes_while_it_runs() {
    let desk = Desk::with(&[]);
    let id = hold(
        &desk,
        "echo first; until [ -e go ]; do sleep 0.01; done; echo second",
    );
    let mut child = exec_of(&desk, id).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut first = [0; 6];
    out.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"first\n");
    fs::write(desk.scene.workspace.join("go"), "").unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(
        (rest.as_str(), child.wait().unwrap().code()),
        ("second\n", Some(0))
    );
}

#[test]
fn where_nobody_reads_it_ends() {
    let desk = Desk::with(&[]);
    let mut child = exec_of(&desk, hold(&desk, "echo $$ > pid; exec yes"))
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 4]).unwrap();
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(141));
    assert!(is_gone(&desk, "pid"));
}

#[test]
fn nothing_of_the_callers_input_reaches_it() {
    let desk = Desk::with(&[("input", "secret of the caller\n")]);
    let mut program = exec_of(&desk, hold(&desk, "cat; echo end"));
    let done = program
        .stdin(fs::File::open(desk.scene.workspace.join("input")).unwrap())
        .output()
        .unwrap();
    assert_eq!(done.stdout, b"end\n");
}

#[test]
fn what_it_leaves_in_the_background_does_not_hold_it_up() {
    let desk = Desk::with(&[]);
    let done = exec(
        &desk,
        hold(&desk, "sleep 600 & echo $! > pid; echo started"),
    );
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(0), &b"started\n"[..])
    );
    assert!(
        words(&done).contains("ended what the command left running: sleep"),
        "{}",
        words(&done)
    );
    assert!(is_gone(&desk, "pid"));
}

#[test]
fn it_ends_when_its_time_is_over() {
    let desk = Desk::with(&[]);
    let long = json!({"type": "terminal", "id": "it", "command": "echo $$ > pid; echo begun; exec sleep 600", "timeout": 1});
    let done = exec(&desk, hold_call(&desk, &["--approve-all"], long));
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(124), &b"begun\n"[..])
    );
    assert!(
        words(&done).contains("stopped after 1 s, its time limit"),
        "{}",
        words(&done)
    );
    assert!(is_gone(&desk, "pid"));
    assert_eq!(desk.entries("finished")[0]["timed_out"], true);
    // The limit of the policy holds as well.
    desk.scene.user_policy("command_timeout: 1\n");
    assert_eq!(
        exec(&desk, hold(&desk, "sleep 600")).status.code(),
        Some(124)
    );
}

#[test]
fn a_signal_ends_everything() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let desk = Desk::with(&[]);
        let id = hold(
            &desk,
            "sleep 600 & echo $! > other; echo $$ > pid; echo begun; mkdir begun; wait",
        );
        let child = exec_of(&desk, id).spawn().unwrap();
        wait_for(&desk.scene.workspace.join("begun"));
        kill_process(Pid::from_child(&child), signal).unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(code), &b"begun\n"[..]),
            "{}",
            words(&done)
        );
        assert!(is_gone(&desk, "pid") && is_gone(&desk, "other"));
        assert_eq!(desk.entries("finished").len(), 1);
    }
}

#[test]
fn a_signal_ends_it_also_while_nobody_reads() {
    let desk = Desk::with(&[]);
    let mut child = exec_of(&desk, hold(&desk, "echo $$ > pid; mkdir begun; exec yes"))
        .spawn()
        .unwrap();
    wait_for(&desk.scene.workspace.join("begun"));
    // Until the pipe is full.
    thread::sleep(Duration::from_millis(200));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(is_gone(&desk, "pid"));
}

#[test]
fn the_callers_environment_has_no_part_in_it() {
    let desk = Desk::with(&[("start.sh", "touch hijacked\n")]);
    let start = desk.scene.workspace.join("start.sh");
    let id = hold(&desk, "set -- a:b; printf '%s|' $1 \"${IFS@Q}\"; ls; env");
    let mut program = exec_of(&desk, id);
    program
        .env("BASH_ENV", &start)
        .env("ENV", &start)
        .env("IFS", ":")
        .env("CDPATH", "/")
        .env("SHELLOPTS", "xtrace");
    program
        .env("BASH_FUNC_ls%%", "() { touch hijacked; }")
        .env("PS4", "$(touch hijacked)")
        .env("PROMPT_COMMAND", "touch hijacked");
    program
        .env("LD_LIBRARY_PATH", "/nowhere")
        .env("LD_AUDIT", "")
        .env("GIT_SSH_COMMAND", "touch hijacked")
        .env("API_TOKEN", "secret-token");
    program.env("PATH", format!(".:bin:{PATH}"));
    let done = program.output().unwrap();
    let out = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(
        done.status.success() && out.starts_with("a:b|$' \\t\\n'|start.sh\n"),
        "{out} {}",
        words(&done)
    );
    for name in [
        "BASH_ENV",
        "CDPATH",
        "SHELLOPTS",
        "PS4",
        "LD_",
        "GIT_SSH",
        "secret-token",
        "hijacked",
        "PATH=.",
        ":bin:",
    ] {
        assert!(
            !out.contains(name) && !words(&done).contains(name),
            "{name}: {out}"
        );
    }
    assert!(!desk.scene.workspace.join("hijacked").exists());
}

#[test]
fn it_runs_in_the_folder_it_was_approved_for() {
    let desk = Desk::with(&[("inner/here", ""), ("there", "")]);
    let inner = json!({"tool": "terminal", "id": "it", "args": {"command": "ls"}, "cwd": "inner"});
    let id = hold_call(&desk, &["--approve-all"], inner);
    let done = exec_of(&desk, id).current_dir("/").output().unwrap();
    assert_eq!(
        (done.stdout.as_slice(), done.status.code()),
        (&b"here\n"[..], Some(0)),
        "{}",
        words(&done)
    );
}

#[test]
fn answers_for_more_than_one_call_hold_for_what_is_held() {
    let desk = Desk::with(&[("a", "b\na\n")]);
    for (answers, count) in [("r", 3), ("s,y,s,y", 2)] {
        let calls = json!([
            call("sort -o x a"),
            call("sort -o x a"),
            call("sort -o x a")
        ]);
        let (results, code) = desk.results(&["--hold", "--answers", answers], &calls);
        assert_eq!(code, 0, "{answers}: {results}");
        for result in results["results"].as_array().unwrap().iter().take(count) {
            let done = exec(&desk, result["held"].as_str().unwrap());
            assert_eq!(
                done.status.code(),
                Some(0),
                "{answers}: {} {result}",
                words(&done)
            );
            // What was shown was this folder without the file.
            fs::remove_file(desk.scene.workspace.join("x")).unwrap();
        }
    }
}
