//! The gateway in place of an agent: threads that read both ways, signals, and the end.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::asking::Asks;
use super::gateway::Gateway;
use super::judge::Judge;
use super::message;
use super::open_requests::Calls;
use super::sessions::Sessions;
use crate::error::{GatewayError, below};
use crate::rpc::outlet::Outlet;
use crate::rpc::pipe::Pipe;
use crate::rpc::signals::{Signals, nobody_reads, thread};
use sayso_runtime::assemble::Choice;
use sayso_runtime::child_process;
use sayso_tools::lines::{Line, Lines};

/// The longest line of an editor.
const LONGEST_OF_EDITOR: usize = 256 << 20;
/// A judge needs so much stack.
const STACK: usize = 8 << 20;
/// How often it is looked whether something is due.
const TICK: Duration = Duration::from_secs(1);
/// So long the last words of an agent, or of ours, are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// So long an agent may take to end when nobody is left to talk to it.
const GRACE: Duration = Duration::from_secs(5);

/// How the gateway is started.
#[derive(Debug)]
pub struct Options {
    /// The agent, by the name that rules have for it.
    pub name: String,
    /// The policy, and a file that comes on top, which only tightens until the person trusts it.
    pub choice: Choice,
    /// The agent.
    pub command: Vec<OsString>,
}

/// What is said to the agent, until its input is closed.
struct ToAgent(Arc<Pipe>);

impl Write for ToAgent {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .pass(bytes)
            .map(|()| bytes.len())
            .map_err(std::io::Error::other)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs an agent behind the gate, and ends as it ends.
///
/// # Errors
/// When it cannot be started.
pub fn run(options: Options) -> Result<std::convert::Infallible, GatewayError> {
    let folder = std::env::current_dir().map_err(GatewayError::Folder)?;
    let folder = folder.to_str().ok_or(GatewayError::FolderName)?.to_owned();
    let stdout = std::io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(GatewayError::Output)?;
    let stdin = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(GatewayError::Input)?;
    let editor = Outlet::start(Box::new(File::from(stdout)))?;
    let state = sayso_runtime::record_folder::whereabouts()
        .map_err(below)?
        .state;
    // Before anything else has threads that end: the agent dies with the thread that started it.
    let signals = Signals::catch()?;
    let mut process = child_process::start(&options.command).map_err(below)?;
    let (input, output) = (
        process
            .stdin
            .take()
            .ok_or(GatewayError::ChildInput("agent"))?,
        process
            .stdout
            .take()
            .ok_or(GatewayError::ChildOutput("agent"))?,
    );
    let pipe = Arc::new(Pipe::new(input));
    let agent = Outlet::start(Box::new(ToAgent(Arc::clone(&pipe))))?;
    let calls = Arc::new(Calls::default());
    let asks = Arc::new(Asks::new(&state, Arc::clone(&calls), Arc::clone(&editor)));
    let judge = Judge::new(
        options.name,
        folder,
        options.choice,
        Arc::<Asks>::clone(&asks),
    )?;
    let sessions = Sessions::default();
    let gateway = Arc::new(Gateway {
        judge,
        calls,
        asks,
        sessions,
        editor: Arc::clone(&editor),
        agent,
        notes: AtomicU64::new(0),
    });
    let id = process.id();
    let is_quiet = Arc::new(AtomicBool::new(false));
    thread("signals", 256 << 10, move || signals.pass_on(id))?;
    let (own, left) = (Arc::clone(&gateway), Arc::clone(&is_quiet));
    thread("editor", STACK, move || {
        from_editor(&own, File::from(stdin));
        pipe.close();
        left.store(true, Ordering::SeqCst);
    })?;
    let (own, ended) = (Arc::clone(&gateway), Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&ended);
    thread("agent", STACK, move || {
        from_agent(&own, output);
        over.store(true, Ordering::SeqCst);
    })?;
    let own = Arc::clone(&gateway);
    thread("ticks", 256 << 10, move || ticks(&own, id, &is_quiet))?;
    let status = process
        .wait()
        .map_err(|error| GatewayError::Wait("agent", error))?;
    // What it said last is still on its way; what it left behind may hold the pipe open.
    let until = Instant::now() + LAST_WORDS;
    while !ended.load(Ordering::SeqCst) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    gateway.agent_ended();
    editor.finish(LAST_WORDS);
    child_process::signal(id, Signal::KILL);
    child_process::end_like(status);
}

fn from_editor(gateway: &Gateway, stdin: File) {
    let mut lines = Lines::new(stdin, LONGEST_OF_EDITOR);
    loop {
        match lines.wait() {
            Line::End => break,
            Line::Whole(line) => gateway.editor_says(&line),
            Line::TooLong(_) => {}
        }
    }
    gateway.editor_ended();
}

fn from_agent(gateway: &Arc<Gateway>, output: std::process::ChildStdout) {
    let mut lines = Lines::new(output, message::LONGEST);
    let mut is_read = true;
    loop {
        match lines.wait() {
            Line::End => return,
            // It goes on reading for nobody, so that the agent is not stuck.
            line if is_read => is_read = gateway.agent_says(line),
            _ => {}
        }
    }
}

/// What is due every now and then: the end of questions, and of an agent that nobody talks to any more.
fn ticks(gateway: &Gateway, agent: u32, left: &AtomicBool) {
    let mut since: Option<Instant> = None;
    loop {
        std::thread::sleep(TICK);
        gateway.tick();
        if left.load(Ordering::SeqCst) && nobody_reads() {
            let since = *since.get_or_insert_with(Instant::now);
            child_process::signal(
                agent,
                if since.elapsed() > GRACE {
                    Signal::KILL
                } else {
                    Signal::TERM
                },
            );
        }
    }
}
