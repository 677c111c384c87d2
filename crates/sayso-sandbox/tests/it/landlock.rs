//! Files out of reach stay there, siblings of hidden ones do not, and nothing outside hears of the command.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Command, Stdio};

use sayso_core::policy::terms::Network;
use sayso_sandbox::child::Child;
use sayso_sandbox::derive::SYSTEM;
use sayso_sandbox::landlock::{Enforced, abi, lacking, rules, scope_only};
use sayso_sandbox::profile::{Level, Limits, Profile};
use sayso_sandbox::seccomp::{Sockets, filter};

use crate::process::{
    Who, command, everybody, file, folder, holding, open_to_all, program, python, run,
};

/// A profile with the system to read, and these.
pub fn profile(cwd: &Path, paths: &[(&Path, Level)]) -> Profile {
    let system = SYSTEM
        .iter()
        .filter_map(|path| Path::new(path).canonicalize().ok())
        .map(|path| (path, Level::Read));
    Profile {
        cwd: cwd.to_owned(),
        paths: system
            .chain(
                paths
                    .iter()
                    .map(|(path, level)| (path.to_path_buf(), *level)),
            )
            .collect::<BTreeMap<_, _>>(),
        pinned: Vec::new(),
        links: BTreeMap::new(),
        placed: BTreeMap::new(),
        network: Network::Nothing,
        environment: Vec::new(),
        limits: Limits::default(),
    }
}

/// The steps for a profile; none, loudly, where the kernel has no Landlock.
pub fn steps(profile: &Profile, scratch: &Path, sockets: Option<Sockets>) -> Option<Child> {
    let made = rules(profile, scratch).unwrap();
    if made.enforced == Enforced::Not {
        eprintln!("NOT CHECKED: everything of Landlock, which this kernel does not have");
        return None;
    }
    let filter = sockets.map(|sockets| filter(sockets).unwrap());
    Some(Child {
        session: true,
        few_rights: true,
        landlock: made.fd,
        filter,
        ..Child::default()
    })
}

/// Says for each thing that is tried whether it worked.
const TRY: &str = "
import os, socket, sys
def can(what):
    try:
        what()
        return 'yes'
    except OSError as error:
        return 'no' if error.errno in (1, 13, 18) else 'error %d' % error.errno
def read(path): open(path, 'rb').read(1)
def write(path): open(path, 'ab').write(b'x')
def make(path): os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
";

/// Tries things, as everybody, and compares.
fn try_all(profile: &Profile, scratch: &Path, sockets: Option<Sockets>, tries: &[(String, &str)]) {
    for who in everybody() {
        let Some(child) = steps(profile, scratch, sockets) else {
            return;
        };
        let lines: Vec<String> = tries
            .iter()
            .map(|(what, _)| format!("print(can(lambda: {what}))\n"))
            .collect();
        let Some(told) = python(child, who, scratch, &format!("{TRY}{}", lines.concat())) else {
            return;
        };
        assert_eq!(told.lines().count(), tries.len(), "{told}");
        for (found, (what, wanted)) in told.lines().zip(tries) {
            assert_eq!(found, *wanted, "{what} as {who:?}");
        }
    }
}

#[test]
fn files_are_reached_as_the_profile_says() {
    let (top, scratch) = (folder(), folder());
    let top = top.path().canonicalize().unwrap();
    for name in [
        "out/secret",
        "read/plain",
        "read/deep/plain",
        "read/deep/key",
        "read/deep/closed/in",
        "read/shut",
        "write/file",
        "write/.env",
    ] {
        file(&top.join(name), "text");
    }
    for name in ["", "out", "read", "read/deep", "write"] {
        open_to_all(&top.join(name));
    }
    for name in ["out/secret", "read/plain", "write/file", "write/.env"] {
        open_to_all(&top.join(name));
    }
    std::os::unix::fs::symlink(top.join("out/secret"), top.join("read/link")).unwrap();
    std::os::unix::fs::symlink(top.join("out"), top.join("write/link")).unwrap();
    let (read, write) = (top.join("read"), top.join("write"));
    let profile = profile(
        &write,
        &[
            (&read, Level::Read),
            (&read.join("deep/key"), Level::Hidden),
            (&read.join("deep/closed"), Level::Hidden),
            (&read.join("shut"), Level::Hidden),
            (&write, Level::Write),
            (&write.join(".env"), Level::Hidden),
            (&write.join(".git/hooks"), Level::Read),
            (Path::new("/tmp"), Level::Private),
        ],
    );
    let at = |what: &str, path: &str| format!("{what}('{}')", top.join(path).display());
    let mut tries = vec![
        (at("read", "out/secret"), "no"),
        (at("write", "out/secret"), "no"),
        (at("make", "out/new"), "no"),
        (at("os.listdir", "out"), "no"),
        (at("os.remove", "out/secret"), "no"),
        (at("read", "read/plain"), "yes"),
        (at("write", "read/plain"), "no"),
        (at("make", "read/new"), "no"),
        (at("read", "read/deep/plain"), "yes"),
        (at("read", "read/deep/key"), "no"),
        (at("read", "read/deep/closed/in"), "no"),
        (at("os.listdir", "read/deep/closed"), "no"),
        (at("read", "read/shut"), "no"),
        (at("read", "read/link"), "no"),
        (
            format!(
                "os.link('{0}/read/shut', '{0}/write/linked')",
                top.display()
            ),
            "no",
        ),
        (
            format!("os.rename('{0}/out', '{0}/write/moved')", top.display()),
            "no",
        ),
        (at("read", "write/link/secret"), "no"),
        (
            format!("read('/proc/self/root{}/out/secret')", top.display()),
            "no",
        ),
        (at("write", "write/file"), "yes"),
        // Told as not covered: what is below a writable folder is writable, too.
        (at("read", "write/.env"), "yes"),
        ("read('/etc/passwd')".to_owned(), "yes"),
        ("write('/etc/passwd')".to_owned(), "no"),
        ("write('/dev/null')".to_owned(), "yes"),
        ("read('/dev/urandom')".to_owned(), "yes"),
        ("read('/dev/kmsg')".to_owned(), "no"),
        ("os.listdir('/tmp')".to_owned(), "no"),
        ("os.listdir('/dev/pts')".to_owned(), "no"),
        ("read('/proc/self/status')".to_owned(), "yes"),
        ("write('/proc/self/oom_score_adj')".to_owned(), "no"),
        (
            format!("read('/proc/{}/environ')", std::process::id()),
            "no",
        ),
        (
            format!("os.readlink('/proc/{}/fd/0')", std::process::id()),
            "no",
        ),
        (format!("read('/proc/{}/fd/0')", std::process::id()), "no"),
        (
            format!("os.stat('/proc/{}/root/')", std::process::id()),
            "no",
        ),
        (
            format!("read('/proc/{}/cwd/Cargo.toml')", std::process::id()),
            "no",
        ),
        (format!("read('/proc/{}/mem')", std::process::id()), "no"),
        (
            "os.mknod('device', 0o60600, os.makedev(8, 0))".to_owned(),
            "no",
        ),
    ];
    if Path::new("/proc/kcore").exists() {
        tries.push(("read('/proc/kcore')".to_owned(), "no"));
    } else {
        eprintln!("NOT CHECKED: the memory of the kernel, which is not a file here");
    }
    // The filter is not what refuses here.
    try_all(
        &profile,
        &scratch.path().canonicalize().unwrap(),
        None,
        &tries,
    );
}

#[test]
fn what_cannot_be_done_is_told() {
    let top = folder();
    let top = top.path().canonicalize().unwrap();
    file(&top.join(".env"), "x");
    file(&top.join(".git/hooks/x"), "x");
    let mut profile = profile(
        &top,
        &[
            (&top, Level::Write),
            (&top.join(".env"), Level::Hidden),
            (&top.join(".git/hooks"), Level::Read),
            (&top.join(".claude"), Level::Read),
            (&top.join("\u{202e}odd"), Level::Read),
        ],
    );
    profile.network = Network::Hosts(vec!["example.org".to_owned()]);
    profile.pinned.push(top.join(".git"));
    let told = rules(&profile, &top).unwrap().not_covered;
    for (name, words) in [
        (".env`", "should be hidden"),
        (".git/hooks`", "should be read-only"),
        (".claude`", "should stay absent"),
        (".git`", "should stay"),
        ("`example.org`", "network is refused"),
    ] {
        assert!(
            told.iter()
                .any(|line| line.contains(name) && line.contains(words)),
            "{name}: {told:?}"
        );
    }
    assert!(
        told.iter().all(|line| !line.contains('\u{202e}')),
        "{told:?}"
    );
    assert!(rules(&profile, &top.join("missing")).is_err());
}

#[test]
fn what_a_kernel_lacks_is_told() {
    assert!(lacking(Some(9)).is_empty());
    assert_eq!(lacking(None).len(), 1);
    let counts: Vec<usize> = (1..=9).map(|abi| lacking(Some(abi)).len()).collect();
    assert_eq!(counts, [6, 5, 4, 3, 2, 1, 1, 1, 0]);
    match abi() {
        Some(found) if found >= 9 => {}
        found => eprintln!(
            "NOT CHECKED: what this kernel lacks (Landlock {found:?}): {:?}",
            lacking(found)
        ),
    }
}

#[test]
fn the_network_is_out_of_reach() {
    let scratch = folder();
    let scratch = scratch.path().canonicalize().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let tcp = format!("socket.create_connection(('127.0.0.1', {port}))");
    let bind = "socket.socket().bind(('127.0.0.1', 0))".to_owned();
    let udp = format!(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))"
    );
    let pair = "socket.socketpair()".to_owned();
    let mut profile = profile(&scratch, &[(&scratch, Level::Write)]);
    if abi().is_some_and(|abi| abi >= 4) {
        // By Landlock alone, which does not know UDP.
        try_all(
            &profile,
            &scratch,
            None,
            &[
                (tcp.clone(), "no"),
                (bind.clone(), "no"),
                (udp.clone(), "yes"),
            ],
        );
    } else {
        eprintln!("NOT CHECKED: TCP by Landlock, which this kernel does not have");
    }
    let none = [
        (tcp.clone(), "no"),
        (bind.clone(), "no"),
        (udp.clone(), "no"),
        (pair.clone(), "yes"),
    ];
    try_all(&profile, &scratch, Some(Sockets::UnixOnly), &none);
    profile.network = Network::Everything;
    try_all(
        &profile,
        &scratch,
        Some(Sockets::Isolated),
        &[(tcp, "yes"), (bind, "yes"), (udp, "yes"), (pair, "yes")],
    );
}

/// A process that only waits for its input to end.
fn waiting(who: Who) -> std::process::Child {
    let folder = std::env::temp_dir();
    let mut command = command(&program("cat").unwrap(), who, &folder);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// An abstract socket with a name of its own.
fn abstract_socket(name: &str) -> UnixListener {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name).unwrap()).unwrap()
}

/// Tries a signal to a process outside, and an abstract socket there.
fn scope_tries(other: u32, name: &str) -> String {
    format!(
        "{TRY}\nprint(can(lambda: os.kill({other}, 0)))\n\
        print(can(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}')))\n\
        mine = os.fork()\n\
        if mine == 0: import time; time.sleep(60)\n\
        print(can(lambda: os.kill(mine, 9)))\nos.wait()\n\
        s = socket.socket(socket.AF_UNIX); s.bind('\\0{name}.mine'); s.listen()\n\
        print(can(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}.mine')))\n"
    )
}

#[test]
fn signals_and_abstract_sockets_stay_inside() {
    if abi().is_none_or(|abi| abi < 6) {
        eprintln!(
            "NOT CHECKED: signals and abstract sockets, which this kernel's Landlock does not know"
        );
        return;
    }
    let scratch = folder();
    let scratch = scratch.path().canonicalize().unwrap();
    let profile = profile(&scratch, &[(&scratch, Level::Write)]);
    for who in everybody() {
        let mut other = waiting(who);
        let name = format!("sayso-test-{}-{who:?}", std::process::id());
        let _outside = abstract_socket(&name);
        let script = scope_tries(other.id(), &name);
        let only = Child {
            landlock: scope_only().unwrap(),
            ..Child::default()
        };
        for (child, wanted) in [
            (Child::default(), "yes\nyes\nyes\nyes\n"),
            (
                steps(&profile, &scratch, Some(Sockets::UnixOnly)).unwrap(),
                "no\nno\nyes\nyes\n",
            ),
            (only, "no\nno\nyes\nyes\n"),
        ] {
            let Some(told) = python(child, who, &scratch, &script) else {
                break;
            };
            assert_eq!(told, wanted, "{who:?}");
        }
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

#[test]
fn bubblewrap_works_below_scopes_alone() {
    let (Some(bwrap), Some(python)) = (program("bwrap"), program("python3")) else {
        return;
    };
    if scope_only().unwrap().is_none() {
        eprintln!(
            "NOT CHECKED: bubblewrap below scopes, which this kernel's Landlock does not know"
        );
        return;
    }
    let folder = folder();
    for who in everybody() {
        let name = format!("sayso-test-bwrap-{}-{who:?}", std::process::id());
        let _outside = abstract_socket(&name);
        let start = |child: Child| {
            let mut command = command(&bwrap, who, folder.path());
            // The network is the machine's here: abstract sockets belong to it.
            command.args([
                "--unshare-all",
                "--share-net",
                "--ro-bind",
                "/",
                "/",
                "--tmpfs",
                "/tmp",
                "--proc",
                "/proc",
                "--dev",
                "/dev",
            ]);
            let script = format!(
                "{TRY}\nprint(can(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}')), os.listdir('/tmp'))"
            );
            command.arg(&python).args(["-S", "-c", &script]);
            let output = run(child, command, "");
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            (String::from_utf8_lossy(&output.stdout).into_owned(), told)
        };
        assert_eq!(
            start(Child::default()),
            ("yes []\n".to_owned(), String::new()),
            "{who:?}"
        );
        let only = Child {
            session: true,
            landlock: scope_only().unwrap(),
            ..Child::default()
        };
        assert_eq!(
            start(only),
            ("no []\n".to_owned(), String::new()),
            "{who:?}"
        );
    }
}

#[test]
fn what_is_open_already_stays_open() {
    // Rules are for what is opened; descriptors that are handed over on purpose go on working.
    let scratch = folder();
    let scratch = scratch.path().canonicalize().unwrap();
    let Some(mut child) = steps(
        &profile(&scratch, &[(&scratch, Level::Write)]),
        &scratch,
        None,
    ) else {
        return;
    };
    let number = child.keep_open(holding(b"handed")).unwrap();
    let Some(told) = python(
        child,
        Who::Me,
        &scratch,
        &format!("import os\nprint(os.read({number}, 9).decode())"),
    ) else {
        return;
    };
    assert_eq!(told, "handed\n");
}

#[test]
fn memory_can_be_run_but_gains_nothing() {
    let (scratch, out) = (folder(), folder());
    let scratch = scratch.path().canonicalize().unwrap();
    file(&out.path().join("secret"), "secret");
    let (Some(cat), Some(python)) = (program("cat"), program("python3")) else {
        return;
    };
    let Some(child) = steps(
        &profile(&scratch, &[(&scratch, Level::Write)]),
        &scratch,
        Some(Sockets::UnixOnly),
    ) else {
        return;
    };
    let script = format!(
        "import os\nfd = os.memfd_create('x', 0)\nos.write(fd, open('{}', 'rb').read())\n\
        os.execve(fd, ['cat', '{}/secret', '/etc/hostname'], {{}})",
        cat.display(),
        out.path().display()
    );
    let mut command = command(&python, Who::Me, &scratch);
    command.args(["-S", "-"]);
    let output = run(child, command, &script);
    assert!(!output.status.success());
    assert!(
        !String::from_utf8_lossy(&output.stdout).contains("secret"),
        "{output:?}"
    );
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("ermission denied"),
        "{output:?}"
    );
}

#[test]
fn the_rules_do_not_reach_the_one_who_made_them() {
    let scratch = folder();
    let scratch = scratch.path().canonicalize().unwrap();
    let Some(child) = steps(&profile(&scratch, &[]), &scratch, Some(Sockets::UnixOnly)) else {
        return;
    };
    let mut command = Command::new("true");
    child.prepare(&mut command).unwrap();
    assert!(command.status().unwrap().success());
    file(&scratch.with_extension("beside"), "x");
    std::fs::remove_file(scratch.with_extension("beside")).unwrap();
    TcpListener::bind("127.0.0.1:0").unwrap();
}
