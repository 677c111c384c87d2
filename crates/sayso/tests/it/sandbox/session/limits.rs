//! Limits of a whole session, which none of its commands passes alone.

use super::room::{Room, wait_until};
use crate::sandbox::works;

#[test]
fn a_command_that_takes_too_much_memory_is_ended_with_the_limit_named() {
    if !works("the sandbox of a session") {
        return;
    }
    let mut room = Room::new();
    room.limits.memory = Some(200);
    room.run("s", "exec -a harmless sleep 300 > /dev/null 2>&1 &");
    let outcome = room.run(
        "s",
        "python3 -c 'b = bytearray(400 << 20); import time; time.sleep(60)'",
    );
    let limit = outcome.limit.unwrap_or_default();
    assert!(
        limit.contains("200 MiB of memory (`sandbox.session.memory`)"),
        "{limit}"
    );
    assert_eq!(room.running("harmless"), 1);
}

#[test]
fn a_session_that_fills_its_temporary_files_is_ended_with_the_limit_named() {
    if !works("the sandbox of a session") {
        return;
    }
    let mut room = Room::new();
    room.limits.tmp = 16;
    let outcome = room.run("s", "head -c 40000000 /dev/zero > /tmp/big; sleep 60");
    let limit = outcome.limit.unwrap_or_default();
    assert!(
        limit.contains("more than 16 MiB (`sandbox.session.tmp`)"),
        "{limit}"
    );
}

#[test]
fn too_many_processes_of_a_session_end() {
    if !works("the sandbox of a session") {
        return;
    }
    let mut room = Room::new();
    room.limits.processes = Some(20);
    room.run(
        "s",
        "for i in $(seq 40); do exec -a one-of-many sleep 300 > /dev/null 2>&1 & done",
    );
    wait_until("they end", || room.running("one-of-many") == 0);
}
