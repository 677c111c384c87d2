//! A command that was given more has a sandbox to itself, into which nothing that is left running can look.

use std::fs;
use std::os::unix::net::UnixListener;

use super::room::{Room, everything, wait_until};
use crate::sandbox::works;

/// What a process in the background tries all the time: to see anything of another command.
const LOOKER: &str = r#"
import os, socket, time, glob, ctypes
def look():
    for pid in os.listdir('/proc'):
        if not pid.isdigit(): continue
        for name in ('environ', 'cmdline', 'maps'):
            try:
                text = open('/proc/%s/%s' % (pid, name), 'rb').read()
                if b'given' + b'-more-secret' in text: yield 'proc ' + name
            except OSError: pass
        try:
            for fd in os.listdir('/proc/%s/fd' % pid):
                try:
                    f = os.open('/proc/%s/fd/%s' % (pid, fd), os.O_RDONLY | os.O_NONBLOCK)
                    try: text = os.read(f, 100)
                    finally: os.close(f)
                    if b'given' + b'-more-secret' in text: yield 'fd'
                except OSError: pass
        except OSError: pass
    for name in glob.glob('/tmp/*.sock') + ['\0given-more']:
        s = socket.socket(socket.AF_UNIX); s.settimeout(0.05)
        try:
            s.connect(name); yield 'socket ' + repr(name)
        except OSError: pass
        s.close()
    s = socket.socket(); s.settimeout(0.05)
    try:
        s.connect(('127.0.0.1', 9321)); yield 'port'
    except OSError: pass
    s.close()
    for path in glob.glob('/dev/shm/*'):
        try:
            if b'given' + b'-more-secret' in open(path, 'rb').read(): yield 'shm'
        except OSError: pass
    try:
        if b'given' + b'-more-secret' in open('outside-secret', 'rb').read(): yield 'file'
    except OSError: pass
seen = open('looker-seen', 'a')
open('looker-up', 'w').close()
while not os.path.exists('looker-stop'):
    for what in look():
        seen.write(what + '\n'); seen.flush()
    time.sleep(0.01)
open('looker-over', 'w').close()
"#;

/// What the command that was given more does meanwhile.
const MORE: &str = r#"
import os, socket, sys, time
secret = open(sys.argv[1]).read()
os.environ['TOKEN'] = secret
held = open(sys.argv[1])
a = socket.socket(socket.AF_UNIX); a.bind('/tmp/more.sock'); a.listen()
b = socket.socket(socket.AF_UNIX); b.bind('\0given-more'); b.listen()
c = socket.socket(); c.bind(('127.0.0.1', 9321)); c.listen()
open('/dev/shm/more', 'w').write(secret)
end = time.time() + 2
for s in (a, b, c): s.settimeout(0.6)
got = []
for s in (a, b, c):
    try:
        s.accept(); got.append('reached')
    except OSError: pass
os.unlink('/tmp/more.sock')
print('done', got, 'looker' in ''.join(open('/proc/%s/cmdline' % p).read() for p in os.listdir('/proc') if p.isdigit() and int(p) < os.getpid() - 2))
"#;

#[test]
fn nothing_left_running_sees_a_command_that_was_given_more() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    fs::write(room.workspace.join("looker.py"), LOOKER).unwrap();
    fs::write(room.workspace.join("more.py"), MORE).unwrap();
    let secret = room.home.join("given.txt");
    fs::write(&secret, "given-more-secret\n").unwrap();
    let started = room.run("s", "python3 looker.py > /dev/null 2>&1 & until [ -e looker-up ]; do sleep 0.02; done; echo kept > /tmp/note");
    assert_eq!(started.left_running.len(), 1);
    let seen = || fs::read_to_string(room.workspace.join("looker-seen")).unwrap();
    // It finds what it can: a command of its own session.
    room.run("s", "GIVEN=given-more-secret sleep 1");
    wait_until("it sees what is in its session", || {
        seen().contains("proc environ")
    });
    fs::write(room.workspace.join("looker-seen"), "").unwrap();
    let before = room.holder("s");
    let mut given = room.given("s");
    given.terms.reads = vec![secret.to_str().unwrap().to_owned()];
    for network in [sayso_core::policy::terms::Network::Nothing, everything()] {
        given.terms.network = network;
        let text = format!(
            "cat /tmp/note; python3 more.py {}; echo made > /tmp/by-more",
            secret.display()
        );
        let outcome = room.run_with(&given, &text);
        assert_eq!(outcome.output, "kept\ndone [] False\n");
        assert_eq!(room.says("s", "cat /tmp/by-more"), "made\n");
    }
    assert_eq!(room.holder("s"), before);
    fs::write(room.workspace.join("looker-stop"), "").unwrap();
    wait_until("the process goes on", || {
        room.workspace.join("looker-over").exists()
    });
    let seen = seen();
    let seen: Vec<&str> = seen
        .lines()
        .filter(|line| !line.starts_with("proc cmdline"))
        .collect();
    assert!(seen.is_empty(), "{seen:?}");
    assert!(
        !room
            .says("s", &format!("cat {}", secret.display()))
            .contains("given-more-secret")
    );
}

#[test]
fn a_socket_that_a_left_process_made_in_tmp_is_hidden_from_a_command_that_was_given_more() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let server = "python3 -c \"import socket,time; s=socket.socket(socket.AF_UNIX); s.bind('/tmp/in.sock'); s.listen(); time.sleep(300)\" \
                  > /dev/null 2>&1 & until [ -S /tmp/in.sock ]; do sleep 0.02; done";
    room.run("s", server);
    let connect = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('/tmp/in.sock'); print('reached')\"";
    assert_eq!(room.says("s", connect), "reached\n");
    let mut given = room.given("s");
    given.terms.network = everything();
    let outcome = room.run_with(&given, connect);
    assert!(!outcome.output.contains("reached"), "{}", outcome.output);
}

#[test]
fn while_commands_run_in_the_session_one_that_was_given_more_has_its_own_temporary_files() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    room.run("s", "echo kept > /tmp/note");
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            room.run(
                "s",
                "touch up; until [ -e go ]; do sleep 0.02; done; cat /tmp/note",
            )
        });
        wait_until("it runs", || room.workspace.join("up").exists());
        let mut given = room.given("s");
        given.terms.network = everything();
        assert_eq!(room.run_with(&given, "ls /tmp").output, "");
        fs::write(room.workspace.join("go"), "").unwrap();
        assert_eq!(other.join().unwrap().output, "kept\n");
    });
}

#[test]
fn a_link_that_was_put_on_the_way_to_a_mount_leads_nowhere() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::below(&std::env::temp_dir());
    let trap = room.home.join("trap");
    fs::create_dir(&trap).unwrap();
    // The way to the workspace is below the folder that the session shares.
    let first = room
        .workspace
        .strip_prefix("/tmp")
        .ok()
        .and_then(|rest| rest.components().next());
    let Some(first) = first else {
        return;
    };
    let first = first.as_os_str().to_str().unwrap();
    room.run(
        "s",
        &format!(
            "mv /tmp/{first} /tmp/old; ln -s /oldroot{} /tmp/{first}; true",
            trap.display()
        ),
    );
    let mut given = room.given("s");
    given.terms.network = everything();
    let outcome = room.try_run(&given, "pwd");
    assert_eq!(fs::read_dir(&trap).unwrap().count(), 0, "{outcome:?}");
}

#[test]
fn the_socket_of_the_holder_is_not_there_for_commands() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    room.run("s", "true");
    let socket = room.folder("s").join("socket");
    assert!(socket.exists());
    let outcome = room.run("s", &format!("ls {}", socket.display()));
    assert!(
        outcome.output.contains("No such file"),
        "{}",
        outcome.output
    );
    // Nothing else of the machine can listen in its place, since its folder is closed to others.
    assert!(UnixListener::bind(&socket).is_err());
}
