//! The process of a server: what goes in, what comes out, and its end.

use std::collections::VecDeque;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::error::{McpError, ServerEnd};
use super::inbox::Inbox;
use super::{Patience, Start, wire};
use crate::lines::{Line, Lines};

/// So much of what a server says on its error stream is kept for the person.
const MOST_WORDS: usize = 2000;
/// So long a server has to end by itself when it gets nothing more, and again when it is asked to end.
const GRACE: Duration = Duration::from_secs(2);
const STACK: usize = 4 << 20;
const SLICE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// A server that runs.
#[derive(Debug)]
pub(super) struct Process {
    stdin: Option<OwnedFd>,
    pub inbox: Arc<Inbox>,
    /// The group of the server, as long as its number is its own.
    group: Arc<Mutex<Option<Pid>>>,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(start: &Start) -> Result<Process, McpError> {
        let (program, arguments) = start.command.split_first().ok_or(McpError::NoCommand)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&start.cwd)
            .env_clear()
            .envs(start.environment.iter().cloned());
        // A group of its own: all of it can be ended, and Ctrl-C is for us.
        command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (inbox, group) = (Arc::new(Inbox::default()), Arc::new(Mutex::new(None)));
        let (tell, told) = mpsc::channel();
        let (own, number) = (Arc::clone(&inbox), Arc::clone(&group));
        // The thread that starts it lives as long as the server: where a server dies with who started it, that is this thread.
        let work = move || {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => return drop(tell.send(Err(McpError::NotStarted(error)))),
            };
            *number.lock().unwrap_or_else(PoisonError::into_inner) =
                Pid::from_raw(child.id().try_into().unwrap_or(0));
            let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
            drop(tell.send(Ok(stdin)));
            follow(&mut child, stderr, &own, &number);
        };
        let spawned = std::thread::Builder::new()
            .name("mcp server".to_owned())
            .stack_size(STACK)
            .spawn(work);
        spawned.map_err(McpError::NoThread)?;
        let stdin = told.recv().map_err(|_| McpError::ThreadEnded)??;
        let stdin = stdin.map(OwnedFd::from).ok_or(McpError::NoInput)?;
        let mut process = Process {
            stdin: None,
            inbox,
            group,
        };
        // A server that does not read must not hold us for ever.
        let set =
            fcntl_getfl(&stdin).and_then(|flags| fcntl_setfl(&stdin, flags | OFlags::NONBLOCK));
        process.stdin = Some(stdin);
        set.map_err(McpError::InputNotSetUp)?;
        Ok(process)
    }

    /// Gives the server a message.
    ///
    /// # Errors
    /// When it does not take it. Part of it may be on its way then, so nothing more is sent.
    pub(super) fn send(&mut self, line: &str, patience: Patience<'_>) -> Result<(), McpError> {
        let sent = self.write(line.as_bytes(), patience);
        if sent.is_err() {
            self.stdin = None;
        }
        sent
    }

    fn write(&self, mut rest: &[u8], patience: Patience<'_>) -> Result<(), McpError> {
        let stdin = self.stdin.as_ref().ok_or(McpError::InputClosed)?;
        while !rest.is_empty() {
            match rustix::io::write(stdin, rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    if let Some(end) = self.inbox.ended() {
                        return Err(McpError::Ended(end));
                    }
                    if let Some(why) = patience.is_over() {
                        return Err(McpError::InputNotTaken(why));
                    }
                    let _ = poll(&mut [PollFd::new(stdin, PollFlags::OUT)], Some(&SLICE));
                }
                Err(error) => {
                    // Its own last words say more than a broken pipe.
                    std::thread::sleep(Duration::from_millis(50));
                    let end = self.inbox.ended();
                    return Err(end.map_or(McpError::InputBroken(error), McpError::Ended));
                }
            }
        }
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = *self.group.lock().unwrap_or_else(PoisonError::into_inner) {
            // Whoever is gone needs no signal.
            let _ = kill_process_group(group, signal);
        }
    }

    fn is_gone_by(&self, until: Instant) -> bool {
        while self
            .group
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
        {
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin = None;
        for signal in [Signal::TERM, Signal::KILL] {
            if self.is_gone_by(Instant::now() + GRACE) {
                return;
            }
            self.signal(signal);
        }
        self.is_gone_by(Instant::now() + GRACE);
    }
}

/// Reads what the server says until its end, and tells how it ended.
fn follow(
    child: &mut Child,
    stderr: Option<ChildStderr>,
    inbox: &Inbox,
    group: &Mutex<Option<Pid>>,
) {
    let words = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&words);
    let listener = stderr.and_then(|stderr| {
        std::thread::Builder::new()
            .name("mcp errors".to_owned())
            .spawn(move || keep(stderr, &kept))
            .ok()
    });
    if let Some(output) = child.stdout.take() {
        let mut lines = Lines::new(output, wire::LONGEST);
        loop {
            match lines.wait() {
                Line::End => break,
                Line::Whole(line) => inbox.put(wire::read(&line)),
                Line::TooLong(_) => inbox.put(Err(McpError::LongMessage {
                    mib: wire::LONGEST >> 20,
                })),
            }
        }
    }
    let status = bury(child, group);
    // What it left behind may hold the stream open.
    let until = Instant::now() + Duration::from_millis(200);
    while listener
        .as_ref()
        .is_some_and(|thread| !thread.is_finished())
        && Instant::now() < until
    {
        std::thread::sleep(Duration::from_millis(2));
    }
    let words: Vec<u8> = words
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .copied()
        .collect();
    let words = String::from_utf8_lossy(&words).trim().to_owned();
    inbox.end(ServerEnd { status, words });
}

/// Waits for the end of a server that says nothing more, and ends what it has started.
fn bury(child: &mut Child, group: &Mutex<Option<Pid>>) -> Option<ExitStatus> {
    let pid = Pid::from_raw(child.id().try_into().unwrap_or(0))?;
    let until = Instant::now() + GRACE;
    let is_dead = || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(
            waitid(WaitId::Pid(pid), options),
            Ok(None) | Err(rustix::io::Errno::INTR)
        )
    };
    while !is_dead() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Before its number is free: nobody else can be meant.
    let mut group = group.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = kill_process_group(pid, Signal::KILL);
    *group = None;
    drop(group);
    child.wait().ok()
}

/// Keeps the last words of an error stream.
fn keep(mut stderr: ChildStderr, words: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(buffer.get(..read).unwrap_or_default());
        let more = words.len().saturating_sub(MOST_WORDS);
        words.drain(..more);
    }
}
