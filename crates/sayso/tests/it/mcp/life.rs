//! How it begins and ends: as the server does, with it, and with nothing left behind.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use super::{Gated, LONGEST, OPEN, got, small};
use crate::desk::Desk;

fn open() -> Desk {
    let desk = Desk::with(&[]);
    desk.scene.user_policy(OPEN);
    desk
}

fn shell(text: &str) -> Vec<String> {
    ["sh", "-c", text].map(str::to_owned).to_vec()
}

fn pid(gated: &Gated) -> Pid {
    Pid::from_child(&gated.child)
}

#[test]
fn it_ends_as_the_server_ends() {
    let desk = open();
    for code in [0, 1, 42] {
        let mut gated = Gated::of(
            &desk,
            &[],
            &shell(&format!("exit {code}"))
                .into_iter()
                .collect::<Vec<_>>(),
        );
        assert_eq!(
            gated.ended().code(),
            Some(2),
            "it has no plain name by its command"
        );
        let mut gated = Gated::of(&desk, &["--name", "s"], &shell(&format!("exit {code}")));
        assert_eq!(gated.ended().code(), Some(code));
    }
    let mut gated = Gated::of(&desk, &["--name", "s"], &shell("kill -TERM $$"));
    assert_eq!(gated.ended().signal(), Some(15));
    let mut gated = Gated::of(&desk, &["--name", "s"], &["/no/such/server".to_owned()]);
    assert_eq!(gated.ended().code(), Some(127));
    assert!(gated.complaints().contains("could not be started"));
}

#[test]
fn signals_and_the_error_stream_are_the_servers() {
    let desk = open();
    let mut gated = Gated::of(
        &desk,
        &["--name", "s"],
        &shell("trap 'echo caught >&2; exit 9' TERM; echo ready; while :; do sleep 0.01; done"),
    );
    assert_eq!(gated.line(), "ready\n");
    kill_process(pid(&gated), Signal::TERM).unwrap();
    assert_eq!(gated.ended().code(), Some(9));
    assert_eq!(gated.complaints(), "caught\n");
    let mut gated = Gated::start(&desk);
    gated.called(1, "stderr", json!({"text": "\u{1b}[31mas it is\n"}));
    assert_eq!(gated.complaints(), "\u{1b}[31mas it is\n");
}

/// Waits until a process is gone.
pub fn is_gone(process: i32) {
    let end = Instant::now() + LONGEST;
    let pid = Pid::from_raw(process).unwrap();
    let is_zombie = || {
        std::fs::read_to_string(format!("/proc/{process}/stat"))
            .is_ok_and(|stat| stat.contains(") Z "))
    };
    while test_kill_process(pid).is_ok() && !is_zombie() {
        assert!(Instant::now() < end, "it lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_killed_gateway_takes_the_server_with_it() {
    let desk = open();
    let mut gated = Gated::of(
        &desk,
        &["--name", "s"],
        &shell("trap '' TERM HUP; echo $$; while :; do sleep 0.01; done"),
    );
    let server: i32 = gated.line().trim().parse().unwrap();
    kill_process(pid(&gated), Signal::KILL).unwrap();
    is_gone(server);
}

#[test]
fn a_client_that_goes_away_ends_a_server_that_does_not_want_to() {
    let desk = open();
    let server: i32 = {
        let mut gated = Gated::of(
            &desk,
            &["--name", "s"],
            &shell("trap '' TERM HUP; echo $$; while :; do sleep 0.01; done"),
        );
        let server = gated.line().trim().parse().unwrap();
        // Both ends of the client, and no signal.
        gated.close();
        let Gated { child, .. } = &mut gated;
        let process = i32::try_from(child.id()).unwrap();
        let mut forgotten = std::mem::ManuallyDrop::new(gated);
        forgotten.hang_up();
        is_gone(process);
        server
    };
    is_gone(server);
}

#[test]
fn a_server_that_dies_in_a_call_is_told_in_the_record() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    gated.call(1, "die", json!({}));
    assert_eq!(gated.line(), "");
    assert_eq!(gated.ended().code(), Some(3));
    let finished = desk.entries("finished");
    assert_eq!(
        (finished.len(), &finished[0]["succeeded"]),
        (1, &json!(false))
    );
}

#[test]
fn what_was_said_before_the_end_still_comes() {
    let desk = open();
    let mut gated = Gated::start(&desk);
    for id in 0..200 {
        gated.call(id, "echo", json!({}));
    }
    gated.close();
    let rest = gated.rest();
    assert_eq!(rest.lines().count(), 200);
    assert_eq!(gated.ended().code(), Some(7));
    assert_eq!(got(&desk).lines().count(), 200);
}

#[test]
fn the_name_of_a_server_is_plain() {
    let desk = open();
    for name in ["", "a/b", "a__b", "ü", "a b", "a\u{200b}", &"x".repeat(65)] {
        let done = crate::program::run(
            desk.program()
                .args(["mcp", "--name", name, "--"])
                .args(small()),
            b"",
        );
        assert_eq!(done.code, 2, "{name}: {done:?}");
    }
}

#[test]
fn what_a_server_starts_may_not_change_what_people_decide() {
    let desk = open();
    let own = env!("CARGO_BIN_EXE_sayso");
    let mut gated = Gated::of(
        &desk,
        &["--name", "s"],
        &shell(&format!("{own} rules add --allow --mcp s/x >&2; exit $?")),
    );
    assert_eq!(gated.ended().code(), Some(20));
    assert!(gated.complaints().contains("started below"));
}
