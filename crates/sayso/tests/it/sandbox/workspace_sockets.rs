//! Sockets that are files of the workspace: who listens there is outside, and has the network that the command has not.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};

use super::escapes::ground::{Who, as_who, hand_over, program_for_everybody};
use super::works;
use crate::program::run;
use crate::scene::{PATH, Scene};

const REACH: &str = r#"
import os, socket
for name in ['top.sock', 'node_modules/a/deep.sock', 'link.sock', 'hard.sock', '.git/fsmonitor--daemon.ipc', '.git/a/b.sock',
             '.claude/c.sock']:
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print('reached', name)
    except OSError as error:
        print('refused', name, error)
for flags in [0]:
    try:
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', 'log.sock')
        print('reached log.sock')
    except OSError as error:
        print('refused log.sock', error)
for name in ['top.sock', 'log.sock']:
    for change in [lambda: os.rename(name, name + '2'), lambda: os.unlink(name), lambda: os.link(name, name + '3')]:
        try:
            change(); print('changed', name)
        except OSError as error:
            print('kept', name, error)
# One of its own works.
own = socket.socket(socket.AF_UNIX); own.bind('own.sock'); own.listen()
socket.socket(socket.AF_UNIX).connect('own.sock'); print('own works')
"#;

#[test]
fn finding_d_05_sockets_of_the_workspace_are_not_reached_without_a_network() {
    if !works("sockets of the workspace") {
        return;
    }
    let program = program_for_everybody();
    for who in [Who::Person, Who::Root] {
        if who == Who::Root && !rustix::process::geteuid().is_root() {
            continue;
        }
        for (flags, reached) in [(&[][..], false), (&["--network"][..], true)] {
            let scene = Scene::empty();
            scene.git(&["init", "--quiet", "."]);
            for name in ["node_modules/a/x.js", ".git/a/x", ".claude/settings.json"] {
                scene.file(name, "{}");
            }
            let at = |name: &str| scene.workspace.join(name);
            let names = [
                "top.sock",
                "node_modules/a/deep.sock",
                ".git/fsmonitor--daemon.ipc",
                ".git/a/b.sock",
                ".claude/c.sock",
            ];
            let listeners: Vec<UnixListener> = names
                .iter()
                .map(|name| UnixListener::bind(at(name)).unwrap())
                .collect();
            let datagrams = UnixDatagram::bind(at("log.sock")).unwrap();
            symlink("top.sock", at("link.sock")).unwrap();
            std::fs::hard_link(at("top.sock"), at("hard.sock")).unwrap();
            for name in names.iter().chain(&["log.sock"]) {
                std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o777)).unwrap();
            }
            hand_over(&scene, who);
            let mut command = std::process::Command::new(program.path());
            command.arg("sandbox").args(flags).args([
                "--backend",
                "bubblewrap",
                "--",
                "python3",
                "-c",
                REACH,
            ]);
            command
                .env_clear()
                .env("PATH", PATH)
                .env("HOME", &scene.home)
                .current_dir(&scene.workspace);
            as_who(&mut command, who);
            let done = run(&mut command, b"");
            assert!(done.out.contains("own works"), "{who:?}: {done:?}");
            assert_eq!(done.out.contains("reached"), reached, "{who:?}: {done:?}");
            listeners
                .iter()
                .for_each(|listener| listener.set_nonblocking(true).unwrap());
            datagrams.set_nonblocking(true).unwrap();
            let came = listeners.iter().any(|listener| listener.accept().is_ok())
                || datagrams.recv(&mut [0; 8]).is_ok();
            assert_eq!(came, reached, "{who:?}: {done:?}");
            if !reached {
                assert!(!done.out.contains("changed"), "{who:?}: {done:?}");
            }
        }
    }
}
