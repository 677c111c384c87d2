//! The holder of a session's sandbox: a small process outside of it, with which all of it ends.
//!
//! It never looks at what commands do. It gives out the namespaces, keeps the places that must not come to be, ends what a command leaves
//! that was cut off, and empties pipes that a background process still writes to.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{SocketFlags, accept_with};
use rustix::process::{PidfdFlags, Signal, pidfd_open};

use super::namespaces::Answer;
use super::processes::{Identity, Processes};
use super::setup::{Setup, set_up};
use super::watch::{Excess, Watch};
use super::{SOCKET, SessionError, wire};
use crate::linux::init;
use crate::linux::placeholders::Placeholders;
use crate::linux::refusals;

/// What it says once commands can enter.
pub(super) const READY: &str = "ready";

/// How often is looked at what lives in the sandbox.
const TICK: Duration = Duration::from_secs(1);
/// How often is looked at whether the session's folder still is there.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// Background processes keep a session for this many times its idle time.
const MAX_BACKGROUND: u32 = 12;
/// How long what is killed has to be gone.
const MAX_BURIAL: Duration = Duration::from_secs(5);
/// How long everything has to stand still.
const MAX_STOPPING: Duration = Duration::from_secs(2);
/// The maximum number of bytes of a pipe that are read at once.
const MAX_PIECE: usize = 64 * 1024;
/// The maximum number of pipes that are emptied for background processes.
const MAX_PIPES: usize = 256;

/// Holds a sandbox, in a program that was started for nothing else; what it gives is the status.
pub fn run() -> u8 {
    let Some(mut ready) = init::handed(init::CHECKED).map(File::from) else {
        return 2;
    };
    match set_up().and_then(Holder::of) {
        Ok(holder) => {
            let told = ready.write_all(READY.as_bytes());
            drop(ready);
            if told.is_ok() {
                holder.hold();
            }
            0
        }
        Err(why) => {
            // Without a reader the command has its own sandbox already.
            let _ = write!(ready, "{why}");
            1
        }
    }
}

/// One command of the session.
struct Client {
    socket: OwnedFd,
    mark: Vec<u8>,
    state: State,
    /// What lived when it began.
    before: BTreeSet<Identity>,
    /// The limit that it was ended for.
    limit: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Connected,
    Began,
    Entered,
    /// It has a sandbox to itself, and the session stands still.
    Beside,
}

struct Holder {
    setup: Setup,
    processes: Processes,
    clients: Vec<Client>,
    pipes: Vec<OwnedFd>,
    watch: Watch,
    last_command: Instant,
    last_life: Instant,
}

/// What is done after a message.
enum Next {
    Stay,
    Leave,
    /// The whole session ends, and its files go.
    End,
    /// The sandbox ends; its files stay for the next one.
    Restart,
}

impl Holder {
    fn of(setup: Setup) -> Result<Holder, SessionError> {
        Ok(Holder {
            processes: Processes::of(setup.first)?,
            clients: Vec::new(),
            pipes: Vec::new(),
            watch: Watch::new(setup.orders.limits, &setup.orders.session),
            last_command: Instant::now(),
            last_life: Instant::now(),
            setup,
        })
    }

    /// Until the session ends.
    fn hold(mut self) {
        let removes = loop {
            match self.turn() {
                Next::Stay | Next::Leave => {}
                Next::End => break true,
                Next::Restart => break false,
            }
        };
        // With it everything in the sandbox ends, before its places go.
        let _ = self.setup.bubblewrap.kill();
        self.wait_for_burial();
        let _ = self.setup.bubblewrap.wait();
        // The first process of the sandbox came to this one when bubblewrap ended.
        while rustix::process::wait(rustix::process::WaitOptions::NOHANG)
            .is_ok_and(|it| it.is_some())
        {}
        let _ = std::fs::remove_file(self.setup.orders.session.join(SOCKET));
        drop(self.setup.placeholders.take());
        if removes {
            super::remove(&self.setup.orders.session);
        }
    }

    /// Waits for what comes next, and sees to it.
    fn turn(&mut self) -> Next {
        let has_life = !self.processes.living().is_empty();
        if has_life || !self.clients.is_empty() {
            self.last_life = Instant::now();
        }
        if !self.clients.is_empty() {
            self.last_command = Instant::now();
        }
        if self.last_life.elapsed() >= TICK {
            // Nothing could use the gaps, so the workspace gets them back.
            self.setup.placeholders = None;
        }
        let idle = self.setup.orders.limits.idle;
        let is_over = self.last_life.elapsed() >= idle
            || self.last_command.elapsed() >= idle.saturating_mul(MAX_BACKGROUND);
        if is_over && self.clients.is_empty() {
            // The agent may still be there, and find its files with the next command.
            return Next::Restart;
        }
        if has_life && let Some(excess) = self.watch.look(&self.processes) {
            self.end_excess(&excess);
        }
        let wait = if has_life || !self.clients.is_empty() || self.setup.placeholders.is_some() {
            TICK
        } else {
            idle.saturating_sub(self.last_life.elapsed()).min(MAX_WAIT)
        };
        let events = self.wait(wait);
        if events.sandbox_ended {
            return Next::Restart;
        }
        if events.watched_ended || self.is_gone() {
            return Next::End;
        }
        for at in events.pipes.iter().rev() {
            self.empty(*at);
        }
        for at in events.clients.iter().rev() {
            match self.hear(*at) {
                Next::Stay => {}
                Next::Leave => self.forget(*at),
                next => return next,
            }
        }
        if events.came {
            self.accept();
        }
        Next::Stay
    }

    /// Whether its files were removed, so that no command finds it any more.
    fn is_gone(&self) -> bool {
        let found = self.setup.alive.metadata();
        found.is_ok_and(|found| found.nlink() == 0)
    }

    fn wait(&self, most: Duration) -> Events {
        let mut watched: Vec<PollFd<'_>> = vec![
            PollFd::new(&self.setup.listener, PollFlags::IN),
            PollFd::new(&self.setup.channel, PollFlags::IN),
        ];
        let own = watched.len();
        watched.extend(
            self.clients
                .iter()
                .map(|client| PollFd::new(&client.socket, PollFlags::IN)),
        );
        let clients = watched.len();
        watched.extend(
            self.pipes
                .iter()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        let pipes = watched.len();
        watched.extend(
            self.setup
                .watched
                .iter()
                .map(|fd| PollFd::new(fd, PollFlags::IN)),
        );
        let time = Timespec::try_from(most).ok();
        // An interruption is as good as nothing that came.
        let _ = poll(&mut watched, time.as_ref());
        let is_ready = |at: usize| watched.get(at).is_some_and(|fd| !fd.revents().is_empty());
        Events {
            came: is_ready(0),
            sandbox_ended: is_ready(1),
            clients: (own..clients)
                .filter(|at| is_ready(*at))
                .map(|at| at - own)
                .collect(),
            pipes: (clients..pipes)
                .filter(|at| is_ready(*at))
                .map(|at| at - clients)
                .collect(),
            watched_ended: (pipes..watched.len()).any(is_ready),
        }
    }

    fn accept(&mut self) {
        let Ok(socket) = accept_with(&self.setup.listener, SocketFlags::CLOEXEC) else {
            return;
        };
        if wire::is_same_user(&socket) {
            self.clients.push(Client {
                socket,
                mark: Vec::new(),
                state: State::Connected,
                before: BTreeSet::new(),
                limit: None,
            });
        }
    }

    /// Reads one message of a client and answers it.
    fn hear(&mut self, at: usize) -> Next {
        let Some(client) = self.clients.get_mut(at) else {
            return Next::Stay;
        };
        let Ok(Some(message)) = wire::receive(&client.socket) else {
            return Next::Leave;
        };
        let done = match (message.name(), client.state) {
            ("begin", State::Connected) => {
                client.mark = message.parts.get(1).cloned().unwrap_or_default();
                self.begin(at)
            }
            ("enter", State::Began) => {
                client.state = State::Entered;
                Ok(())
            }
            ("beside", State::Began) => self.beside(at),
            ("finished", State::Entered) => {
                let by_force = message.text(1) == "force";
                let is_watched = message.text(2) == "watched";
                let mut files = message.files;
                let listener = if is_watched { files.pop() } else { None };
                if let Some(listener) = listener {
                    // It ends with the last process that is watched. Where no thread can be had, its calls fail.
                    let answer = move || refusals::drain(&listener);
                    let _ = std::thread::Builder::new().spawn(answer);
                }
                self.finished(at, by_force, files);
                return Next::Leave;
            }
            ("end", _) => return Next::End,
            ("restart", _) => return Next::Restart,
            _ => return Next::Leave,
        };
        // It is gone where it cannot be answered.
        done.map_or(Next::Leave, |()| Next::Stay)
    }

    /// Gives the namespaces to a command, unless the session stands still for another one.
    fn begin(&mut self, at: usize) -> Result<(), SessionError> {
        let is_still = self
            .clients
            .iter()
            .any(|client| client.state == State::Beside);
        let before = self
            .processes
            .living()
            .iter()
            .map(|it| it.identity())
            .collect();
        let answer = Answer::new(self.setup.first, &self.setup.orders.profile)?;
        if self.setup.placeholders.is_none() {
            let orders = &self.setup.orders;
            let made = Placeholders::make(&orders.folder, &orders.workspace, &[]);
            self.setup.placeholders = Some(made?);
        }
        let Some(client) = self.clients.get_mut(at) else {
            return Ok(());
        };
        if is_still {
            return Ok(wire::send(&client.socket, &[b"busy"], &[])?);
        }
        client.before = before;
        client.state = State::Began;
        Ok(answer.send(&client.socket)?)
    }

    /// Has the session stand still for a command beside it; not while other commands are in it.
    fn beside(&mut self, at: usize) -> Result<(), SessionError> {
        let is_used = self.clients.iter().enumerate().any(|(other, client)| {
            other != at && matches!(client.state, State::Entered | State::Beside | State::Began)
        });
        let is_still = !is_used && self.stop_all();
        if !is_still {
            self.resume_all();
        }
        let Some(client) = self.clients.get_mut(at) else {
            return Ok(());
        };
        if is_still {
            client.state = State::Beside;
        }
        let word: &[u8] = if is_still { b"still" } else { b"busy" };
        Ok(wire::send(&client.socket, &[word], &[])?)
    }

    /// Whether everything in the sandbox is stopped: what was about to start another process is there in the next round.
    fn stop_all(&self) -> bool {
        let until = Instant::now() + MAX_STOPPING;
        let mut still = 0;
        while Instant::now() < until {
            let moving: Vec<_> = self
                .processes
                .living()
                .into_iter()
                .filter(|process| !process.is_stopped())
                .collect();
            if moving.is_empty() {
                still += 1;
                if still == 2 {
                    return true;
                }
                continue;
            }
            still = 0;
            moving
                .iter()
                .for_each(|process| process.signal(Signal::STOP));
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    fn resume_all(&self) {
        for process in self.processes.living() {
            process.signal(Signal::CONT);
        }
    }

    /// A command has ended: what it left is named, or ended if it ended by force.
    fn finished(&mut self, at: usize, by_force: bool, pipes: Vec<OwnedFd>) {
        if by_force {
            self.kill_all_of(at);
        }
        let Some(client) = self.clients.get(at) else {
            return;
        };
        let left = self
            .processes
            .of_command(&client.before, &self.other_marks(at));
        let shown: Vec<String> = left.iter().map(|process| process.shown()).collect();
        let limit = client.limit.clone().unwrap_or_default();
        let alive: &[u8] = match self.processes.living().is_empty() {
            true => b"",
            false => b"alive",
        };
        let mut parts: Vec<&[u8]> = vec![b"left", limit.as_bytes(), alive];
        parts.extend(shown.iter().take(20).map(|words| words.as_bytes()));
        // It may be gone; then nobody has to know.
        let _ = wire::send(&client.socket, &parts, &[]);
        if let Some(client) = self.clients.get_mut(at) {
            client.state = State::Connected;
        }
        let free = MAX_PIPES.saturating_sub(self.pipes.len());
        self.pipes.extend(pipes.into_iter().take(free));
    }

    /// A client is gone: what of its command is left ends, and the session goes on.
    fn forget(&mut self, at: usize) {
        match self.clients.get(at).map(|client| client.state) {
            Some(State::Entered) => self.kill_all_of(at),
            Some(State::Beside) => self.resume_all(),
            _ => {}
        }
        if at < self.clients.len() {
            self.clients.remove(at);
        }
    }

    fn other_marks(&self, at: usize) -> Vec<Vec<u8>> {
        self.clients
            .iter()
            .enumerate()
            .filter(|(other, client)| *other != at && client.state == State::Entered)
            .map(|(_, client)| client.mark.clone())
            .collect()
    }

    fn kill_all_of(&self, at: usize) {
        let Some(client) = self.clients.get(at) else {
            return;
        };
        let others = self.other_marks(at);
        let until = Instant::now() + MAX_BURIAL;
        while Instant::now() < until {
            let left = self.processes.of_command(&client.before, &others);
            if left.is_empty() {
                return;
            }
            left.iter().for_each(|process| process.signal(Signal::KILL));
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends the command of the process that takes most, and what of it is in the background.
    fn end_excess(&mut self, excess: &Excess) {
        for client in &mut self.clients {
            if client.state == State::Entered
                && (excess.mark.as_ref() == Some(&client.mark) || excess.mark.is_none())
            {
                client.limit = Some(excess.words.clone());
            }
        }
        for process in self.processes.living() {
            let is_of_it = match &excess.mark {
                Some(mark) => process.carries(mark),
                None => true,
            };
            if is_of_it || Some(process.identity()) == excess.process {
                process.signal(Signal::KILL);
            }
        }
    }

    /// Reads what is in a pipe, so that its writer goes on; one that has no writer any more is closed.
    fn empty(&mut self, at: usize) {
        let mut piece = [0_u8; MAX_PIECE];
        let read = self
            .pipes
            .get(at)
            .map(|pipe| rustix::io::read(pipe, &mut piece));
        let is_over = match read {
            Some(Ok(count)) => count == 0,
            Some(Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR)) => false,
            _ => true,
        };
        if is_over && at < self.pipes.len() {
            drop(self.pipes.swap_remove(at));
        }
    }

    /// The first process ends a moment after bubblewrap, and all others before it.
    fn wait_for_burial(&self) {
        if let Ok(handle) = pidfd_open(self.setup.first, PidfdFlags::empty()) {
            let time = Timespec::try_from(MAX_BURIAL).ok();
            let _ = poll(&mut [PollFd::new(&handle, PollFlags::IN)], time.as_ref());
        }
    }
}

struct Events {
    came: bool,
    sandbox_ended: bool,
    watched_ended: bool,
    clients: Vec<usize>,
    pipes: Vec<usize>,
}
