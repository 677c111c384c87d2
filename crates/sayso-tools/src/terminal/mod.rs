//! Runs one shell command that was approved: in bash without start-up files, with a clean environment, a time limit, and nothing left behind.

mod bash;
mod environment;
mod error;
mod folder;
mod outcome;
mod output_buffer;
mod process_tree;
mod run;
mod time_limit;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_sandbox::explain::{Explained, explain, is_offered};
use sayso_sandbox::profile::Profile;
use sayso_sandbox::refusal::Source;
use sayso_sandbox::start::{Report, Sandbox};

pub use bash::bash;
pub use environment::scrubbed;
pub use error::StartError;
pub use outcome::{End, Outcome, shell_status};
pub use time_limit::{
    DEFAULT_TIME_LIMIT, LONGEST_TIME_LIMIT, TimeLimitError, time_limit, time_limit_of,
};

use output_buffer::Kept;
use run::{Pause, Running, Start};

/// How much output is kept where nobody says otherwise.
pub const MOST_OUTPUT: usize = 256 * 1024;

/// How long a command has between being asked to end and being killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long what a command started may live on before it is asked to end: a `tee` at the end of `> >(tee log)` is done by then.
const LINGER: Duration = Duration::from_millis(200);
/// How long to wait for the dead to be gone.
const BURIAL: Duration = Duration::from_secs(5);

/// One command with all that it runs under.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// What bash reads.
    pub text: &'a str,
    /// Where it runs, absolute.
    pub cwd: &'a Path,
    /// Variables of the call, on top of the scrubbed environment; they were judged together with the command.
    pub environment: &'a [(String, String)],
    /// How long it may run.
    pub time_limit: Duration,
    /// How many bytes of output are kept.
    pub most_output: usize,
    /// Ends the command as the time limit does, as soon as it is true. The command has no terminal, so `^C` does not reach it by itself.
    pub stop: Option<&'a AtomicBool>,
    /// What it is bounded by; none: it can do what the person can.
    pub bounds: Option<Bounds<'a>>,
    /// Scripts by their absolute paths, with the bytes that were approved: these are what runs.
    pub scripts: &'a [(String, Vec<u8>)],
}

/// The sandbox of a command.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// What sets it up.
    pub sandbox: &'a Sandbox,
    /// What the command may do.
    pub profile: &'a Profile,
    /// The workspace.
    pub workspace: &'a Path,
}

impl std::fmt::Debug for Bounds<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.sandbox.backend)
    }
}

/// Where a piece of output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Error,
}

impl<'a> Command<'a> {
    /// A command with the usual limits.
    pub fn new(text: &'a str, cwd: &'a Path) -> Self {
        Command {
            text,
            cwd,
            environment: &[],
            time_limit: DEFAULT_TIME_LIMIT,
            most_output: MOST_OUTPUT,
            stop: None,
            bounds: None,
            scripts: &[],
        }
    }
}

/// Runs a command to its end, and ends whatever it leaves behind, unless its sandbox is that of a session.
///
/// `on_output` gets each piece as it comes, as bytes of the program: whoever shows them passes them through `visible` first. The command
/// waits while it works, and so does the time limit.
///
/// # Errors
/// Where the command was not started; then nothing of it happened.
pub fn run(
    command: Command<'_>,
    on_output: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Outcome, StartError> {
    match attempt(command, false, on_output)? {
        Attempt::Ran(outcome) => Ok(*outcome),
        // Nothing was run, so the command gets a sandbox to itself.
        Attempt::NotEntered(why) => match attempt(command, true, on_output)? {
            Attempt::Ran(mut outcome) => {
                outcome.notes.push(format!(
                    "the session's sandbox could not be entered, so the command had one to itself: {}",
                    visible(&why)
                ));
                Ok(*outcome)
            }
            Attempt::NotEntered(said) => Err(StartError::NoSandbox { said }),
        },
    }
}

/// What came of starting a command.
enum Attempt {
    Ran(Box<Outcome>),
    /// The sandbox of its session could not be entered, and nothing was run: why.
    NotEntered(String),
}

/// Runs it, with `alone` in no sandbox of a session; which may not be possible to enter.
fn attempt(
    command: Command<'_>,
    alone: bool,
    on_output: &mut dyn FnMut(Stream, &[u8]),
) -> Result<Attempt, StartError> {
    let mut running = match Running::start(&command, alone)? {
        Start::Running(running) => *running,
        Start::NotEntered(why) => return Ok(Attempt::NotEntered(why)),
    };
    let in_session = running.is_in_session();
    let mut kept = Kept::new(command.most_output);
    let mut sink = |stream: Stream, bytes: &[u8]| {
        kept.push(stream, bytes);
        on_output(stream, bytes);
    };
    let is_stopped = || {
        command
            .stop
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    };
    let started = Instant::now();
    let pause = running.follow(
        started.checked_add(command.time_limit),
        &is_stopped,
        &mut sink,
    );
    let forced = match pause {
        Pause::Ended => None,
        Pause::TooMany(limit) => Some(End::TooMany(limit)),
        Pause::Time => Some(End::TimeLimit(command.time_limit)),
        Pause::Stopped => Some(End::Stopped),
    };
    let (left_behind, survivors) = match forced {
        Some(_) => (Vec::new(), end_by_force(&mut running, &mut sink)),
        None if in_session => {
            // What it leaves lives on; what only has to finish its output is waited for.
            running.wait_for_all(LINGER, &mut sink);
            (Vec::new(), Vec::new())
        }
        None => end_the_rest(&mut running, &mut sink),
    };
    running.drain(&mut sink);
    let left = running.leave_session(forced.is_some());
    let notes = running.notes();
    let (end, report) = running.bury();
    if in_session
        && forced.is_none()
        && let Some(report) = report.as_ref().filter(|report| report.failed)
    {
        return Ok(Attempt::NotEntered(report.why.clone()));
    }
    let (output, left_out) = kept.into_text();
    if forced.is_none()
        && report.as_ref().is_some_and(|report| report.failed)
        && matches!(end, End::Exit(_))
    {
        let said = output.lines().last().unwrap_or_default().to_owned();
        return Err(StartError::NoSandbox { said });
    }
    let end = forced.unwrap_or(end);
    let report = report.unwrap_or_default();
    let (refused, refusals) = command
        .bounds
        .map(|bounds| refused(bounds.profile, &output, end, &report))
        .unwrap_or_default();
    Ok(Attempt::Ran(Box::new(Outcome {
        end,
        output,
        left_out,
        left_behind,
        left_running: left.processes,
        is_session_alive: left.is_alive,
        limit: left.limit,
        notes,
        survivors,
        bounded: command
            .bounds
            .map(|bounds| bounds.sandbox.backend.to_string()),
        refused,
        refusals,
    })))
}

/// What the sandbox refused: in words, and as data.
fn refused(
    profile: &Profile,
    output: &str,
    end: End,
    report: &Report,
) -> (Vec<Explained>, Vec<Node>) {
    let code = match end {
        End::Exit(code) => Some(code),
        _ => None,
    };
    let mut words = explain(profile, output, code, &report.refusals);
    words.extend(report.hosts.iter().cloned());
    let only_told = words
        .iter()
        .map(|explained| &explained.refusal)
        .filter(|refusal| refusal.source != Source::Kernel);
    let all = report.refusals.iter().chain(only_told);
    let nodes = all
        .map(|refusal| refusal.to_node(is_offered(profile, refusal)))
        .collect();
    (words, nodes)
}

/// Asks everything to end, and kills what does not. Tells what is left even so.
fn end_by_force(running: &mut Running, sink: &mut dyn FnMut(Stream, &[u8])) -> Vec<String> {
    running.signal_all(Signal::TERM);
    running.wait_for_all(GRACE, sink);
    kill_the_rest(running, sink)
}

/// Ends what the command left behind when it ended by itself. Tells what that was, and what of it is left even so.
fn end_the_rest(
    running: &mut Running,
    sink: &mut dyn FnMut(Stream, &[u8]),
) -> (Vec<String>, Vec<String>) {
    if running.wait_for_all(LINGER, sink) {
        return (Vec::new(), Vec::new());
    }
    let left_behind = running.rest();
    running.signal_all(Signal::TERM);
    if running.wait_for_all(GRACE, sink) {
        return (left_behind, Vec::new());
    }
    (left_behind, kill_the_rest(running, sink))
}

/// Kills until nothing is left: what is just starting another process is there in the next round.
fn kill_the_rest(running: &mut Running, sink: &mut dyn FnMut(Stream, &[u8])) -> Vec<String> {
    let until = Instant::now() + BURIAL;
    loop {
        running.signal_all(Signal::KILL);
        if running.wait_for_all(Duration::from_millis(20), sink) {
            return Vec::new();
        }
        if Instant::now() >= until {
            return running.rest();
        }
    }
}
