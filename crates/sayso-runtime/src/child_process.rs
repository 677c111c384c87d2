//! The process behind a gateway, a server or an agent: it dies with the gateway, and what ends it ends the gateway in the same way.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal};
use thiserror::Error;

/// The hidden command between a gateway and the process behind it.
pub const INNER: &str = "mcp-inner";

/// Why the process cannot be started.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum ChildError {
    #[error("there is no command")]
    NoCommand,
    #[error("sayso cannot find itself: {0}")]
    OwnProgram(io::Error),
    #[error("it could not be started: {0}")]
    NotStarted(io::Error),
}

/// Starts it: its input and output are ours, its errors go where ours go.
///
/// # Errors
/// When it cannot be started.
pub fn start(command: &[OsString]) -> Result<Child, ChildError> {
    let words = with_inner(command)?;
    let (own, words) = words.split_first().ok_or(ChildError::NoCommand)?;
    let mut inner = Command::new(own);
    inner.args(words);
    // A group of its own, so that all of it can be ended.
    inner
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    inner.spawn().map_err(ChildError::NotStarted)
}

/// The command that starts a process so that it dies with the thread that started it.
///
/// # Errors
/// When sayso's own program cannot be found.
pub fn with_inner(command: &[OsString]) -> Result<Vec<OsString>, ChildError> {
    let own = std::env::current_exe().map_err(ChildError::OwnProgram)?;
    let before = [
        own.into_os_string(),
        INNER.into(),
        std::process::id().to_string().into(),
    ];
    Ok(before.into_iter().chain(command.iter().cloned()).collect())
}

/// `sayso mcp-inner PARENT COMMAND…`: asks the system to end this process with the gateway, and becomes what is behind it.
///
/// This takes a process of its own: between fork and exec, no safe code may run.
pub fn inner() -> Option<std::process::ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != INNER {
        return None;
    }
    let parent: Option<i32> = words.next().and_then(|word| word.to_str()?.parse().ok());
    let said = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    // It may be gone already, and then nobody would tell.
    let is_there = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) == parent;
    let (Ok(()), true, Some(program)) = (said, is_there, words.next()) else {
        return Some(126.into());
    };
    let error = Command::new(&program).args(words).exec();
    let _ = writeln!(
        std::io::stderr(),
        "sayso: `{}` could not be started: {error}",
        program.to_string_lossy()
    );
    Some(if error.kind() == std::io::ErrorKind::NotFound {
        127.into()
    } else {
        126.into()
    })
}

/// Sends a signal to it and to everything that it started.
pub fn signal(child: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        // Whoever is gone needs no signal.
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Sends a signal to it as whoever started it would; those of a terminal are for everything that it started, too.
pub fn pass_on(child: u32, signal: Signal) {
    if [Signal::INT, Signal::QUIT, Signal::HUP].contains(&signal) {
        return self::signal(child, signal);
    }
    if let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Ends this process as that one ended.
pub fn end_like(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        let _ = signal_hook::low_level::emulate_default_handler(signal.as_raw());
    }
    std::process::exit(
        status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
    );
}
