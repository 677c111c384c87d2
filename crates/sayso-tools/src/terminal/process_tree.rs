//! Finds the processes that belong to a command, also those that left its group, so that they end with it.
//!
//! A process belongs to a command if it is in its group or session, carries its mark in the environment it started with, or was started by
//! one that belongs to it. What left the session, wiped its environment and lost its parent is not found: that takes a sandbox.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::environment::carries;
use crate::platform::{Process, Processes};

/// The processes of one command. The command itself must not have been waited for: as long as it has not, its number is nobody else's.
pub(super) struct Relatives {
    command: Pid,
    mark: String,
    processes: Processes,
}

impl Relatives {
    pub(super) fn new(command: Pid, mark: String) -> Self {
        Relatives {
            command,
            mark,
            processes: Processes::of(command.as_raw_nonzero().get()),
        }
    }

    /// Sends a signal to all; `alive` says whether the command itself still is.
    pub(super) fn signal(&mut self, signal: Signal, alive: bool) {
        let has_group = kill_process_group(self.command, signal).is_ok();
        if alive && !has_group {
            // It has not come to leave our group yet; where this fails, it has just ended.
            let _ = kill_process(self.command, signal);
        }
        let command = self.command.as_raw_nonzero().get();
        for relative in self
            .living()
            .iter()
            .filter(|relative| !relative.is_in_group(command))
        {
            relative.signal(signal);
        }
    }

    /// Those that live, without the command itself.
    pub(super) fn living(&mut self) -> Vec<Process> {
        self.processes
            .living(&|environment| carries(environment, &self.mark))
    }
}
