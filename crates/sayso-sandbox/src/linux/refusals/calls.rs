//! The system calls that are watched: those that change a file, start a program, connect, or take more rights.
//!
//! A call that reads is not among them: there are a hundred of them for each of these.

use std::collections::BTreeMap;

use libc::c_long;

use crate::linux::bpf::Refuse;

/// Where a call has the path that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The argument with the folder that a relative path starts from; none: the working folder.
    pub(super) folder: Option<usize>,
    /// The argument with the path.
    pub(super) path: usize,
}

/// What a call does, and where its arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Opens a file; its flags are in this argument.
    Open(Place, Flags),
    /// Makes a file, folder or link.
    Create(Place),
    /// Changes what is there. The second says whether a link at the end is followed.
    Change(Place, bool),
    /// Gives a file away, to the user and group in this argument and the next.
    Owner(Place, usize),
    /// Removes a file or folder.
    Delete(Place),
    /// Moves from the first place to the second.
    Rename(Place, Place),
    /// Runs a program.
    Exec(Place),
    /// Connects a socket.
    Connect,
    /// Gives a socket its own address.
    Bind,
    /// Takes other users or groups: as many arguments are numbers of such.
    Identity(&'static str, usize),
}

/// Where the flags of an open are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flags {
    /// In this argument.
    Argument(usize),
    /// At the start of what this argument points to.
    Behind(usize),
    /// They are these.
    These(i32),
}

const fn path(path: usize) -> Place {
    Place { folder: None, path }
}

const fn at(folder: usize, path: usize) -> Place {
    Place {
        folder: Some(folder),
        path,
    }
}

/// The flag of a file without a name alone: the constant of the library holds that of folders, too.
const NAMELESS: i32 = libc::O_TMPFILE & !libc::O_DIRECTORY;
/// With one of these, an open can change something.
pub(super) const WRITES: i32 = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | NAMELESS;
/// Has the same number everywhere.
const FCHMODAT2: c_long = 452;

const CALLS: &[(c_long, Call)] = &[
    (libc::SYS_openat, Call::Open(at(0, 1), Flags::Argument(2))),
    (libc::SYS_openat2, Call::Open(at(0, 1), Flags::Behind(2))),
    (libc::SYS_truncate, Call::Change(path(0), true)),
    (libc::SYS_fchmodat, Call::Change(at(0, 1), true)),
    (FCHMODAT2, Call::Change(at(0, 1), true)),
    (libc::SYS_fchownat, Call::Owner(at(0, 1), 2)),
    (libc::SYS_mkdirat, Call::Create(at(0, 1))),
    (libc::SYS_mknodat, Call::Create(at(0, 1))),
    (libc::SYS_symlinkat, Call::Create(at(1, 2))),
    (libc::SYS_linkat, Call::Create(at(2, 3))),
    (libc::SYS_unlinkat, Call::Delete(at(0, 1))),
    (libc::SYS_renameat2, Call::Rename(at(0, 1), at(2, 3))),
    (libc::SYS_execve, Call::Exec(path(0))),
    (libc::SYS_execveat, Call::Exec(at(0, 1))),
    (libc::SYS_connect, Call::Connect),
    (libc::SYS_bind, Call::Bind),
    (libc::SYS_setuid, Call::Identity("setuid", 1)),
    (libc::SYS_setgid, Call::Identity("setgid", 1)),
    (libc::SYS_setreuid, Call::Identity("setreuid", 2)),
    (libc::SYS_setregid, Call::Identity("setregid", 2)),
    (libc::SYS_setresuid, Call::Identity("setresuid", 3)),
    (libc::SYS_setresgid, Call::Identity("setresgid", 3)),
];

/// Those that newer machines do without.
#[cfg(target_arch = "x86_64")]
const OLDER: &[(c_long, Call)] = &[
    (libc::SYS_open, Call::Open(path(0), Flags::Argument(1))),
    (
        libc::SYS_creat,
        Call::Open(
            path(0),
            Flags::These(libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC),
        ),
    ),
    (libc::SYS_chmod, Call::Change(path(0), true)),
    (libc::SYS_chown, Call::Owner(path(0), 1)),
    (libc::SYS_lchown, Call::Owner(path(0), 1)),
    (libc::SYS_mkdir, Call::Create(path(0))),
    (libc::SYS_mknod, Call::Create(path(0))),
    (libc::SYS_symlink, Call::Create(path(1))),
    (libc::SYS_link, Call::Create(path(1))),
    (libc::SYS_unlink, Call::Delete(path(0))),
    (libc::SYS_rmdir, Call::Delete(path(0))),
    (libc::SYS_rename, Call::Rename(path(0), path(1))),
    (libc::SYS_renameat, Call::Rename(at(0, 1), at(2, 3))),
];
#[cfg(target_arch = "aarch64")]
const OLDER: &[(c_long, Call)] = &[(libc::SYS_renameat, Call::Rename(at(0, 1), at(2, 3)))];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OLDER: &[(c_long, Call)] = &[];

/// The watched calls by their numbers.
pub(super) fn by_number() -> BTreeMap<u32, Call> {
    let known = CALLS.iter().chain(OLDER);
    known
        .filter_map(|(number, call)| Some((u32::try_from(*number).ok()?, *call)))
        .collect()
}

/// When each of them is handed out.
pub(super) fn watched() -> BTreeMap<u32, Refuse> {
    let when = |call: Call| match call {
        Call::Open(_, Flags::Argument(argument)) => Refuse::AnyBit {
            argument: u32::try_from(argument).unwrap_or(0),
            bits: WRITES.cast_unsigned(),
        },
        _ => Refuse::Always,
    };
    by_number()
        .into_iter()
        .map(|(number, call)| (number, when(call)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::bpf::{notifier, walk};

    const HERE: u32 = if cfg!(target_arch = "x86_64") {
        0xc000_003e
    } else {
        0xc000_00b7
    };

    fn answer(number: c_long, arguments: [u64; 6]) -> u32 {
        let program = notifier(&watched()).unwrap();
        walk(&program, u32::try_from(number).unwrap(), HERE, arguments).0
    }

    #[test]
    fn only_what_changes_something_is_handed_out() {
        let flags = |flags: i32| [0, 0, flags as u64, 0, 0, 0];
        for read in [
            0,
            libc::O_CLOEXEC,
            libc::O_DIRECTORY | libc::O_CLOEXEC,
            libc::O_PATH,
            libc::O_NOFOLLOW | libc::O_NONBLOCK,
        ] {
            assert_eq!(
                answer(libc::SYS_openat, flags(read)),
                libc::SECCOMP_RET_ALLOW,
                "{read:o}"
            );
        }
        for write in [
            libc::O_WRONLY,
            libc::O_RDWR | libc::O_CLOEXEC,
            libc::O_CREAT,
            libc::O_TRUNC,
            libc::O_TMPFILE | libc::O_RDWR,
        ] {
            assert_eq!(
                answer(libc::SYS_openat, flags(write)),
                libc::SECCOMP_RET_USER_NOTIF,
                "{write:o}"
            );
        }
        for (call, wanted) in [
            (libc::SYS_read, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_mount, libc::SECCOMP_RET_ALLOW),
            (libc::SYS_openat2, libc::SECCOMP_RET_USER_NOTIF),
            (libc::SYS_unlinkat, libc::SECCOMP_RET_USER_NOTIF),
            (libc::SYS_connect, libc::SECCOMP_RET_USER_NOTIF),
        ] {
            assert_eq!(answer(call, [0; 6]), wanted, "{call}");
        }
    }

    #[test]
    fn every_number_is_answered_and_a_foreign_one_is_left_to_the_other_filter() {
        let (program, known) = (notifier(&watched()).unwrap(), by_number());
        assert!(program.len() < 200, "{}", program.len());
        for number in 0..1000 {
            let all = [u64::from(u32::MAX); 6];
            let wanted = if known.contains_key(&number) {
                libc::SECCOMP_RET_USER_NOTIF
            } else {
                libc::SECCOMP_RET_ALLOW
            };
            assert_eq!(walk(&program, number, HERE, all).0, wanted, "{number}");
            for (number, architecture) in [(number, 0x4000_0003), (number | 0x4000_0000, HERE)] {
                assert_eq!(
                    walk(&program, number, architecture, all).0,
                    libc::SECCOMP_RET_ALLOW
                );
            }
        }
    }
}
