//! The filter of system calls: what no ordinary work needs is refused, whatever rights a process has.
//!
//! There are two answers: "not permitted" for what is refused, and "not there" for `clone3`, whose flags lie in memory where a filter cannot
//! look; C libraries then take `clone`, whose flags are seen. Calls of a foreign architecture end the process.

use std::collections::BTreeMap;
use std::num::TryFromIntError;

use libc::{c_long, sock_filter};
use thiserror::Error as ThisError;

use super::bpf::Refuse;
use super::bpf::program;

/// Which kinds of sockets can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sockets {
    /// Those of the machine itself, of the internet, and the one that tells of interfaces: for a network of its own, or all of it.
    Isolated,
    /// Those of the machine itself only: no network, where there is no other way to take it away.
    UnixOnly,
}

/// Refused whatever the arguments are.
const REFUSED: &[c_long] = &[
    // What is where.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    newer::OPEN_TREE,
    newer::MOVE_MOUNT,
    newer::FSOPEN,
    newer::FSCONFIG,
    newer::FSMOUNT,
    newer::FSPICK,
    newer::MOUNT_SETATTR,
    newer::OPEN_TREE_ATTR,
    libc::SYS_setns,
    // Files by number instead of by name, past what is hidden by name.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    newer::PROCESS_MADVISE,
    newer::PIDFD_GETFD,
    // Keys of the kernel.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Wide interfaces to the kernel; the rings carry out calls that no filter sees.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    newer::IO_URING_SETUP,
    newer::IO_URING_ENTER,
    newer::IO_URING_REGISTER,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // The machine itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    newer::QUOTACTL_FD,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
];

/// Refused, too, where they exist: ports of the machine, and calls that Linux had once.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_uselib,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[c_long] = &[];

/// `libc` does not name it for every C library.
#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: c_long = 320;
#[cfg(not(target_arch = "x86_64"))]
const KEXEC_FILE_LOAD: c_long = 294;

/// Calls that have the same number everywhere; `libc` does not name all of them.
mod newer {
    use libc::c_long;

    pub(super) const IO_URING_SETUP: c_long = 425;
    pub(super) const IO_URING_ENTER: c_long = 426;
    pub(super) const IO_URING_REGISTER: c_long = 427;
    pub(super) const OPEN_TREE: c_long = 428;
    pub(super) const MOVE_MOUNT: c_long = 429;
    pub(super) const FSOPEN: c_long = 430;
    pub(super) const FSCONFIG: c_long = 431;
    pub(super) const FSMOUNT: c_long = 432;
    pub(super) const FSPICK: c_long = 433;
    pub(super) const CLONE3: c_long = 435;
    pub(super) const PIDFD_GETFD: c_long = 438;
    pub(super) const PROCESS_MADVISE: c_long = 440;
    pub(super) const MOUNT_SETATTR: c_long = 442;
    pub(super) const QUOTACTL_FD: c_long = 443;
    pub(super) const OPEN_TREE_ATTR: c_long = 467;
}

/// New namespaces, as flags of `clone`; its lowest byte is a signal, so the flag of time is none there.
const NAMESPACES: u32 = 0x7e02_0000;
/// What `unshare` may take apart: threads of one process. Everything else is a namespace, or not known yet.
const THREADS: u32 = (libc::CLONE_FS
    | libc::CLONE_FILES
    | libc::CLONE_SYSVSEM
    | libc::CLONE_VM
    | libc::CLONE_SIGHAND
    | libc::CLONE_THREAD)
    .cast_unsigned();
/// Types into a terminal, pastes into the console, redirects it, and loads a driver for lines.
const TERMINAL: [u32; 4] = [0x5412, 0x541C, 0x541D, 0x5423];
/// What a process may pretend to be: Linux, of 32 bits, of old, or without random addresses (sanitizers want that); or it just asks.
const PERSONALITIES: [u32; 7] = [0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0x4_0008, 0xffff_ffff];
/// Files that are devices, by the kind in a mode; the kernel takes 16 bits of it.
const DEVICES: [u32; 2] = [libc::S_IFCHR, libc::S_IFBLK];
/// Families of sockets.
const OF_THE_MACHINE: [u32; 1] = [libc::AF_UNIX.cast_unsigned()];
const OF_THE_INTERNET: [u32; 3] = [
    libc::AF_UNIX.cast_unsigned(),
    libc::AF_INET.cast_unsigned(),
    libc::AF_INET6.cast_unsigned(),
];

/// Why the filter cannot be built on this machine.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum FilterError {
    #[error("the filter of system calls cannot be made on this machine: {0}")]
    Number(#[from] TryFromIntError),
    #[error("the filter of system calls cannot be made on this machine: its calls are not known")]
    Unknown,
}

/// The program of the filter.
///
/// # Errors
/// In words, on a machine whose calls are not known.
pub fn filter(sockets: Sockets) -> Result<Vec<sock_filter>, FilterError> {
    let mut calls: BTreeMap<u32, Refuse> = BTreeMap::new();
    for (call, refuse) in refused(sockets) {
        calls.insert(u32::try_from(call)?, refuse);
    }
    let missing = u32::try_from(newer::CLONE3)?;
    program(&calls, missing).ok_or(FilterError::Unknown)
}

/// A program as the kernel reads it, an array of `struct sock_filter`: for bubblewrap, which takes it from a file descriptor.
pub fn bytes(program: &[sock_filter]) -> Vec<u8> {
    program
        .iter()
        .flat_map(|one| {
            let [a, b] = one.code.to_ne_bytes();
            let [e, f, g, h] = one.k.to_ne_bytes();
            [a, b, one.jt, one.jf, e, f, g, h]
        })
        .collect()
}

fn refused(sockets: Sockets) -> Vec<(c_long, Refuse)> {
    let mut calls: Vec<(c_long, Refuse)> = REFUSED
        .iter()
        .chain(REFUSED_HERE)
        .map(|call| (*call, Refuse::Always))
        .collect();
    calls.push((
        libc::SYS_clone,
        Refuse::AnyBit {
            argument: 0,
            bits: NAMESPACES,
        },
    ));
    calls.push((
        libc::SYS_unshare,
        Refuse::AnyBit {
            argument: 0,
            bits: !THREADS,
        },
    ));
    calls.push((
        libc::SYS_personality,
        Refuse::NoneOf {
            argument: 0,
            values: &PERSONALITIES,
        },
    ));
    calls.push((
        libc::SYS_ioctl,
        Refuse::OneOf {
            argument: 1,
            bits: u32::MAX,
            values: &TERMINAL,
        },
    ));
    calls.push((
        libc::SYS_mknodat,
        Refuse::OneOf {
            argument: 2,
            bits: libc::S_IFMT,
            values: &DEVICES,
        },
    ));
    #[cfg(target_arch = "x86_64")]
    calls.push((
        libc::SYS_mknod,
        Refuse::OneOf {
            argument: 1,
            bits: libc::S_IFMT,
            values: &DEVICES,
        },
    ));
    calls.push((
        libc::SYS_socketpair,
        Refuse::NoneOf {
            argument: 0,
            values: &OF_THE_MACHINE,
        },
    ));
    calls.push((
        libc::SYS_socket,
        match sockets {
            Sockets::UnixOnly => Refuse::NoneOf {
                argument: 0,
                values: &OF_THE_MACHINE,
            },
            // Of the kernel's own, only the one that tells of interfaces and routes.
            Sockets::Isolated => Refuse::Unless {
                argument: 0,
                values: &OF_THE_INTERNET,
                value: libc::AF_NETLINK.cast_unsigned(),
                other: 2,
                is: libc::NETLINK_ROUTE.cast_unsigned(),
            },
        },
    ));
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::bpf::walk;

    #[test]
    fn the_program_fits_the_kernel_and_its_bytes() {
        for sockets in [Sockets::Isolated, Sockets::UnixOnly] {
            let program = filter(sockets).unwrap();
            assert!(program.len() < 200, "{}", program.len());
            assert_eq!(bytes(&program).len(), program.len() * 8);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn each_number_finds_its_answer_by_a_short_way() {
        const HERE: u32 = 0xc000_003e;
        let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
        let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
        // Without arguments these are refused, or not, by what they compare.
        let socket = [libc::SYS_socket, libc::SYS_socketpair];
        for sockets in [Sockets::Isolated, Sockets::UnixOnly] {
            let program = filter(sockets).unwrap();
            for number in 0..1000_u32 {
                let (answer, steps) = walk(&program, number, HERE, [0; 6]);
                let call = c_long::from(number);
                let is_refused = REFUSED.contains(&call)
                    || REFUSED_HERE.contains(&call)
                    || socket.contains(&call);
                let wanted = match () {
                    () if call == newer::CLONE3 => missing,
                    () if is_refused => refuse,
                    () => libc::SECCOMP_RET_ALLOW,
                };
                assert_eq!(answer, wanted, "{number}");
                assert!(steps < 25, "{number}: {steps} of {}", program.len());
                assert_eq!(
                    walk(&program, number | 0x4000_0000, HERE, [0; 6]).0,
                    missing,
                    "{number}"
                );
                assert_eq!(
                    walk(&program, number, 0x4000_0003, [0; 6]).0,
                    libc::SECCOMP_RET_KILL_PROCESS,
                    "{number}"
                );
            }
        }
    }

    #[test]
    fn the_flags_of_namespaces_are_all_of_them() {
        let flags = [
            libc::CLONE_NEWNS,
            libc::CLONE_NEWCGROUP,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNET,
        ];
        assert_eq!(
            flags.iter().fold(0, |all, flag| all | flag.cast_unsigned()),
            NAMESPACES
        );
        assert_eq!(THREADS & (NAMESPACES | 0x80), 0);
    }
}
