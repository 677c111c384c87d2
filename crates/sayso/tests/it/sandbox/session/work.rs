//! What the commands of one session share, and sessions do not.

use super::room::{Room, wait_until};
use crate::sandbox::works;

const SERVE: &str = "python3 -m http.server 8765 >/dev/null 2>&1 & \
                     until curl -s -o /dev/null http://127.0.0.1:8765/; do sleep 0.05; done; echo up";

#[test]
fn a_server_of_one_command_answers_the_next_and_can_be_ended_there() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    std::fs::write(room.workspace.join("page.txt"), "served\n").unwrap();
    let started = room.run("s", SERVE);
    assert_eq!(started.output, "up\n");
    assert_eq!(started.left_running.len(), 1, "{:?}", started.left_running);
    assert!(
        started.left_running[0].starts_with("`python3 -m http.server 8765` (pid "),
        "{:?}",
        started.left_running
    );
    let curl = "curl -s http://127.0.0.1:8765/page.txt";
    assert_eq!(room.says("s", curl), "served\n");
    // Another session has a network and processes of its own.
    assert_eq!(room.run("other", curl).output, "");
    assert!(!room.says("other", "ps ax").contains("http.server"));
    let ended = room.run("s", "pkill -f '[h]ttp.server 8765' && echo ended");
    assert_eq!(ended.output, "ended\n");
    assert_eq!(room.run("s", curl).output, "");
}

#[test]
fn temporary_files_are_the_session_s_and_no_other_sees_them() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let file = format!("{folder}/note");
        room.run("s", &format!("echo kept > {file}"));
        assert_eq!(room.says("s", &format!("cat {file}")), "kept\n", "{file}");
        let other = room.run("other", &format!("cat {file}"));
        assert_ne!(other.end, sayso_tools::terminal::End::Exit(0), "{file}");
        assert_eq!(room.run_alone(&format!("ls {folder}")).output, "", "{file}");
    }
}

#[test]
fn a_workspace_in_the_folder_for_temporary_files_works_too() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::below(&std::env::temp_dir());
    room.run("s", "echo one > file; echo two > /tmp/file");
    assert_eq!(room.says("s", "cat file /tmp/file"), "one\ntwo\n");
    assert!(room.folder("s").join("tmp/file").exists());
}

#[test]
fn what_still_writes_to_the_output_of_an_ended_command_does_not_break() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let script = "(trap 'echo broke > broken' PIPE; i=0; while [ $i -lt 400 ]; do \
                  printf '%4096s' x || { echo failed > broken; exit 1; }; i=$((i+1)); sleep 0.002; done; echo whole > done) & echo first";
    let outcome = room.run("s", script);
    assert!(outcome.output.starts_with("first"), "{}", outcome.output);
    assert!(!outcome.left_running.is_empty());
    wait_until("it writes all", || {
        room.workspace.join("done").exists() || room.workspace.join("broken").exists()
    });
    assert!(!room.workspace.join("broken").exists());
}

#[test]
fn a_limit_on_time_ends_all_of_its_command_and_nothing_else() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    room.run("s", "exec -a stays-here sleep 300 > /dev/null 2>&1 &");
    let mut given = room.given("s");
    given.time = std::time::Duration::from_secs(1);
    // One that has left its group and its environment goes, too.
    let text = "env -i setsid bash -c 'exec -a goes-along sleep 300' > /dev/null 2>&1 & sleep 300";
    let outcome = room.run_with(&given, text);
    assert!(matches!(
        outcome.end,
        sayso_tools::terminal::End::TimeLimit(_)
    ));
    let left = room.says("s", "ps axo args");
    assert!(left.contains("stays-here"), "{left}");
    assert!(!left.contains("goes-along"), "{left}");
}

/// The listener of the watcher goes to the holder: without one, each of these calls would fail.
#[test]
fn what_is_refused_is_seen_in_a_session_and_what_is_left_running_goes_on() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let script = "(while [ ! -e go ]; do sleep 0.01; done; \
                  for i in 1 2 3; do mkdir late$i && : > late$i/file || exit 1; done; touch done) & \
                  touch /etc/sayso-test; echo first";
    let outcome = room.run("s", script);
    assert!(outcome.output.contains("first"), "{}", outcome.output);
    assert!(!outcome.left_running.is_empty());
    let seen: Vec<String> = outcome
        .refusals
        .iter()
        .map(sayso_core::text::json::write)
        .collect();
    let has = |text: &str| seen.iter().any(|one| one.contains(text));
    assert!(has("/etc/sayso-test") && has("\"kernel\""), "{seen:?}");
    // Another command of the session works beside it, and is watched by its own.
    assert_eq!(room.says("s", "touch go && echo second"), "second\n");
    wait_until("it makes its folders", || {
        room.workspace.join("done").exists()
    });
    assert!(room.workspace.join("late3/file").exists());
}
