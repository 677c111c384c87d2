//! The processes in a session's sandbox, seen through its own `/proc`: found, named, stopped and killed from outside.
//!
//! An open folder of a process in `/proc` stands for exactly this process: a signal sent by it never reaches another one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{Dir, Mode, OFlags, openat};
use rustix::process::{Pid, Signal};
use sayso_core::text::visible::visible;

/// The variable with the marks of the commands that a process belongs to.
const MARK: &[u8] = b"SAYSO_COMMAND=";
/// The first process, and the one that waits for the end of the session.
const OWN: i32 = 2;
/// The maximum number of bytes of an environment that are looked at.
const MAX_ENVIRONMENT: u64 = 8 * 1024 * 1024;
/// The maximum number of characters of a command line that are shown.
const MAX_SHOWN: usize = 80;

/// Which process it is: its number in the sandbox, and when it started.
pub(super) type Identity = (i32, u64);

/// One process.
pub(super) struct Process {
    place: OwnedFd,
    pub(super) number: i32,
    parent: i32,
    since: u64,
    state: u8,
}

/// All processes of one sandbox.
pub(super) struct Processes {
    proc: OwnedFd,
}

impl Processes {
    /// Those of the sandbox with this first process.
    pub(super) fn of(first: Pid) -> std::io::Result<Processes> {
        let path = format!("/proc/{}/root/proc", first.as_raw_nonzero());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = openat(rustix::fs::CWD, path, flags, Mode::empty())?;
        Ok(Processes { proc })
    }

    /// Those that live, without the sandbox's own two.
    pub(super) fn living(&self) -> Vec<Process> {
        let Ok(entries) = Dir::read_from(&self.proc) else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str().ok()?.parse().ok())
            .filter(|number| *number > OWN)
            .filter_map(|number| self.process(number))
            .filter(|process| !matches!(process.state, b'Z' | b'X'))
            .collect()
    }

    fn process(&self, number: i32) -> Option<Process> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let place = openat(&self.proc, number.to_string(), flags, Mode::empty()).ok()?;
        let text = read(&place, "stat", 4096)?;
        let text = String::from_utf8_lossy(&text);
        // The name can hold anything; behind its last parenthesis there are only numbers.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Process {
            place,
            number,
            state: *fields.first()?.as_bytes().first()?,
            parent: fields.get(1)?.parse().ok()?,
            since: fields.get(19)?.parse().ok()?,
        })
    }

    /// Those of one command: what was not there when it began, unless another running command started it.
    pub(super) fn of_command(
        &self,
        before: &BTreeSet<Identity>,
        others: &[Vec<u8>],
    ) -> Vec<Process> {
        let fresh: Vec<Process> = self
            .living()
            .into_iter()
            .filter(|process| !before.contains(&process.identity()))
            .collect();
        if others.is_empty() {
            return fresh;
        }
        let marked: Vec<i32> = fresh
            .iter()
            .filter(|process| others.iter().any(|mark| process.carries(mark)))
            .map(|process| process.number)
            .collect();
        let mut foreign: BTreeSet<i32> = marked.into_iter().collect();
        loop {
            let more: Vec<i32> = fresh
                .iter()
                .filter(|process| {
                    foreign.contains(&process.parent) && !foreign.contains(&process.number)
                })
                .map(|process| process.number)
                .collect();
            if more.is_empty() {
                break;
            }
            foreign.extend(more);
        }
        fresh
            .into_iter()
            .filter(|process| !foreign.contains(&process.number))
            .collect()
    }
}

impl Process {
    pub(super) fn identity(&self) -> Identity {
        (self.number, self.since)
    }

    /// Whether it was started by the command with this mark.
    pub(super) fn carries(&self, mark: &[u8]) -> bool {
        let environment = read(&self.place, "environ", MAX_ENVIRONMENT).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .filter_map(|entry| entry.strip_prefix(MARK))
            .any(|marks| marks.split(|byte| *byte == b':').any(|one| one == mark))
    }

    /// The marks of the commands that it belongs to, the innermost last.
    pub(super) fn mark(&self) -> Option<Vec<u8>> {
        let environment = read(&self.place, "environ", MAX_ENVIRONMENT)?;
        let marks = environment
            .split(|byte| *byte == 0)
            .find_map(|entry| entry.strip_prefix(MARK))?;
        marks
            .rsplit(|byte| *byte == b':')
            .next()
            .map(<[u8]>::to_vec)
    }

    /// How it is shown: its command line is as it likes, so what is not visible in it is spelled out.
    pub(super) fn shown(&self) -> String {
        let line = read(&self.place, "cmdline", 4096).unwrap_or_default();
        let mut words = String::from_utf8_lossy(&line)
            .trim_end_matches('\0')
            .replace('\0', " ");
        if words.is_empty() {
            let name = read(&self.place, "comm", 64).unwrap_or_default();
            words = String::from_utf8_lossy(&name).trim_end().to_owned();
        }
        let shown: String = visible(&words).chars().take(MAX_SHOWN).collect();
        format!("`{shown}` (pid {})", self.number)
    }

    /// Memory of its own and its part of what it shares, in KiB.
    pub(super) fn memory(&self) -> u64 {
        let text = read(&self.place, "smaps_rollup", 8192).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_ascii_whitespace().next()?.parse::<u64>().ok()
        };
        field("Pss:").unwrap_or(0) + field("SwapPss:").unwrap_or(0)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state == b'T'
    }

    pub(super) fn signal(&self, signal: Signal) {
        #[allow(
            unsafe_code,
            reason = "the library takes no folder of /proc for a process"
        )]
        // SAFETY: numbers and a null pointer only. It has ended by itself where this fails.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.place.as_raw_fd(),
                signal.as_raw(),
                std::ptr::null::<libc::siginfo_t>(),
                0_u32,
            );
        }
    }
}

fn read(place: &OwnedFd, name: &str, most: u64) -> Option<Vec<u8>> {
    let file = openat(place, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut bytes = Vec::new();
    File::from(file).take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
