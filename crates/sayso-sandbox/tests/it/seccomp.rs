//! Every refused call really is refused, and what ordinary programs need is not.

use sayso_sandbox::child::Child;
use sayso_sandbox::seccomp::{Sockets, bytes, filter};

use crate::process::{Who, am_root, command, everybody, folder, holding, program, python, run};

fn filtered(sockets: Sockets) -> Child {
    Child {
        filter: Some(filter(sockets).unwrap()),
        ..Child::default()
    }
}

/// Makes calls that are read as `name number arguments…`, and prints the name with the error's number, or 0.
const CALLS: &str = r"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_ulong(a & (2**64 - 1)) for a in arguments])
    return ctypes.get_errno() if result == -1 else 0
";

/// Names and errors of calls.
fn errors(child: Child, who: Who, calls: &[(&str, i64, &str)]) -> Option<Vec<(String, i32)>> {
    let folder = folder();
    let lines: Vec<String> = calls
        .iter()
        .map(|(name, number, rest)| format!("print('{name}', call({number}, {rest}))\n"))
        .collect();
    let text = python(
        child,
        who,
        folder.path(),
        &format!("{CALLS}{}", lines.concat()),
    )?;
    let read = |line: &str| {
        line.split_once(' ')
            .map(|(name, error)| (name.to_owned(), error.parse().unwrap()))
    };
    Some(text.lines().map(|line| read(line).unwrap()).collect())
}

/// Refused whatever the arguments; with these, none does any harm where it is let through.
const ALL: &str = "-1, -1, -1, -1, -1, -1";

fn refused() -> Vec<(&'static str, i64, &'static str)> {
    let mut calls = vec![
        ("mount", libc::SYS_mount, ALL),
        ("umount2", libc::SYS_umount2, ALL),
        ("pivot_root", libc::SYS_pivot_root, ALL),
        ("chroot", libc::SYS_chroot, ALL),
        ("open_tree", 428, ALL),
        ("move_mount", 429, ALL),
        ("fsopen", 430, ALL),
        ("fsconfig", 431, ALL),
        ("fsmount", 432, ALL),
        ("fspick", 433, ALL),
        ("mount_setattr", 442, ALL),
        ("open_tree_attr", 467, ALL),
        ("setns", libc::SYS_setns, ALL),
        ("unshare_unknown", libc::SYS_unshare, "0x00100000"),
        ("unshare_user", libc::SYS_unshare, "0x10000000"),
        ("unshare_mount", libc::SYS_unshare, "0x00020000"),
        ("unshare_net", libc::SYS_unshare, "0x40000000"),
        ("unshare_time", libc::SYS_unshare, "0x80"),
        ("unshare_high", libc::SYS_unshare, "0x10000000 | 1 << 40"),
        ("open_by_handle_at", libc::SYS_open_by_handle_at, ALL),
        ("name_to_handle_at", libc::SYS_name_to_handle_at, ALL),
        ("ptrace", libc::SYS_ptrace, ALL),
        ("process_vm_readv", libc::SYS_process_vm_readv, ALL),
        ("process_vm_writev", libc::SYS_process_vm_writev, ALL),
        ("process_madvise", 440, ALL),
        ("kcmp", libc::SYS_kcmp, ALL),
        ("pidfd_getfd", 438, ALL),
        ("keyctl", libc::SYS_keyctl, ALL),
        ("add_key", libc::SYS_add_key, ALL),
        ("request_key", libc::SYS_request_key, ALL),
        ("bpf", libc::SYS_bpf, ALL),
        ("perf_event_open", libc::SYS_perf_event_open, ALL),
        ("userfaultfd", libc::SYS_userfaultfd, ALL),
        ("io_uring_setup", 425, ALL),
        ("io_uring_enter", 426, ALL),
        ("io_uring_register", 427, ALL),
        ("fanotify_init", libc::SYS_fanotify_init, ALL),
        ("init_module", libc::SYS_init_module, ALL),
        ("finit_module", libc::SYS_finit_module, ALL),
        ("delete_module", libc::SYS_delete_module, ALL),
        ("kexec_load", libc::SYS_kexec_load, ALL),
        (
            "kexec_file_load",
            if cfg!(target_arch = "x86_64") {
                320
            } else {
                294
            },
            ALL,
        ),
        ("reboot", libc::SYS_reboot, ALL),
        ("swapon", libc::SYS_swapon, ALL),
        ("swapoff", libc::SYS_swapoff, ALL),
        ("sethostname", libc::SYS_sethostname, ALL),
        ("setdomainname", libc::SYS_setdomainname, ALL),
        ("acct", libc::SYS_acct, ALL),
        ("quotactl", libc::SYS_quotactl, ALL),
        ("quotactl_fd", 443, ALL),
        ("syslog", libc::SYS_syslog, ALL),
        ("lookup_dcookie", libc::SYS_lookup_dcookie, ALL),
        ("nfsservctl", libc::SYS_nfsservctl, ALL),
        ("settimeofday", libc::SYS_settimeofday, ALL),
        ("clock_settime", libc::SYS_clock_settime, ALL),
        ("clock_adjtime", libc::SYS_clock_adjtime, ALL),
        ("adjtimex", libc::SYS_adjtimex, ALL),
        ("personality_execute", libc::SYS_personality, "0x0400000"),
        ("type_into_terminal", libc::SYS_ioctl, "0, 0x5412, 0"),
        (
            "type_with_high_bits",
            libc::SYS_ioctl,
            "0, 0x5412 | 1 << 32, 0",
        ),
        ("paste_into_console", libc::SYS_ioctl, "0, 0x541C, 0"),
        ("line_discipline", libc::SYS_ioctl, "0, 0x5423, 0"),
        ("mknodat_block", libc::SYS_mknodat, "-1, -1, 0o60600, 0"),
        ("mknodat_char", libc::SYS_mknodat, "-1, -1, 0o20600, 0"),
    ];
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        ("iopl", libc::SYS_iopl, ALL),
        ("ioperm", libc::SYS_ioperm, ALL),
        ("mknod", libc::SYS_mknod, "-1, 0o60600, 0"),
    ]);
    calls
}

#[test]
fn what_is_refused_is_refused() {
    let mut calls = refused();
    if am_root()
        && let Some(without) = errors(Child::default(), Who::Me, &calls)
    {
        // Where the kernel itself would say the same, the filter is not what was seen.
        let same: Vec<&str> = without
            .iter()
            .filter(|(_, error)| *error == libc::EPERM)
            .map(|(name, _)| name.as_str())
            .collect();
        if !same.is_empty() {
            eprintln!(
                "NOT CHECKED: that the filter refuses {same:?}, since the kernel does without it"
            );
        }
    }
    // These would do something where they are let through.
    calls.extend([
        ("vhangup", libc::SYS_vhangup, "0"),
        ("clone_user", libc::SYS_clone, "0x10000011, 0, 0, 0, 0"),
    ]);
    calls.push((
        "clone_net_with_high_bits",
        libc::SYS_clone,
        "0x40000011 | 1 << 40, 0, 0, 0, 0",
    ));
    for who in everybody() {
        for sockets in [Sockets::Isolated, Sockets::UnixOnly] {
            let Some(found) = errors(filtered(sockets), who, &calls) else {
                return;
            };
            assert_eq!(found.len(), calls.len());
            for (name, error) in found {
                assert_eq!(error, libc::EPERM, "{name} as {who:?}");
            }
        }
    }
}

#[test]
fn what_ordinary_programs_call_is_let_through() {
    let calls = [
        ("personality_asked", libc::SYS_personality, "0xffffffff"),
        ("personality_linux", libc::SYS_personality, "0"),
        ("unshare_files", libc::SYS_unshare, "0x400"),
        ("no_new_rights", libc::SYS_prctl, "38, 1, 0, 0, 0"),
        (
            "memfd",
            libc::SYS_memfd_create,
            "ctypes.addressof(ctypes.create_string_buffer(b'x')), 0",
        ),
    ];
    let Some(found) = errors(filtered(Sockets::UnixOnly), Who::Me, &calls) else {
        return;
    };
    for (name, error) in found {
        assert_eq!(error, 0, "{name}");
    }
}

#[test]
fn calls_under_other_numbers_are_not_there() {
    let calls = [
        ("clone3", 435, ALL),
        ("short_mount", 0x4000_0000 | 165, ALL),
        ("short_getpid", 0x4000_0000 | 39, "0"),
    ];
    let calls = if cfg!(target_arch = "x86_64") {
        &calls[..]
    } else {
        &calls[..1]
    };
    let Some(found) = errors(filtered(Sockets::Isolated), Who::Me, calls) else {
        return;
    };
    for (name, error) in found {
        assert_eq!(error, libc::ENOSYS, "{name}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_of_another_architecture_end_the_process() {
    use std::os::unix::process::ExitStatusExt;
    // `mov eax, 20; int 0x80; ret`: getpid for 32 bits.
    let script = "import ctypes, mmap\n\
        code = mmap.mmap(-1, 4096, prot=7)\n\
        code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))\n\
        at = ctypes.addressof(ctypes.c_char.from_buffer(code))\n\
        print(ctypes.CFUNCTYPE(ctypes.c_int)(at)())\n";
    let folder = folder();
    let Some(python) = program("python3") else {
        return;
    };
    let start = |child| {
        let mut command = command(&python, Who::Me, folder.path());
        command.arg("-");
        run(child, command, script).status
    };
    if !start(Child::default()).success() {
        eprintln!("NOT CHECKED: calls of 32 bits, which this kernel does not have");
    }
    let ended = start(filtered(Sockets::Isolated)).signal();
    assert!(
        ended == Some(libc::SIGSYS) || ended == Some(libc::SIGSEGV),
        "{ended:?}"
    );
}

/// The error of making a socket of a family, type and protocol.
fn sockets(kind: Sockets, who: Who, wanted: &[(i32, i32, i32)]) -> Option<Vec<i32>> {
    let texts: Vec<(String, String)> = wanted
        .iter()
        .map(|(family, how, protocol)| {
            (
                format!("f{family}_{protocol}"),
                format!("{family} | 1 << 33, {how}, {protocol}"),
            )
        })
        .collect();
    let calls: Vec<(&str, i64, &str)> = texts
        .iter()
        .map(|(name, rest)| (name.as_str(), libc::SYS_socket, rest.as_str()))
        .collect();
    Some(
        errors(filtered(kind), who, &calls)?
            .into_iter()
            .map(|(_, error)| error)
            .collect(),
    )
}

#[test]
fn sockets_are_of_the_kinds_let_through() {
    let (stream, datagram, raw) = (libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW);
    let plain = [(libc::AF_UNIX, stream, 0), (libc::AF_UNIX, datagram, 0)];
    let internet = [
        (libc::AF_INET, stream, 0),
        (libc::AF_INET, datagram, 0),
        (libc::AF_INET6, stream, 0),
        (libc::AF_INET6, datagram, 0),
    ];
    let interfaces = [(libc::AF_NETLINK, raw, libc::NETLINK_ROUTE)];
    // Packets, virtual machines, cryptography, Bluetooth, fast packets, kernel connections, TIPC, CAN, RDS, phones, radio, and of the kernel's own
    // the ones for audit, filters, users' messages and generic ones.
    let odd =
        [17, 40, 38, 31, 44, 41, 30, 29, 21, 35, 39, 3, 4, 5, 9, 43].map(|family| (family, raw, 0));
    let of_kernel = [9, 12, 15, 16, 20].map(|protocol| (libc::AF_NETLINK, raw, protocol));
    for who in everybody() {
        let all_are = |kind, wanted: &[(i32, i32, i32)], error: i32| {
            if let Some(found) = sockets(kind, who, wanted) {
                assert_eq!(
                    found,
                    vec![error; wanted.len()],
                    "{kind:?} {wanted:?} {who:?}"
                );
            }
        };
        for kind in [Sockets::Isolated, Sockets::UnixOnly] {
            all_are(kind, &plain, 0);
        }
        all_are(Sockets::Isolated, &interfaces, 0);
        all_are(Sockets::Isolated, &odd, libc::EPERM);
        all_are(Sockets::Isolated, &of_kernel, libc::EPERM);
        for refused in [&internet[..], &interfaces, &odd, &of_kernel] {
            all_are(Sockets::UnixOnly, refused, libc::EPERM);
        }
        let Some(found) = sockets(Sockets::Isolated, who, &internet) else {
            return;
        };
        assert!(!found.contains(&libc::EPERM), "{found:?}");
        if found.iter().any(|error| *error != 0) {
            eprintln!(
                "NOT CHECKED: some sockets of the internet, which this kernel does not have: {found:?}"
            );
        }
    }
}

#[test]
fn bubblewrap_takes_the_bytes() {
    let (Some(bwrap), Some(python)) = (program("bwrap"), program("python3")) else {
        return;
    };
    for who in everybody() {
        let folder = folder();
        let mut child = Child::default();
        let mut command = command(&bwrap, who, folder.path());
        command.args(["--unshare-all", "--ro-bind", "/", "/"]);
        let number = child
            .keep_open(holding(&bytes(&filter(Sockets::Isolated).unwrap())))
            .unwrap();
        command.arg("--add-seccomp-fd").arg(number.to_string());
        let script = format!(
            "{CALLS}print(call({}, -1, -1, -1, -1, -1), call(435, 0, 0))",
            libc::SYS_keyctl
        );
        command.arg(&python).args(["-S", "-c", &script]);
        let output = run(child, command, "");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            format!("{} {}", libc::EPERM, libc::ENOSYS),
            "{who:?} {told}"
        );
    }
}
