//! Sandboxes that were cut off while bubblewrap set them up: it ties its first process to itself only after that, so one whose bubblewrap
//! was killed before waits for it for good. Nothing of a command ever ran in it.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::linux::bubblewrap;
use crate::linux::init::INNER_COMMAND;

/// Ends those of this user.
pub(super) fn end_all() {
    let user = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    for entry in entries {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let is_own = entry.metadata().is_ok_and(|found| found.uid() == user);
        if !is_own || !is_cut_off(id) {
            continue;
        }
        let handle = Pid::from_raw(id).and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok());
        if let Some(handle) = handle.filter(|_| is_cut_off(id)) {
            // It has ended by itself where this fails.
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    }
}

/// Whether a process is the first one of a sandbox of sayso's, and its bubblewrap is gone.
fn is_cut_off(id: i32) -> bool {
    is_bubblewrap(id) && {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_ascii_whitespace().last()?.parse::<i32>().ok()
        };
        field("NSpid:") == Some(1) && field("PPid:").is_some_and(|parent| !is_bubblewrap(parent))
    }
}

/// Whether it is the bubblewrap of a sandbox of sayso's.
fn is_bubblewrap(id: i32) -> bool {
    let program = fs::read_link(format!("/proc/{id}/exe"));
    let is_program = program.is_ok_and(|program| {
        bubblewrap::program()
            .is_some_and(|known| fs::canonicalize(known).is_ok_and(|known| known == program))
    });
    is_program
        && fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| {
            line.split(|byte| *byte == 0)
                .any(|word| word == std::ffi::OsStr::new(INNER_COMMAND).as_bytes())
        })
}
