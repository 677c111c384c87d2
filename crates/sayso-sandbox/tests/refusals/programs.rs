//! Programs as they are: threads, forks of all kinds, signals, filters of their own, floods, and a sudden end.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use sayso_sandbox::refusal::{Kind, Refused};
use sayso_sandbox::refusals::drain;

use crate::desk::{Desk, HOME, Test, has, is_root};

pub const TESTS: &[Test] = &[
    (
        "a_program_that_is_hidden_is_noted_unless_it_is_found_later",
        a_program_that_is_hidden_is_noted_unless_it_is_found_later,
    ),
    (
        "a_program_with_its_owners_rights_gets_none",
        a_program_with_its_owners_rights_gets_none,
    ),
    (
        "a_flood_stays_small_and_comes_to_its_end",
        a_flood_stays_small_and_comes_to_its_end,
    ),
    (
        "threads_and_every_kind_of_fork_are_watched",
        threads_and_every_kind_of_fork_are_watched,
    ),
    ("signals_do_not_break_calls", signals_do_not_break_calls),
    (
        "a_kill_in_the_middle_leaves_nothing_waiting",
        a_kill_in_the_middle_leaves_nothing_waiting,
    ),
    ("a_static_program_is_watched", a_static_program_is_watched),
    (
        "a_filter_of_the_programs_own_works_beside",
        a_filter_of_the_programs_own_works_beside,
    ),
    ("a_listener_can_be_handed_on", a_listener_can_be_handed_on),
    (
        "a_command_ends_that_nothing_is_noted_of",
        a_command_ends_that_nothing_is_noted_of,
    ),
];

fn a_program_that_is_hidden_is_noted_unless_it_is_found_later() {
    let desk = Desk::new();
    let hidden = Refused::Exec(format!("{HOME}/bin/tool").into());
    assert_eq!(desk.run("exec ~/bin/tool").refused(), [hidden]);
    let search = desk.python("import os; os.environ['PATH'] = os.environ['HOME'] + '/bin:' + os.environ['PATH']; os.execvp('true', ['true'])");
    assert_eq!((search.code, search.refused()), (Some(0), vec![]));
}

fn a_program_with_its_owners_rights_gets_none() {
    if is_root() || !has("su") {
        return;
    }
    let refused = Desk::new().run("su -c true < /dev/null; exit 1").refused();
    assert!(
        matches!(&refused[..], [Refused::Privilege(path), ..] if path.ends_with("su")),
        "{refused:?}"
    );
}

fn a_flood_stays_small_and_comes_to_its_end() {
    let ran = Desk::new().python(
        "import os\nfor n in range(100000):\n try: os.mkdir('/etc/x%d' % n)\n except OSError: pass\ntry: os.execv(os.environ['HOME'] + '/tool', ['x'])\nexcept OSError: pass",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let of = |kind: Kind| {
        ran.refused()
            .iter()
            .filter(|what| what.kind() == kind)
            .count()
    };
    assert_eq!((of(Kind::Write), of(Kind::Program)), (32, 1));
    assert_eq!(ran.refused()[0], Refused::Create("/etc/x0".into()));
}

fn threads_and_every_kind_of_fork_are_watched() {
    let desk = Desk::new();
    let ran = desk.python(
        "import os, subprocess, threading\ndef one(n):\n for m in range(200):\n  os.mkdir('d%d-%d' % (n, m))\n try: os.mkdir('/etc/t%d' % n)\n except OSError: pass\nthreads = [threading.Thread(target=one, args=(n,)) for n in range(8)]\n[t.start() for t in threads]\n[t.join() for t in threads]\nif os.fork() == 0:\n try: os.mkdir('/etc/fork')\n except OSError: pass\n os._exit(0)\nos.wait()\nos.waitpid(os.posix_spawn('/bin/mkdir', ['mkdir', '/etc/spawn'], {}), 0)\nsubprocess.run(['/bin/mkdir', '/etc/vfork'], stderr=subprocess.DEVNULL)",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
    let refused = ran.refused();
    let threads = (0..8).map(|number| format!("t{number}"));
    for name in threads.chain(["fork", "spawn", "vfork"].map(str::to_owned)) {
        let what = Refused::Create(format!("/etc/{name}").into());
        assert!(refused.contains(&what), "{name}: {refused:?}");
    }
    assert!(fs::read_dir(&desk.workspace).unwrap().count() >= 1600);
}

fn signals_do_not_break_calls() {
    // With a handler that does not ask for restarts, a call that waits for its answer can be interrupted: a stated limit.
    let ran = Desk::new().python(
        "import os, signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\nsignal.siginterrupt(signal.SIGALRM, False)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\nfor n in range(5000):\n os.mkdir('d'); os.rmdir('d')\nsignal.setitimer(signal.ITIMER_REAL, 0)",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.output);
}

fn a_kill_in_the_middle_leaves_nothing_waiting() {
    let desk = Desk::new();
    for inside in [true, false] {
        let script = "while :; do mkdir /etc/x d; rmdir d; done 2> /dev/null & for n in {1..5}; do (while :; do : > f; done) & done; echo started; sleep 0.2; kill -9 0";
        let mut ready = desk.ready(&["/bin/bash", "--norc", "-c", script]);
        let mut child = ready.command.stdout(Stdio::piped()).spawn().unwrap();
        drop(ready.command);
        let mut started = [0; 8];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut started)
            .unwrap();
        if !inside {
            child.kill().unwrap();
        }
        child.wait().unwrap();
        // It comes back: neither the thread outside nor what it waited for hangs.
        ready.guard.report();
    }
}

fn a_static_program_is_watched() {
    if !has("busybox") {
        return;
    }
    let refused = Desk::new().run("busybox mkdir /etc/b; exit 1").refused();
    assert_eq!(refused, [Refused::Create("/etc/b".into())]);
}

fn a_filter_of_the_programs_own_works_beside() {
    // It allows everything but `mkdir` and `mkdirat`, which it answers with an error of its own; a second listener is refused.
    let ran = Desk::new().python(
        "import ctypes, struct, os\nlibc = ctypes.CDLL(None, use_errno=True)\narm = os.uname().machine == 'aarch64'\nnumbers = [34] if arm else [83, 258]\ncode = [(0x20, 0, 0, 0)] + [(0x15, 0, 1, n) for n in numbers for _ in [0]]\ncode = [(0x20, 0, 0, 0)]\nfor n in numbers: code += [(0x15, 0, 1, n), (6, 0, 0, 0x00050000 | 95)]\ncode += [(6, 0, 0, 0x7fff0000)]\nraw = b''.join(struct.pack('HBBI', *one) for one in code)\nbuf = ctypes.create_string_buffer(raw)\nprog = struct.pack('HxxxxxxQ', len(code), ctypes.addressof(buf))\nseccomp = 277 if arm else 317\nprint('listener', libc.syscall(seccomp, 1, 8, prog), ctypes.get_errno())\nassert libc.syscall(seccomp, 1, 0, prog) == 0\ntry: os.mkdir('/etc/x')\nexcept OSError as e: print('mkdir', e.errno)\ntry: open('/etc/y', 'w')\nexcept OSError as e: print('open', e.errno)",
    );
    assert_eq!(
        ran.output,
        format!("listener -1 {}\nmkdir 95\nopen 30\n", libc::EBUSY)
    );
    assert_eq!(ran.refused(), [Refused::Create("/etc/y".into())]);
}

fn a_listener_can_be_handed_on() {
    let desk = Desk::new();
    let mut ready = desk.ready(&[
        "/bin/bash",
        "--norc",
        "-c",
        "touch /etc/a; echo started; read; mkdir d; touch /etc/b; echo ended $?",
    ]);
    let mut child = ready
        .command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(ready.command);
    let mut out = child.stdout.take().unwrap();
    let mut started = [0; 8];
    out.read_exact(&mut started).unwrap();
    let watcher = ready.guard.take_watcher().unwrap();
    assert_eq!(watcher.refusals().len(), 1);
    let listener = watcher.into_listener().unwrap();
    let draining = std::thread::spawn(move || drain(&listener));
    drop(child.stdin.take());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "ended 1\n");
    assert!(child.wait().unwrap().success());
    // Nothing lives any more that could call.
    draining.join().unwrap();
    assert!(desk.workspace.join("d").exists());
}

fn a_command_ends_that_nothing_is_noted_of() {
    let desk = Desk::new();
    let ran = desk.run_words(&["/nothing/here"]);
    assert_eq!(ran.code, Some(127), "{}", ran.output);
    // One that is never started.
    let ready = desk.ready(&["/bin/true"]);
    drop(ready);
    let mut ready = desk.ready(&["/bin/true"]);
    ready.command = Command::new("/bin/true");
    assert!(ready.command.status().unwrap().success());
    ready.guard.report();
}
