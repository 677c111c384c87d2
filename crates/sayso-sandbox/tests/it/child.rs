//! The steps between fork and exec: nothing leaks, limits hold, no program gains rights, and a failed step starts nothing.

use std::os::fd::AsRawFd;
use std::process::Command;

use sayso_sandbox::child::Child;
use sayso_sandbox::profile::Limits;
use sayso_sandbox::seccomp::{Sockets, filter};

use crate::process::{Who, am_root, command, everybody, folder, holding, program, python, run};

const OPEN: &str = "import os\nprint(sorted(int(n) for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n)))";

#[test]
fn nothing_that_is_open_is_passed_on() {
    // Copies without the mark that exec closes them, as a careless library makes them; one of them far up.
    let low = rustix::io::fcntl_dupfd_cloexec(holding(b"secret"), 3).unwrap();
    let high = rustix::io::fcntl_dupfd_cloexec(holding(b"secret"), 700).unwrap();
    for leaky in [&low, &high] {
        rustix::io::fcntl_setfd(leaky, rustix::io::FdFlags::empty()).unwrap();
    }
    let folder = folder();
    let child = Child {
        keep: vec![(holding(b"kept"), 50)],
        ..Child::default()
    };
    let Some(open) = python(child, Who::Me, folder.path(), OPEN) else {
        return;
    };
    // Python has the folder open that it lists; it is gone when it is looked at.
    assert_eq!(open.trim(), "[0, 1, 2, 50]");
    drop((low, high));
}

#[test]
fn nothing_is_passed_on_by_old_kernels_either() {
    let Some(python) = program("python3") else {
        return;
    };
    if rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .maximum
        .is_none_or(|most| most > 1 << 20)
    {
        eprintln!(
            "NOT CHECKED: kernels that close nothing at once, since too much can be open here"
        );
        return;
    }
    let folder = folder();
    // The call that closes all at once is not there for the second child, which finds open what the first one kept.
    let rules = std::collections::BTreeMap::from([(libc::SYS_close_range, Vec::new())]);
    let here = std::env::consts::ARCH.try_into().unwrap();
    let missing = seccompiler::SeccompAction::Errno(libc::ENOSYS as u32);
    let filter =
        seccompiler::SeccompFilter::new(rules, seccompiler::SeccompAction::Allow, missing, here)
            .unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    let filter = filter
        .iter()
        .map(|one| libc::sock_filter {
            code: one.code,
            jt: one.jt,
            jf: one.jf,
            k: one.k,
        })
        .collect();
    let mut first = Child {
        filter: Some(filter),
        ..Child::default()
    };
    first.keep_open(holding(b"secret")).unwrap();
    let mut command = command(&python, Who::Me, folder.path());
    first.prepare(&mut command).unwrap();
    command.args(["-S", "-"]);
    let output = run(
        Child {
            keep: vec![(holding(b"kept"), 50)],
            ..Child::default()
        },
        command,
        OPEN,
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "[0, 1, 2, 50]"
    );
}

#[test]
fn kept_ones_get_their_numbers_though_they_overlap() {
    let folder = folder();
    let (one, two, three) = (holding(b"one"), holding(b"two"), holding(b"three"));
    // Each under the number that another one has.
    let numbers = [two.as_raw_fd(), three.as_raw_fd(), one.as_raw_fd()];
    let script = format!("import os\nfor n in {numbers:?}: print(os.read(n, 9).decode())");
    let child = Child {
        keep: vec![(one, numbers[0]), (two, numbers[1]), (three, numbers[2])],
        ..Child::default()
    };
    let Some(read) = python(child, Who::Me, folder.path(), &script) else {
        return;
    };
    assert_eq!(read, "one\ntwo\nthree\n");
    let refused = Child {
        keep: vec![(holding(b"x"), 1)],
        ..Child::default()
    }
    .prepare(&mut Command::new("true"));
    assert!(refused.is_err());
}

#[test]
fn a_failed_step_starts_nothing() {
    let folder = folder();
    let made = folder.path().join("made");
    // Not rules but a file; and a filter that the kernel cannot read.
    let broken = vec![libc::sock_filter {
        code: 0xffff,
        jt: 0,
        jf: 0,
        k: 0,
    }];
    let keep = || {
        let mut child = Child::default();
        // Numbers as the pipe would get them by which the failure is told.
        (0..20).for_each(|_| assert!(child.keep_open(holding(b"kept")).unwrap() > 2));
        child.keep
    };
    for child in [
        Child {
            landlock: Some(holding(b"x")),
            keep: keep(),
            ..Child::default()
        },
        Child {
            filter: Some(broken),
            keep: keep(),
            ..Child::default()
        },
        Child {
            filter: Some(Vec::new()),
            ..Child::default()
        },
    ] {
        let mut command = Command::new("touch");
        command.arg(&made);
        child.prepare(&mut command).unwrap();
        assert!(command.spawn().is_err());
        assert!(!made.exists());
    }
    // A program that is not there is told as such, whatever is kept.
    let mut missing = Command::new(folder.path().join("missing"));
    Child {
        keep: keep(),
        ..Child::default()
    }
    .prepare(&mut missing)
    .unwrap();
    assert_eq!(
        missing.spawn().unwrap_err().kind(),
        std::io::ErrorKind::NotFound
    );
}

#[test]
fn a_session_of_its_own_has_no_terminal() {
    let folder = folder();
    let script = "import os\ntry:\n  os.open('/dev/tty', os.O_RDWR)\n  print('terminal')\nexcept OSError: print('none')\n\
        print(os.getsid(0) == os.getpid())";
    let Some(told) = python(
        Child {
            session: true,
            ..Child::default()
        },
        Who::Me,
        folder.path(),
        script,
    ) else {
        return;
    };
    assert_eq!(told, "none\nTrue\n");
}

#[test]
fn limits_hold() {
    let folder = folder();
    let script = "import resource\n\
        try:\n  x = bytearray(512 * 1024 * 1024)\n  print('much')\nexcept MemoryError: print('little')\n\
        print(resource.getrlimit(resource.RLIMIT_CORE))";
    for who in everybody() {
        let limits = Limits {
            memory: Some(256),
            ..Limits::default()
        };
        let Some(told) = python(
            Child {
                limits,
                ..Child::default()
            },
            who,
            folder.path(),
            script,
        ) else {
            return;
        };
        assert_eq!(told, "little\n(0, 0)\n");
    }
}

#[test]
fn processes_are_limited_beside_those_that_run() {
    let folder = folder();
    if am_root() {
        eprintln!(
            "NOT CHECKED: the limit of processes for root, whose processes the kernel does not count"
        );
        // The number is taken when the child is prepared, for whoever prepares: here that is root.
        return;
    }
    let script = "import os, time\nn = 0\n\
        try:\n  for n in range(5000):\n    if os.fork() == 0: time.sleep(30); os._exit(0)\nexcept OSError: pass\n\
        print(n)\nimport signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.killpg(0, signal.SIGTERM)";
    let limits = Limits {
        processes: Some(20),
        ..Limits::default()
    };
    let Some(told) = python(
        Child {
            limits,
            session: true,
            ..Child::default()
        },
        Who::Me,
        folder.path(),
        script,
    ) else {
        return;
    };
    assert!(told.trim().parse::<u32>().unwrap() < 1000, "{told}");
}

#[test]
fn programs_with_more_rights_give_none() {
    let folder = folder();
    let Some(id) = program("id") else { return };
    if !am_root() {
        eprintln!("NOT CHECKED: programs with the rights of root, since the tests cannot make one");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let raised = folder.path().join("raised");
    std::fs::copy(id, &raised).unwrap();
    std::fs::set_permissions(&raised, std::fs::Permissions::from_mode(0o6755)).unwrap();
    let ask = |child: Option<Child>| {
        let mut command = command(&raised, Who::Nobody, folder.path());
        command.arg("-u");
        let output = match child {
            Some(child) => run(child, command, ""),
            None => command.output().unwrap(),
        };
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    if ask(None) != "0" {
        eprintln!(
            "NOT CHECKED: programs with the rights of root, which do not work in the folder for temporary files"
        );
    }
    assert_eq!(ask(Some(Child::default())), "65534");
}

#[test]
fn few_rights_are_left_to_root() {
    let folder = folder();
    let script =
        "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')])";
    for who in everybody() {
        let child = Child {
            few_rights: true,
            filter: Some(filter(Sockets::Isolated).unwrap()),
            ..Child::default()
        };
        let Some(told) = python(child, who, folder.path(), script) else {
            return;
        };
        // Inheritable, permitted, effective, bounding and ambient ones: none beyond those over files, users and low ports.
        let sets: Vec<u64> = told
            .split('\'')
            .filter_map(|text| u64::from_str_radix(text, 16).ok())
            .collect();
        assert_eq!(sets.len(), 5, "{told}");
        for (place, set) in sets.iter().enumerate() {
            let bounding_of_others = place == 3 && (who == Who::Nobody || !am_root());
            assert!(bounding_of_others || set & !0b100_1111_1111 == 0, "{told}");
        }
    }
}
