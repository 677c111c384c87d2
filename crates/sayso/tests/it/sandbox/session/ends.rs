//! How a session's sandbox ends, and that nothing of it is left: whoever is killed.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::room::{Room, wait_until};
use crate::sandbox::works;

/// A process in the background that can be found again.
fn leave(room: &Room, mark: &str) {
    let text = format!("exec -a {mark} sleep 300 > /dev/null 2>&1 & echo left > /tmp/file");
    assert_eq!(room.run("s", &text).left_running.len(), 1);
    assert_eq!(room.running(mark), 1);
}

fn kill(id: i32) {
    kill_process(Pid::from_raw(id).unwrap(), Signal::KILL).unwrap();
}

fn mounts() -> usize {
    fs::read_to_string("/proc/self/mountinfo")
        .unwrap()
        .lines()
        .count()
}

#[test]
fn the_end_of_a_session_takes_everything_with_it() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let before = mounts();
    leave(&room, "ends-with-session");
    sayso_sandbox::session::end(&room.own, "s").unwrap();
    assert_eq!(room.running("ends-with-session"), 0);
    assert_eq!(room.holder("s"), None);
    assert!(!room.folder("s").exists());
    assert_eq!(room.names(), Vec::<String>::new());
    assert_eq!(mounts(), before);
}

#[test]
fn a_killed_holder_leaves_no_process_and_the_next_command_clears_up() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    leave(&room, "ends-with-holder");
    kill(room.holder("s").unwrap());
    wait_until("everything ends", || room.running("ends-with-holder") == 0);
    // A new sandbox, with the files of the old one.
    assert_eq!(room.says("s", "cat /tmp/file"), "left\n");
    assert!(room.holder("s").is_some());
    wait_until("no place is left", || room.names().is_empty());
}

#[test]
fn a_killed_bubblewrap_or_waiting_process_ends_the_session_and_the_next_command_has_a_new_one() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    for number in [1, 2] {
        leave(&room, "ends-with-sandbox");
        let holder = room.holder("s").unwrap();
        match number {
            // From inside: the first process cannot be killed there, the second can.
            1 => drop(room.run("s", "kill -9 1; kill -9 2; sleep 1")),
            _ => children(holder).into_iter().for_each(kill),
        }
        wait_until("everything ends", || room.running("ends-with-sandbox") == 0);
        wait_until("its holder ends", || room.holder("s") != Some(holder));
    }
    assert_eq!(room.says("s", "cat /tmp/file"), "left\n");
}

fn children(id: i32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    text.split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect()
}

#[test]
fn a_session_ends_with_the_process_that_it_belongs_to() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let mut agent = std::process::Command::new("sleep")
        .arg("300")
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut sandbox = room.sandbox(Some("s"));
    if let Some(choice) = &mut sandbox.session {
        choice.watch = Some(i32::try_from(agent.id()).unwrap());
    }
    room.run_in(
        &sandbox,
        &room.given("s"),
        "exec -a ends-with-agent sleep 300 > /dev/null 2>&1 &",
    );
    assert_eq!(room.running("ends-with-agent"), 1);
    agent.kill().unwrap();
    agent.wait().unwrap();
    wait_until("everything ends", || room.running("ends-with-agent") == 0);
    wait_until("nothing is left", || !room.folder("s").exists());
    assert_eq!(room.names(), Vec::<String>::new());
}

#[test]
fn a_session_without_life_ends_after_its_time_and_one_with_a_process_does_not() {
    if !works("the sandbox of a session") {
        return;
    }
    let mut room = Room::new();
    room.limits.idle = std::time::Duration::from_secs(1);
    leave(&room, "keeps-it");
    let holder = room.holder("s");
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(room.holder("s"), holder);
    room.run("s", "pkill -f [k]eeps-it");
    wait_until("it ends", || room.holder("s").is_none());
    assert_eq!(room.says("s", "cat /tmp/file"), "left\n");
}

#[test]
fn a_session_whose_folder_was_removed_ends() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    leave(&room, "ends-with-folder");
    fs::remove_dir_all(room.folder("s")).unwrap();
    wait_until("everything ends", || room.running("ends-with-folder") == 0);
    wait_until("no place is left", || room.names().is_empty());
}

#[test]
fn fifty_kills_at_odd_moments_leave_nothing() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    for round in 0..50_u64 {
        let wait = std::time::Duration::from_millis(round * 7 % 60);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(wait);
                room.holder("s").into_iter().for_each(|id| {
                    let _ = kill_process(Pid::from_raw(id).unwrap(), Signal::KILL);
                });
            });
            let given = room.given("s");
            // It may have been cut off; what matters is what is left.
            let _ = room.try_run(
                &given,
                "exec -a odd-moment sleep 300 > /dev/null 2>&1 & true",
            );
        });
    }
    room.holder("s").into_iter().for_each(kill);
    wait_until("no process is left", || room.running("odd-moment") == 0);
    sayso_sandbox::session::end(&room.own, "s").unwrap();
    room.run_alone("true");
    assert_eq!(room.names(), Vec::<String>::new());
    assert!(!room.folder("s").exists());
}
