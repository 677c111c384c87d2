//! A command while it runs: its output is read as it comes, and nobody waits for a pipe that somebody else holds open.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

use sayso_sandbox::script_copies::{self, Script};
use sayso_sandbox::session::LeftRunning;
use sayso_sandbox::start::{Guard, Report, Sandbox};

use super::environment::{self, MARK};
use super::error::StartError;
use super::folder::Folder;
use super::outcome::End;
use super::process_tree::Relatives;
use super::{BURIAL, Bounds, Command, Stream, bash};

use crate::platform;

/// Where output goes.
pub(super) type Sink<'a> = dyn FnMut(Stream, &[u8]) + 'a;

/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// How much is read of a pipe after the end of everybody who is known to write to it; no pipe holds more.
const MOST_REST: usize = 2 * 1024 * 1024;
/// How often something is looked at that does not call by itself.
const TICK: Duration = Duration::from_millis(10);
/// How often processes are counted.
const COUNTING: Duration = Duration::from_millis(100);

/// Why [`Running::follow`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// The command itself has ended.
    Ended,
    /// The time is over.
    Time,
    /// It is to be stopped.
    Stopped,
    /// It is more processes than it may be.
    TooMany(u64),
}

/// What came of a start.
pub(super) enum Start {
    Running(Box<Running>),
    /// The sandbox of its session could not be entered: why.
    NotEntered(String),
}

/// A command that was started and not yet waited for.
pub(super) struct Running {
    child: Option<Child>,
    number: Pid,
    /// Becomes readable when the command ends.
    bell: Option<OwnedFd>,
    out: Option<ChildStdout>,
    error: Option<ChildStderr>,
    relatives: Relatives,
    has_ended: bool,
    piece: Vec<u8>,
    guard: Option<Guard>,
    /// How many processes it may be, and when that was looked at.
    most_processes: Option<(u64, Instant)>,
}

/// Starts the process, which holds ends of pipes that have to close with it. Scripts are read from their copies; in a sandbox they are what
/// stands there, since nobody was shown them.
fn spawn(mut process: std::process::Command, command: &Command<'_>) -> std::io::Result<Child> {
    let named = command.scripts.iter().filter(|(path, _)| {
        let name = Path::new(path).file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| command.text.contains(name))
    });
    let scripts: Vec<Script> = match command.bounds {
        Some(_) => Vec::new(),
        None => named
            .map(|(path, bytes)| Script::new(path.into(), bytes))
            .collect::<std::io::Result<_>>()?,
    };
    if scripts.is_empty() {
        process.spawn()
    } else {
        script_copies::spawn(process, command.text, command.cwd, scripts)
    }
}

impl Running {
    /// Starts it; with `alone` in no sandbox of a session.
    pub(super) fn start(command: &Command<'_>, alone: bool) -> Result<Start, StartError> {
        if command.text.contains('\0') {
            return Err(StartError::HoldsNul);
        }
        environment::check(command.environment)?;
        let folder = Folder::open(command.cwd)?;
        let mark = environment::new_mark()?;
        let marks = environment::marks(std::env::var_os(MARK), &mark);
        let (mut process, guard) = match &command.bounds {
            Some(bounds) => bounded(command, bounds, marks, alone)?,
            None => {
                let mut process = bash::process(command.text)?;
                process
                    .env_clear()
                    .envs(environment::scrubbed(std::env::vars_os()));
                process.envs(
                    command
                        .environment
                        .iter()
                        .map(|(name, value)| (name, value)),
                );
                process.env(MARK, marks).current_dir(folder.path());
                (process, None)
            }
        };
        process
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = match spawn(process, command) {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::ArgumentListTooLong => {
                return Err(StartError::TooLong);
            }
            Err(error) if guard.as_ref().is_some_and(Guard::is_in_session) => {
                return Ok(Start::NotEntered(error.to_string()));
            }
            Err(error) => return Err(StartError::NotStarted(error)),
        };
        let number = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or(StartError::NoNumber)?;
        let (out, error) = (child.stdout.take(), child.stderr.take());
        let running = Running {
            relatives: Relatives::new(number, mark),
            bell: platform::end_of_process(number),
            child: Some(child),
            number,
            out,
            error,
            has_ended: false,
            piece: vec![0; PIECE],
            guard,
            most_processes: command
                .bounds
                .and_then(|bounds| bounds.profile.limits.processes)
                .map(|most| (most, Instant::now())),
        };
        // From here on the value ends the command when it is dropped.
        let handles = [
            running.out.as_ref().map(AsFd::as_fd),
            running.error.as_ref().map(AsFd::as_fd),
        ];
        for handle in handles.into_iter().flatten() {
            let set =
                fcntl_getfl(handle).and_then(|flags| fcntl_setfl(handle, flags | OFlags::NONBLOCK));
            set.map_err(StartError::NoOutput)?;
        }
        Ok(Start::Running(Box::new(running)))
    }

    /// Reads output until the command itself ends, or until then.
    pub(super) fn follow(
        &mut self,
        until: Option<Instant>,
        is_stopped: &dyn Fn() -> bool,
        sink: &mut Sink<'_>,
    ) -> Pause {
        loop {
            if self.check_ended() {
                return Pause::Ended;
            }
            if is_stopped() {
                return Pause::Stopped;
            }
            if let Some(most) = self.too_many() {
                return Pause::TooMany(most);
            }
            let left = until.map_or(BURIAL, |until| {
                until.saturating_duration_since(Instant::now())
            });
            if left.is_zero() {
                return Pause::Time;
            }
            let most = if self.bell.is_some() { 5 * TICK } else { TICK };
            self.read_once(left.min(most), sink);
        }
    }

    /// The limit, if it is more processes than that. The system keeps the limit for most people, but not for root.
    fn too_many(&mut self) -> Option<u64> {
        let (most, looked) = self.most_processes.as_mut()?;
        if looked.elapsed() < COUNTING {
            return None;
        }
        let most = *most;
        // bubblewrap and what waits for the command are not of the command; in the sandbox of a session there are none of its own.
        let own = if self.is_in_session() { 0 } else { 2 };
        let living = (self.relatives.living().len() as u64).saturating_sub(own);
        self.most_processes = Some((most, Instant::now()));
        (living > most).then_some(most)
    }

    /// Reads output until neither the command nor anything it started lives, or for that long; whether nothing lives.
    pub(super) fn wait_for_all(&mut self, most: Duration, sink: &mut Sink<'_>) -> bool {
        let until = Instant::now() + most;
        loop {
            if self.check_ended() && self.relatives.living().is_empty() {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let pause = Instant::now() + left.min(TICK);
            while let Some(left) = pause
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero())
            {
                self.read_once(left, sink);
                if !self.has_ended && self.check_ended() {
                    break;
                }
            }
        }
    }

    /// Whether what it leaves running may live on in the sandbox of its session.
    pub(super) fn is_in_session(&self) -> bool {
        self.guard.as_ref().is_some_and(Guard::is_in_session)
    }

    /// Tells the session's sandbox that the command has ended; its pipes are read there from now on.
    pub(super) fn leave_session(&mut self, by_force: bool) -> LeftRunning {
        let pipes = [
            self.out.as_ref().map(AsFd::as_fd),
            self.error.as_ref().map(AsFd::as_fd),
        ];
        let pipes: Vec<BorrowedFd<'_>> = pipes.into_iter().flatten().collect();
        match &mut self.guard {
            Some(guard) => guard.leave_session(by_force, &pipes),
            None => LeftRunning::default(),
        }
    }

    /// What the person should know of how the sandbox was set up.
    pub(super) fn notes(&self) -> Vec<String> {
        self.guard
            .as_ref()
            .map(|guard| guard.notes().to_vec())
            .unwrap_or_default()
    }

    /// What lives of the command.
    pub(super) fn rest(&mut self) -> Vec<String> {
        let command = if self.check_ended() {
            None
        } else {
            Some("bash".to_owned())
        };
        command
            .into_iter()
            .chain(self.relatives.living().iter().map(platform::Process::shown))
            .collect()
    }

    pub(super) fn signal_all(&mut self, signal: Signal) {
        let alive = !self.check_ended();
        self.relatives.signal(signal, alive);
    }

    /// Reads what is in the pipes already.
    pub(super) fn drain(&mut self, sink: &mut Sink<'_>) {
        for stream in [Stream::Out, Stream::Error] {
            let mut total = 0;
            while total < MOST_REST {
                match self.read(stream, sink) {
                    0 => break,
                    count => total += count,
                }
            }
        }
    }

    /// Waits for the command, which gives its number back to the system, and tells how it ended.
    pub(super) fn bury(mut self) -> (End, Option<Report>) {
        let end = self.end();
        (end, self.guard.take().map(Guard::report))
    }

    fn end(&mut self) -> End {
        let Some(mut child) = self.child.take() else {
            return End::Stopped;
        };
        if !self.check_ended() {
            // Not even a kill ended it: it hangs in the system. Somebody waits for it, but not we.
            std::thread::spawn(move || child.wait());
            return End::Stopped;
        }
        match child.wait() {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, Some(signal)) => End::Signal(signal),
                (None, None) => End::Stopped,
            },
            Err(_) => End::Stopped,
        }
    }

    /// Whether the command itself has ended. It is not waited for yet, so that its number stays its own.
    fn check_ended(&mut self) -> bool {
        if !self.has_ended {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            self.has_ended = match waitid(WaitId::Pid(self.number), look) {
                // Of one that is traced, a stop is told as well, though nobody asked for it.
                Ok(found) => {
                    found.is_some_and(|found| found.exited() || found.killed() || found.dumped())
                }
                // Where somebody else took the status, it has ended as well.
                Err(_) => true,
            };
        }
        self.has_ended
    }

    /// Waits until there is output or the command ends, at most that long, and reads one piece of each stream.
    fn read_once(&mut self, most: Duration, sink: &mut Sink<'_>) {
        let bell = self.bell.as_ref().filter(|_| !self.has_ended);
        let handles: [Option<BorrowedFd<'_>>; 3] = [
            self.out.as_ref().map(AsFd::as_fd),
            self.error.as_ref().map(AsFd::as_fd),
            bell.map(AsFd::as_fd),
        ];
        let mut watched: Vec<PollFd<'_>> = handles
            .into_iter()
            .flatten()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let time = Timespec::try_from(most).ok();
        if poll(&mut watched, time.as_ref()).is_ok_and(|ready| ready > 0) {
            drop(watched);
            self.read(Stream::Out, sink);
            self.read(Stream::Error, sink);
        }
    }

    /// Reads one piece if there is one. A stream that ended, or broke, is not read again.
    fn read(&mut self, stream: Stream, sink: &mut Sink<'_>) -> usize {
        let read = match (stream, &mut self.out, &mut self.error) {
            (Stream::Out, Some(out), _) => out.read(&mut self.piece),
            (Stream::Error, _, Some(error)) => error.read(&mut self.piece),
            _ => return 0,
        };
        let count = match read {
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                return 0;
            }
            other => other.unwrap_or(0),
        };
        match (count, stream) {
            (0, Stream::Out) => self.out = None,
            (0, Stream::Error) => self.error = None,
            _ => sink(stream, self.piece.get(..count).unwrap_or_default()),
        }
        count
    }
}

impl Drop for Running {
    /// Only where something went wrong on the way: nothing is left running, and nothing is left unwaited for.
    fn drop(&mut self) {
        if self.child.is_none() {
            return;
        }
        let until = Instant::now() + BURIAL;
        while !(self.check_ended() && self.relatives.living().is_empty()) && Instant::now() < until
        {
            self.signal_all(Signal::KILL);
            std::thread::sleep(TICK);
        }
        if let (true, Some(mut child)) = (self.has_ended, self.child.take()) {
            // There is nobody left to tell how it ended.
            let _ = child.wait();
        }
    }
}

/// A process in its sandbox, with what has to live as long as it.
fn bounded(
    command: &Command<'_>,
    bounds: &Bounds<'_>,
    marks: String,
    alone: bool,
) -> Result<(std::process::Command, Option<Guard>), StartError> {
    let mut profile = bounds.profile.clone();
    let given = command
        .environment
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    profile.environment.retain(|(name, _)| {
        name != MARK
            && !command
                .environment
                .iter()
                .any(|(given, _)| name == given.as_str())
    });
    profile
        .environment
        .extend(given.chain([(OsString::from(MARK), OsString::from(marks))]));
    let words = [
        bash::bash()?,
        "--noprofile",
        "--norc",
        "-c",
        "--",
        command.text,
    ]
    .map(OsString::from);
    let sandbox = match alone {
        true => &Sandbox {
            session: None,
            ..bounds.sandbox.clone()
        },
        false => bounds.sandbox,
    };
    let ready = sandbox
        .ready(&profile, bounds.workspace, &words, true)
        .map_err(|why| StartError::Sandbox(why.into()))?;
    Ok((ready.command, Some(ready.guard)))
}
