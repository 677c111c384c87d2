//! The step between bubblewrap and the command: it sees that the sandbox is as planned, starts the command, and waits for what that leaves.
//!
//! It runs in the sandbox with no variable of the command's environment, so nothing of the workspace has a part in it. All of the sandbox
//! ends with it: what a command leaves running (`> >(tee log)`) is given a moment.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;
use std::time::Duration;

use rustix::io::fcntl_getfd;
use rustix::process::{Resource, Rlimit, setrlimit};
use thiserror::Error as ThisError;

use super::child;
use super::mount_check;
use super::proxy_listener;
use super::refusals;

/// The hidden command of the program that makes this step.
pub const INNER_COMMAND: &str = "sandbox-inner";

/// The number of the file with the orders.
pub(crate) const ORDERS: RawFd = 13;
/// The number of the socket that the listener of the proxy is sent through.
pub(crate) const CHANNEL: RawFd = 12;
/// The number of the program itself: it need not be anywhere in the sandbox.
pub(crate) const PROGRAM: RawFd = 14;
/// The number of the list of mounts, where `/proc` cannot tell it since this step comes from outside.
pub(crate) const MOUNTINFO: RawFd = 15;
/// The number of the connection to the holder of a session's sandbox, which sees by it when this step has ended.
pub(crate) const LEASE: RawFd = 16;
/// The number of the lock on the places that are kept absent.
pub(crate) const PLACES: RawFd = 17;
/// The number of the socket that the listener of the watcher is sent through.
pub(crate) const WATCHER: RawFd = 18;
/// The number of the pipe by which a step in a session's sandbox says that it found everything as planned.
pub(crate) const CHECKED: RawFd = 11;

/// Said over [`CHECKED`].
pub(crate) const AS_PLANNED: &[u8] = b"as planned\n";

/// How often it is looked for what the command left running, and how long it takes in between.
const LOOKS: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The statuses of shells for what could not be run, and for what is not there.
const NOT_RUN: u8 = 126;
const NOT_THERE: u8 = 127;

/// What the step is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A command with a sandbox to itself.
    #[default]
    Alone,
    /// To keep the sandbox of a session: it runs nothing, and ends with the one that holds the other end of the channel.
    Wait,
    /// A command in the sandbox of a session: what it leaves running lives on.
    Enter,
}

/// What the step is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    /// So many processes at once; they are counted here, where only those of the sandbox are.
    pub(crate) processes: Option<u64>,
    /// Whether there is a proxy.
    pub(crate) proxy: bool,
    /// Whether a watcher outside notes what is refused.
    pub(crate) watched: bool,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The environment of the command.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What has to be mounted, as [`mount_check::expected`] wrote it.
    pub(crate) mounted: Vec<u8>,
}

impl Orders {
    /// As a file: numbers, then names and values, then the list.
    pub(crate) fn write(&self) -> Vec<u8> {
        let limit = self.processes.unwrap_or(0);
        let [proxy, watched] = [self.proxy, self.watched].map(u8::from);
        let purpose = self.purpose as u8;
        let count = self.environment.len();
        let mut bytes = format!("{limit}\0{proxy}\0{watched}\0{purpose}\0{count}\0").into_bytes();
        for text in self
            .environment
            .iter()
            .flat_map(|(name, value)| [name, value])
        {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&self.mounted);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Orders> {
        let mut rest = bytes;
        let mut part = || {
            let end = rest.iter().position(|byte| *byte == 0)?;
            let (part, after) = rest.split_at_checked(end)?;
            rest = after.get(1..)?;
            Some(part)
        };
        let mut number = || std::str::from_utf8(part()?).ok()?.parse::<u64>().ok();
        let (processes, proxy, watched) = (number()?, number()?, number()?);
        let purpose = match number()? {
            0 => Purpose::Alone,
            1 => Purpose::Wait,
            2 => Purpose::Enter,
            _ => return None,
        };
        let variables = number()?;
        let mut text = || Some(OsString::from_vec(part()?.to_vec()));
        let environment = (0..variables)
            .map(|_| Some((text()?, text()?)))
            .collect::<Option<_>>()?;
        Some(Orders {
            processes: Some(processes).filter(|most| *most > 0),
            proxy: proxy == 1,
            watched: watched == 1,
            purpose,
            environment,
            mounted: rest.to_vec(),
        })
    }
}

/// Why the command is not started.
#[derive(Debug, ThisError)]
enum InnerError {
    #[error("the sandbox could not be set up: {0}")]
    Io(#[from] io::Error),
    #[error("the sandbox could not be set up: this is only for sayso itself to start")]
    NotFromSayso,
    #[error("the sandbox could not be set up: its orders cannot be read")]
    Orders,
    #[error("the sandbox is not as it was planned, since something changed meanwhile")]
    NotAsPlanned,
    #[error("there is no command to run in the sandbox")]
    NoCommand,
    #[error("the proxy of the sandbox could not be set up: {0}")]
    Proxy(#[source] io::Error),
    #[error("the watcher of the sandbox could not be set up: {0}")]
    Watcher(#[source] io::Error),
}

/// Makes the step for a command, in a program that was started for nothing else; what it gives is the status.
pub fn run(words: &[OsString]) -> u8 {
    match prepared(words) {
        Ok(Prepared::Alone(command)) => waited_for(command, true),
        Ok(Prepared::Entered(command)) => waited_for(command, false),
        Ok(Prepared::Wait(channel)) => wait_for_the_end(&channel),
        Err(why) => {
            // In the sandbox of a session it is for the one who sent this step, and who then sets up another sandbox.
            match handed(CHECKED).map(File::from) {
                Some(mut told) => drop(write!(told, "{why}")),
                None => drop(writeln!(std::io::stderr(), "sayso: {why}; nothing was run")),
            }
            NOT_RUN
        }
    }
}

/// What is done, once the sandbox was looked at.
enum Prepared {
    Alone(Command),
    Entered(Command),
    Wait(OwnedFd),
}

/// What is done, once the sandbox was looked at.
fn prepared(words: &[OsString]) -> Result<Prepared, InnerError> {
    let mut bytes = Vec::new();
    let orders = handed(ORDERS).ok_or(InnerError::NotFromSayso)?;
    File::from(orders).read_to_end(&mut bytes)?;
    let orders = Orders::read(&bytes).ok_or(InnerError::Orders)?;
    let mountinfo = match orders.purpose {
        Purpose::Alone | Purpose::Wait => std::fs::read("/proc/self/mountinfo")?,
        Purpose::Enter => {
            let mut bytes = Vec::new();
            let list = handed(MOUNTINFO).ok_or(InnerError::NotFromSayso)?;
            File::from(list).read_to_end(&mut bytes)?;
            bytes
        }
    };
    if !mount_check::is_as_planned(&orders.mounted, &mountinfo) {
        return Err(InnerError::NotAsPlanned);
    }
    if orders.purpose == Purpose::Wait {
        let channel = handed(CHANNEL).ok_or(InnerError::NotFromSayso)?;
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
            .map_err(io::Error::from)?;
        rustix::io::write(&channel, AS_PLANNED).map_err(io::Error::from)?;
        return Ok(Prepared::Wait(channel));
    }
    if let Some(most) = orders.processes {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // Where less is let through already, that stays.
        let _ = setrlimit(Resource::Nproc, limit);
    }
    let (first, rest) = words.split_first().ok_or(InnerError::NoCommand)?;
    let mut command = Command::new(first);
    command.args(rest).env_clear().envs(orders.environment);
    command.envs(std::env::var_os("PWD").map(|folder| (OsStr::new("PWD"), folder)));
    if orders.proxy {
        let port = proxy_listener::hand_out(CHANNEL).map_err(InnerError::Proxy)?;
        command.envs(crate::proxy::variables(port));
    }
    if orders.purpose == Purpose::Enter {
        let checked = handed(CHECKED).ok_or(InnerError::NotFromSayso)?;
        rustix::io::write(&checked, AS_PLANNED).map_err(io::Error::from)?;
        // A signal for its whole group is for the command, and not for this step.
        command.process_group(0);
    }
    // The command has nothing of what this step was handed.
    child::close_all()?;
    if orders.watched {
        // From here on everything that is started is watched, and so is this step.
        refusals::hand_out(WATCHER).map_err(InnerError::Watcher)?;
    }
    Ok(match orders.purpose {
        Purpose::Enter => Prepared::Entered(command),
        Purpose::Alone | Purpose::Wait => Prepared::Alone(command),
    })
}

/// Waits until the other end of the channel is closed, which is the end of the sandbox.
fn wait_for_the_end(channel: &OwnedFd) -> u8 {
    let mut byte = [0_u8; 1];
    // Anything but the end of the channel was not sent by the holder.
    while rustix::io::retry_on_intr(|| rustix::io::read(channel, &mut byte))
        .is_ok_and(|got| got > 0)
    {}
    0
}

/// Starts a command and waits for it; with `linger` also for a moment for what it leaves.
fn waited_for(mut command: Command, linger: bool) -> u8 {
    let ended = command.spawn().and_then(|mut started| {
        // The person's keys are for the command.
        child::ignore_keys();
        started.wait()
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let program =
                sayso_core::text::visible::visible(&command.get_program().to_string_lossy())
                    .into_owned();
            let _ = writeln!(
                std::io::stderr(),
                "sayso: `{program}` could not be started: {error}"
            );
            return if error.kind() == ErrorKind::NotFound {
                NOT_THERE
            } else {
                NOT_RUN
            };
        }
    };
    for _ in (0..LOOKS).take_while(|_| linger && others_run()) {
        std::thread::sleep(PAUSE);
    }
    let status = ended
        .code()
        .or_else(|| ended.signal().map(|signal| 128 + signal));
    status
        .and_then(|status| u8::try_from(status).ok())
        .unwrap_or(NOT_RUN)
}

/// Whether there is more than the first process and this one.
fn others_run() -> bool {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().as_bytes().iter().all(u8::is_ascii_digit))
        .count()
        > 2
}

/// What whoever started this program put there; none if nothing is.
pub(super) fn handed(number: RawFd) -> Option<OwnedFd> {
    // SAFETY: only asked what it is; a number that is not open gives an error.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).ok()?;
    // SAFETY: it is open, it was put there for this step alone, and nothing else here knows its number.
    #[allow(unsafe_code, reason = "a file that is known by its number only")]
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_come_back_as_they_were_written() {
        let odd = OsString::from_vec(b"a=b\n\xff ".to_vec());
        let orders = Orders {
            processes: Some(2048),
            proxy: true,
            watched: true,
            purpose: Purpose::Enter,
            environment: vec![("HOME".into(), odd), ("EMPTY".into(), OsString::new())],
            mounted: b"host 8:1\nrw own /\n".to_vec(),
        };
        assert_eq!(Orders::read(&orders.write()), Some(orders.clone()));
        assert_eq!(
            Orders::read(&Orders::default().write()),
            Some(Orders::default())
        );
        let bytes = orders.write();
        let whole = bytes.len() - orders.mounted.len();
        assert!((0..whole).all(|length| Orders::read(bytes.get(..length).unwrap()).is_none()));
    }
}
