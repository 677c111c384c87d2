//! What a child does between fork and exec: system calls only, with everything prepared before.
//!
//! Memory cannot be taken there, and no lock: another thread may have held it at the fork. If one step fails, the command does not start.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use libc::sock_filter;
use rustix::process::{Resource, Rlimit};

use super::session::Entrance;
use crate::profile::Limits;

/// The last steps of a child, in the order of the fields; the filter comes last, since it may refuse what the others need.
#[derive(Debug, Default)]
pub struct Child {
    /// A session of its own, without a terminal. The command must not be given a process group besides: this is one.
    pub session: bool,
    /// How much it may take. The time is not kept here.
    pub limits: Limits,
    /// What stays open, and under which number; everything else above 2 is closed.
    pub keep: Vec<(OwnedFd, RawFd)>,
    /// Of root's rights, only those over files, users and ports are kept. Not for a program that sets a sandbox up itself.
    pub few_rights: bool,
    /// Rules of [`landlock`](crate::linux::landlock).
    pub landlock: Option<OwnedFd>,
    /// The filter of [`seccomp`](crate::linux::seccomp).
    pub filter: Option<Vec<sock_filter>>,
    /// The sandbox of a session that it enters. The program is then the one that the entrance names.
    pub entrance: Option<Entrance>,
}

/// Rights of root that stay: owners and modes of files, users and groups, signals, and low ports.
const RIGHTS_KEPT: u64 = 0b100_1111_1111;
/// The last right that Linux may ever have in the interface of today.
const LAST_RIGHT: usize = 63;

/// So many descriptors are looked at one by one, on kernels that cannot do it at once.
const MOST_DESCRIPTORS: RawFd = 1 << 20;

impl Child {
    /// Keeps a descriptor open under a number that is free here, and tells which: where the number does not matter, none is in the way.
    ///
    /// # Errors
    /// If no more can be opened.
    pub fn keep_open(&mut self, fd: impl AsFd) -> io::Result<RawFd> {
        let copy = rustix::io::fcntl_dupfd_cloexec(fd, 3)?;
        let number = copy.as_raw_fd();
        self.keep.push((copy, number));
        Ok(number)
    }

    /// Has a command do these steps when it is started. It always gives up the way to more rights, and leaves no memory images behind.
    /// What is kept open stays open here as long as the command value lives.
    ///
    /// # Errors
    /// If a descriptor cannot be copied, or is to be kept under the number of an ordinary stream.
    pub fn prepare(self, command: &mut Command) -> io::Result<()> {
        if self.keep.iter().any(|(_, number)| *number < 3) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the numbers below 3 belong to the command's own streams",
            ));
        }
        // Copies above all the numbers that are wanted, so that none is overwritten before it was put in its place.
        let above = self
            .keep
            .iter()
            .map(|(_, number)| number + 1)
            .max()
            .unwrap_or(3);
        let copy = |fd: &OwnedFd| rustix::io::fcntl_dupfd_cloexec(fd, above);
        let landlock = self.landlock.as_ref().map(copy).transpose()?;
        let copies: Vec<(OwnedFd, RawFd)> = self
            .keep
            .iter()
            .map(|(fd, number)| Ok((copy(fd)?, *number)))
            .collect::<io::Result<_>>()?;
        // The numbers are taken here, too: the pipe by which a child tells of its failure must not get one of them.
        let taken: Vec<OwnedFd> = self
            .keep
            .iter()
            .map(|(fd, number)| rustix::io::fcntl_dupfd_cloexec(fd, *number))
            .collect::<Result<_, _>>()?;
        let held = (self.keep, taken);
        let limits = wanted(self.limits);
        let (session, few_rights, program) = (self.session, self.few_rights, self.filter);
        let mut entrance = self.entrance;
        if let Some(entrance) = &mut entrance {
            entrance.raise(above)?;
        }
        let steps = move || {
            let _ = &held;
            if session {
                rustix::process::setsid()?;
            }
            for (resource, most) in limits.iter().flatten() {
                limit(*resource, *most)?;
            }
            if let Some(entrance) = &mut entrance {
                entrance.enter()?;
            }
            close_all()?;
            for (fd, number) in &copies {
                put(fd.as_raw_fd(), *number)?;
            }
            if let Some(entrance) = &entrance {
                entrance.keep_mounts()?;
            }
            no_new_rights()?;
            if few_rights {
                give_up_rights()?;
            }
            if let Some(entrance) = &entrance {
                entrance.settle()?;
            }
            if let Some(rules) = &landlock {
                restrict(rules.as_raw_fd())?;
            }
            program.iter().try_for_each(|program| filter(program))?;
            entrance.as_ref().map_or(Ok(()), Entrance::run)
        };
        #[allow(
            unsafe_code,
            reason = "there is no other way to do something between fork and exec"
        )]
        // SAFETY: the closure makes system calls only; it takes no memory and no lock, and everything it reads was made before.
        unsafe {
            command.pre_exec(steps);
        }
        Ok(())
    }
}

/// The version of Landlock that the kernel has, or a negative number.
pub(crate) fn landlock_version() -> i64 {
    const ASK_FOR_VERSION: u32 = 1;
    #[allow(unsafe_code, reason = "the library keeps this to itself")]
    // SAFETY: with this flag the call takes a null pointer and a length of zero, and makes nothing.
    unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            ASK_FOR_VERSION,
        )
    }
}

/// Gives a place, and what is below, to what the rules are for.
pub(crate) fn add_rule(rules: &OwnedFd, place: &OwnedFd, access: u64) -> io::Result<()> {
    const BELOW_A_PATH: u32 = 1;
    /// As the kernel reads it.
    #[repr(C, packed)]
    struct Given {
        access: u64,
        place: i32,
    }
    let given = Given {
        access,
        place: place.as_raw_fd(),
    };
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads the twelve bytes, and both descriptors are open.
    done(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            rules.as_raw_fd(),
            BELOW_A_PATH,
            &raw const given,
            0_u32,
        )
    })
}

/// The limits of the kernel for these limits. Processes are counted for the whole person, so those there are come on top.
fn wanted(limits: Limits) -> [Option<(Resource, u64)>; 3] {
    let memory = limits
        .memory
        .map(|most| (Resource::Data, most.saturating_mul(1024 * 1024)));
    // Root is not counted by the kernel.
    let processes = limits
        .processes
        .filter(|_| !rustix::process::getuid().is_root());
    let processes = processes.map(|most| (Resource::Nproc, most.saturating_add(running())));
    [memory, processes, Some((Resource::Core, 0))]
}

/// Threads that there are now: everybody's, since they are one number, and those of one person would have to be counted one by one.
fn running() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace()
        .nth(3)
        .and_then(|running| running.split_once('/')?.1.parse().ok())
        .unwrap_or(0)
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let now = rustix::process::getrlimit(resource);
    let most = now.maximum.map_or(most, |hard| hard.min(most));
    let current = now.current.map_or(most, |soft| soft.min(most));
    Ok(rustix::process::setrlimit(
        resource,
        Rlimit {
            current: Some(current),
            maximum: Some(most),
        },
    )?)
}

/// Everything above the ordinary streams is closed by exec, whoever opened it.
pub(crate) fn close_all() -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: only the flag of descriptors is set; none is closed here.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3_u32,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    match done(result) {
        // Linux before 5.11, or a filter around all of this.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::ENOSYS | libc::EINVAL | libc::EPERM)
            ) =>
        {
            close_each().ok_or(error)
        }
        result => result,
    }
}

/// What the person types to end or quit a command is not for this process.
pub(crate) fn ignore_keys() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: no handler is set, and only this process has a part in it.
        unsafe {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// The same one by one; nothing if there could be too many.
fn close_each() -> Option<()> {
    let most = rustix::process::getrlimit(Resource::Nofile).maximum?;
    let most = RawFd::try_from(most)
        .ok()
        .filter(|most| *most <= MOST_DESCRIPTORS)?;
    for fd in 3..most {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: only a flag is set, and a number that is not in use is refused.
        unsafe {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
    Some(())
}

/// The copy stays open over exec. The two are never the same.
pub(super) fn put(fd: RawFd, number: RawFd) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the child is about to exec; what was open under the number here is nobody's any more.
    let result = unsafe { libc::dup2(fd, number) };
    done(result.min(0).into())
}

fn no_new_rights() -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only.
    let result = unsafe {
        libc::prctl(
            libc::PR_SET_NO_NEW_PRIVS,
            1_usize,
            0_usize,
            0_usize,
            0_usize,
        )
    };
    done(result.into())
}

/// Takes all rights but a few; whoever has none keeps none.
fn give_up_rights() -> io::Result<()> {
    keep_rights(RIGHTS_KEPT)
}

/// Takes all rights but these, now and for every program that is started.
pub(super) fn keep_rights(kept: u64) -> io::Result<()> {
    /// The header of the calls, of the version with 64 rights, for the process itself.
    const HEADER: [u32; 2] = [0x2008_0522, 0];
    for right in (0..=LAST_RIGHT).filter(|right| kept & (1 << right) == 0) {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: numbers only.
        let result =
            unsafe { libc::prctl(libc::PR_CAPBSET_DROP, right, 0_usize, 0_usize, 0_usize) };
        // Without the right to do it there is nothing to take; behind the last that the kernel knows there is none.
        if result != 0 {
            break;
        }
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: numbers only. A kernel that does not know it has none of them.
    unsafe {
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0_usize,
            0_usize,
            0_usize,
        );
    }
    let mut header = HEADER;
    // Twice effective, permitted and inheritable: the low halves and the high ones.
    let mut sets = [0_u32; 6];
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads the two words of the header, and writes the six words of the sets.
    done(unsafe { libc::syscall(libc::SYS_capget, header.as_mut_ptr(), sets.as_mut_ptr()) })?;
    let [low, high] = [kept as u32, (kept >> 32) as u32];
    for (set, kept) in sets.iter_mut().zip([low, low, low, high, high, high]) {
        *set &= kept;
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads the two words of the header and the six words of the sets.
    done(unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) })
}

fn restrict(rules: RawFd) -> io::Result<()> {
    #[allow(unsafe_code, reason = "a system call; the library would take memory")]
    // SAFETY: numbers only.
    done(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0_u32) })
}

fn filter(program: &[sock_filter]) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = libc::sock_fprog {
        len: length,
        filter: program.as_ptr().cast_mut(),
    };
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the kernel reads as many steps as there are, and writes none.
    done(unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            0_u32,
            &raw const program,
        )
    })
}

pub(super) fn done(result: libc::c_long) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
