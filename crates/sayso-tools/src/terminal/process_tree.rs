//! Finds the processes that belong to a command, also those that left its group, so that they end with it.
//!
//! A process belongs to a command if it is in its group or session, carries its mark in the environment it started with, or was started by
//! one that belongs to it. What left the session, wiped its environment and lost its parent is not found: that takes a sandbox.

#[cfg(target_os = "linux")]
use std::collections::HashSet;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// The processes of one command. The command itself must not have been waited for: as long as it has not, its number is nobody else's.
pub(super) struct Relatives {
    command: Pid,
    #[cfg(target_os = "linux")]
    mark: String,
    #[cfg(target_os = "linux")]
    since: u64,
    /// Those that lived when last looked, by number and start: what is ending has lost its environment, and with it the mark, before it
    /// is dead.
    #[cfg(target_os = "linux")]
    known: HashSet<(i32, u64)>,
}

/// One of them.
pub(super) struct Relative {
    name: String,
    #[cfg(target_os = "linux")]
    process: linux::Process,
}

impl Relative {
    /// How it is shown: its own name is as it likes, so what is not visible in it is spelled out.
    pub(super) fn shown(&self) -> String {
        self.name.clone()
    }
}

impl Relatives {
    #[cfg(target_os = "linux")]
    pub(super) fn new(command: Pid, mark: String) -> Self {
        let since =
            linux::Process::read(command.as_raw_nonzero().get()).map_or(0, |process| process.since);
        Relatives {
            command,
            mark,
            since,
            known: HashSet::new(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn new(command: Pid, _: String) -> Self {
        Relatives { command }
    }

    /// Sends a signal to all; `alive` says whether the command itself still is.
    pub(super) fn signal(&mut self, signal: Signal, alive: bool) {
        let has_group = kill_process_group(self.command, signal).is_ok();
        if alive && !has_group {
            // It has not come to leave our group yet; where this fails, it has just ended.
            let _ = kill_process(self.command, signal);
        }
        #[cfg(target_os = "linux")]
        for relative in self
            .living()
            .iter()
            .filter(|relative| !relative.process.is_in_group(self.command))
        {
            relative.process.signal(signal);
        }
    }

    /// Those that live, without the command itself.
    #[cfg(target_os = "linux")]
    pub(super) fn living(&mut self) -> Vec<Relative> {
        let found = linux::living(
            self.command.as_raw_nonzero().get(),
            self.since,
            &self.mark,
            &self.known,
        );
        self.known = found
            .iter()
            .map(|relative| relative.process.identity())
            .collect();
        found
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn living(&mut self) -> Vec<Relative> {
        Vec::new()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! What Linux tells of processes.

    use std::collections::HashSet;
    use std::fs::{self, File};
    use std::io::Read as _;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use sayso_core::text::visible::visible;

    use super::Relative;
    use crate::terminal::environment::carries;

    /// How much of an environment is looked at.
    const MOST_ENVIRONMENT: u64 = 8 * 1024 * 1024;

    /// How often an empty environment is looked at again, and after which time.
    const EMPTY_LOOKS: usize = 4;
    const EMPTY_PAUSE: std::time::Duration = std::time::Duration::from_micros(500);

    pub(in crate::terminal) struct Process {
        number: i32,
        parent: i32,
        group: i32,
        session: i32,
        is_dead: bool,
        name: String,
        /// When it started, in the system's ticks.
        pub(in crate::terminal) since: u64,
    }

    impl Process {
        pub(in crate::terminal) fn read(number: i32) -> Option<Process> {
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

        /// Which process it is: a number alone is given again.
        pub(super) fn identity(&self) -> (i32, u64) {
            (self.number, self.since)
        }

        fn is_marked(&self, mark: &str) -> bool {
            for _ in 0..EMPTY_LOOKS {
                let mut environment = Vec::new();
                let read = File::open(format!("/proc/{}/environ", self.number))
                    .and_then(|file| file.take(MOST_ENVIRONMENT).read_to_end(&mut environment));
                if read.is_err() || !environment.is_empty() {
                    return carries(&environment, mark);
                }
                // Empty: it was emptied, or the process is just becoming another program. Threads of the system have no program.
                if fs::read_link(format!("/proc/{}/exe", self.number)).is_err() {
                    return false;
                }
                std::thread::sleep(EMPTY_PAUSE);
            }
            false
        }

        pub(super) fn is_in_group(&self, command: Pid) -> bool {
            self.group == command.as_raw_nonzero().get()
        }

        /// Sends a signal to exactly this process and to none that got its number since.
        pub(super) fn signal(&self, signal: Signal) {
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

    pub(super) fn living(
        command: i32,
        since: u64,
        mark: &str,
        known: &HashSet<(i32, u64)>,
    ) -> Vec<Relative> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        let numbers =
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        // What is older than the command was not started by it.
        let young = numbers
            .filter(|number| *number != command)
            .filter_map(Process::read)
            .filter(|it| !it.is_dead && it.since >= since);
        let belongs = |it: &Process| {
            it.group == command
                || it.session == command
                || known.contains(&it.identity())
                || it.is_marked(mark)
        };
        let (mut found, mut others): (Vec<Process>, Vec<Process>) = young.partition(belongs);
        loop {
            let is_child = |it: &Process| {
                it.parent == command || found.iter().any(|parent| parent.number == it.parent)
            };
            let (children, rest): (Vec<Process>, Vec<Process>) =
                others.into_iter().partition(is_child);
            others = rest;
            if children.is_empty() {
                break;
            }
            found.extend(children);
        }
        let named = |process: Process| Relative {
            name: format!("{} ({})", visible(&process.name), process.number),
            process,
        };
        found.into_iter().map(named).collect()
    }
}
