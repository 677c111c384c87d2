//! A command in the sandbox of a session is bounded as one with a sandbox to itself: compared by what each finds of itself.

use super::room::Room;
use crate::sandbox::works;

/// What the kernel tells a process of itself, without what differs from one process to the next.
const LOOK: &str = r#"
import os, re, resource
status = open('/proc/self/status').read()
for line in status.splitlines():
    name = line.split(':')[0]
    if re.match(r'Cap|NoNewPrivs|Seccomp|Uid|Gid|Groups|Sig(Blk|Ign|Cgt)|Threads|Umask|Speculation|THP|CoreDumping', name):
        print(line)
for name in sorted(dir(resource)):
    if name.startswith('RLIMIT_'):
        print(name, resource.getrlimit(getattr(resource, name)))
def mounts():
    for line in open('/proc/self/mountinfo'):
        left, right = line.split(' - ')
        words = left.split()
        kind = right.split()[0]
        root, place, options = words[3], words[4], words[5]
        if kind in ('tmpfs', 'proc', 'devpts', 'mqueue'):
            root = '-'
        yield (place, root, options, kind)
for mount in sorted(mounts()):
    print(*mount)
for name in sorted(os.listdir('/proc/self/ns')):
    own, first = os.stat('/proc/self/ns/' + name).st_ino, os.stat('/proc/1/ns/' + name).st_ino
    print('ns', name, own == first)
print('fds', sorted(int(n) for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n)))
for n in (0, 1, 2):
    print(n, re.sub(r'\d+', 'N', os.readlink('/proc/self/fd/%d' % n)))
print('sid', os.getsid(0), 'cwd', os.getcwd(), 'nice', os.nice(0), 'oom', open('/proc/self/oom_score_adj').read().strip())
print('personality', open('/proc/self/personality').read().strip())
print('cgroup', open('/proc/self/cgroup').read().strip())
print('dumpable', os.stat('/proc/self/environ').st_uid == os.getuid())
for name, value in sorted(os.environ.items()):
    print(name, re.sub('[0-9a-f]{32}', 'M', value))
for name in ('hostname', 'domainname'):
    print(name, open('/proc/sys/kernel/' + name).read().strip())
print(sorted(os.listdir('/')), sorted(os.listdir('/dev')))
"#;

#[test]
fn a_command_in_a_session_has_the_bounds_of_one_with_a_sandbox_to_itself() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    std::fs::write(room.workspace.join(".env"), "KEY=1\n").unwrap();
    std::fs::create_dir_all(room.workspace.join(".vscode")).unwrap();
    std::fs::write(room.workspace.join("look.py"), LOOK).unwrap();
    let git = std::process::Command::new("git")
        .args(["init", "-q", "."])
        .current_dir(&room.workspace)
        .status();
    assert!(git.unwrap().success());
    let text = "python3 -I look.py";
    let alone = room.run_alone(text).output;
    let first = room.says("s", text);
    let second = room.says("s", text);
    // The folders for temporary files are the session's, and nothing else differs.
    let without = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with("/tmp ") && !line.starts_with("/var/tmp "))
            .map(str::to_owned)
            .collect()
    };
    assert!(
        alone.contains("Seccomp:\t2") && alone.contains("NoNewPrivs:\t1"),
        "{alone}"
    );
    for session in [first, second] {
        let (alone, session) = (without(&alone), without(&session));
        let differs: Vec<_> = alone
            .iter()
            .filter(|line| !session.contains(line))
            .map(|line| format!("- {line}"))
            .chain(
                session
                    .iter()
                    .filter(|line| !alone.contains(line))
                    .map(|line| format!("+ {line}")),
            )
            .collect();
        assert!(differs.is_empty(), "{}", differs.join("\n"));
    }
}

#[test]
fn what_was_refused_to_one_with_a_sandbox_to_itself_is_refused_in_a_session() {
    if !works("the sandbox of a session") {
        return;
    }
    let room = Room::new();
    let text = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    ctypes.set_errno(0)
    got = libc.syscall(*words)
    print(words[0], got if got < 0 else 'done', ctypes.get_errno())
for number in (101, 165, 166, 155, 161, 272, 308, 310, 311, 321, 425, 428, 429, 430, 434, 438):
    call(number, 0x10000000 if number == 272 else 0, 0, 0, 0, 0)
"#;
    std::fs::write(room.workspace.join("calls.py"), text).unwrap();
    let alone = room.run_alone("python3 -I calls.py").output;
    assert_eq!(room.says("s", "python3 -I calls.py"), alone);
}
