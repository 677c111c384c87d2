//! What Linux offers beyond POSIX: opening in one call without links, handles of processes, and what `/proc` tells.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use sayso_core::text::visible::visible;

/// What a handle gets that only marks a file and cannot read it.
pub(crate) const MARK_ONLY: OFlags = OFlags::PATH;

/// How much of an environment is looked at.
const MOST_ENVIRONMENT: u64 = 8 * 1024 * 1024;

/// How often an empty environment is looked at again, and after which time.
const EMPTY_LOOKS: usize = 4;
const EMPTY_PAUSE: std::time::Duration = std::time::Duration::from_micros(500);

/// Opens a folder through no link in one call; none where something is in the way or the kernel has no such call: then a walk name by
/// name finds out what and where, or does the work.
pub(crate) fn open_without_links(
    start: &OwnedFd,
    path: &Path,
    flags: OFlags,
) -> Result<Option<OwnedFd>, Errno> {
    let rules = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(start, path, flags, Mode::empty(), rules) {
        Ok(folder) => Ok(Some(folder)),
        Err(
            Errno::LOOP
            | Errno::NOTDIR
            | Errno::NOSYS
            | Errno::PERM
            | Errno::INVAL
            | Errno::NOENT
            | Errno::AGAIN
            | Errno::NAMETOOLONG,
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a file share the content of another one, where the file system can do that: none is copied until one of them is written to.
pub(crate) fn share_content(to: impl AsFd, from: impl AsFd) -> Result<(), Errno> {
    rustix::fs::ioctl_ficlone(to, from)
}

/// Writes everything of a disk down.
pub(crate) fn sync_disk(folder: impl AsFd) -> Result<(), Errno> {
    rustix::fs::syncfs(folder)
}

/// A handle that says when a process ends.
pub(crate) fn end_of_process(number: Pid) -> Option<OwnedFd> {
    pidfd_open(number, PidfdFlags::empty()).ok()
}

/// A path to an open file itself.
pub(crate) fn path_of_handle(handle: &impl AsFd) -> Option<PathBuf> {
    let through = PathBuf::from(format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd()));
    through.exists().then_some(through)
}

/// Finds the processes of a command.
pub(crate) struct Processes {
    command: i32,
    since: u64,
    /// Those that lived when last looked, by number and start: what is ending has lost its environment, and with it the mark, before it
    /// is dead.
    known: HashSet<(i32, u64)>,
}

impl Processes {
    pub(crate) fn of(command: i32) -> Self {
        Processes {
            command,
            since: Process::read(command).map_or(0, |process| process.since),
            known: HashSet::new(),
        }
    }

    /// Those that live, without the command itself; `carries` says whether an environment has the command's mark.
    pub(crate) fn living(&mut self, carries: &dyn Fn(&[u8]) -> bool) -> Vec<Process> {
        let found = living(self.command, self.since, carries, &self.known);
        self.known = found.iter().map(Process::identity).collect();
        found
    }
}

/// One of them.
pub(crate) struct Process {
    number: i32,
    parent: i32,
    group: i32,
    session: i32,
    is_dead: bool,
    name: String,
    /// When it started, in the system's ticks.
    since: u64,
}

impl Process {
    fn read(number: i32) -> Option<Process> {
        let text = fs::read(format!("/proc/{number}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name can hold anything, also parentheses; behind the last one there are only numbers.
        let (named, rest) = text.rsplit_once(')')?;
        let name = named.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |at: usize| fields.get(at)?.parse::<i32>().ok();
        Some(Process {
            number,
            is_dead: matches!(*fields.first()?, "Z" | "X"),
            parent: field(1)?,
            group: field(2)?,
            session: field(3)?,
            since: fields.get(19)?.parse().ok()?,
            name,
        })
    }

    /// How it is shown: its own name is as it likes, so what is not visible in it is spelled out.
    pub(crate) fn shown(&self) -> String {
        format!("{} ({})", visible(&self.name), self.number)
    }

    /// Which process it is: a number alone is given again.
    fn identity(&self) -> (i32, u64) {
        (self.number, self.since)
    }

    fn is_marked(&self, carries: &dyn Fn(&[u8]) -> bool) -> bool {
        for _ in 0..EMPTY_LOOKS {
            let mut environment = Vec::new();
            let read = File::open(format!("/proc/{}/environ", self.number))
                .and_then(|file| file.take(MOST_ENVIRONMENT).read_to_end(&mut environment));
            if read.is_err() || !environment.is_empty() {
                return carries(&environment);
            }
            // Empty: it was emptied, or the process is just becoming another program. Threads of the system have no program.
            if fs::read_link(format!("/proc/{}/exe", self.number)).is_err() {
                return false;
            }
            std::thread::sleep(EMPTY_PAUSE);
        }
        false
    }

    /// Whether it is in the group of the command.
    pub(crate) fn is_in_group(&self, command: i32) -> bool {
        self.group == command
    }

    /// Sends a signal to exactly this process and to none that got its number since.
    pub(crate) fn signal(&self, signal: Signal) {
        let Some(number) = Pid::from_raw(self.number) else {
            return;
        };
        let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else {
            return;
        };
        if Process::read(self.number).is_some_and(|now| now.since == self.since) {
            // It has ended by itself where this fails.
            let _ = pidfd_send_signal(&handle, signal);
        }
    }
}

fn living(
    command: i32,
    since: u64,
    carries: &dyn Fn(&[u8]) -> bool,
    known: &HashSet<(i32, u64)>,
) -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    // What is older than the command was not started by it.
    let young = numbers
        .filter(|number| *number != command)
        .filter_map(Process::read)
        .filter(|it| !it.is_dead && it.since >= since);
    let belongs = |it: &Process| {
        it.group == command
            || it.session == command
            || known.contains(&it.identity())
            || it.is_marked(carries)
    };
    let (mut found, mut others): (Vec<Process>, Vec<Process>) = young.partition(belongs);
    loop {
        let is_child = |it: &Process| {
            it.parent == command || found.iter().any(|parent| parent.number == it.parent)
        };
        let (children, rest): (Vec<Process>, Vec<Process>) = others.into_iter().partition(is_child);
        others = rest;
        if children.is_empty() {
            break;
        }
        found.extend(children);
    }
    found
}
