//! The programs that start a command, by absolute paths: what the agent's `PATH` says has no part in it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::OFlags;

use super::error::StartError;

/// Where bash is, the places that only an administrator can write first.
pub(super) const BASH: [&str; 5] = [
    "/bin/bash",
    "/usr/bin/bash",
    "/run/current-system/sw/bin/bash",
    "/usr/local/bin/bash",
    "/opt/homebrew/bin/bash",
];

/// Where `setsid` is. It puts the command into a session of its own, which has no terminal: nothing can read what the person types there,
/// or type for them. std can only make a process group.
const SETSID: [&str; 3] = [
    "/usr/bin/setsid",
    "/bin/setsid",
    "/run/current-system/sw/bin/setsid",
];

/// Where the bash is that runs commands.
///
/// # Errors
/// When there is none; nothing else runs them.
pub fn bash() -> Result<&'static str, StartError> {
    first(&BASH).ok_or(StartError::NoBash)
}

/// A process that will run `text`, and nothing before it: no start-up file, and no text that is read as an option.
pub(super) fn process(text: &str) -> Result<Command, StartError> {
    let bash = bash()?;
    let mut process = match first(&SETSID) {
        Some(setsid) => {
            let mut process = Command::new(setsid);
            process.arg(bash);
            process
        }
        // A group of its own in our session: it cannot read the terminal, being in the background, but can write to it.
        None => {
            let mut process = Command::new(bash);
            std::os::unix::process::CommandExt::process_group(&mut process, 0);
            process
        }
    };
    let handles = foreign_handles();
    if !handles.is_empty() {
        // Only bash itself can close them without `unsafe`; `-p` keeps it from looking at the variables of the call.
        let close: String = handles
            .iter()
            .map(|handle| format!(" {handle}>&-"))
            .collect();
        process.args([
            "--noprofile",
            "--norc",
            "-p",
            "-c",
            "--",
            &format!("exec{close}; exec \"$0\" \"$@\""),
            bash,
        ]);
    }
    process.args(["--noprofile", "--norc", "-c", "--", text]);
    Ok(process)
}

/// Files and connections that whoever started us left open, and that a command would get: ours all close by themselves.
fn foreign_handles() -> Vec<u32> {
    const CLOSES_BY_ITSELF: u32 = OFlags::CLOEXEC.bits();
    // Elsewhere than on Linux nothing is found, and nothing is closed.
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return Vec::new();
    };
    let numbers = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|number| *number > 2);
    let stays = |number: &u32| {
        let about =
            std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = about
            .lines()
            .find_map(|line| line.strip_prefix("flags:"))
            .and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_some_and(|flags| flags & CLOSES_BY_ITSELF == 0)
    };
    numbers.filter(stays).collect()
}

fn first(places: &[&'static str]) -> Option<&'static str> {
    let is_program = |place: &Path| {
        std::fs::metadata(place)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    places
        .iter()
        .copied()
        .find(|place| is_program(Path::new(place)))
}
