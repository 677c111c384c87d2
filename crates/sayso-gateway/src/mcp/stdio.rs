//! The gateway in place of a server that speaks over its standard streams: threads that read both ways, signals, and the end.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::asking::Asks;
use super::gateway::{Gateway, Pipes};
use super::judge::{Judge, Who};
use super::open_calls::Calls;
use super::outlet::Outlet;
use super::tool_calls::ToolCalls;
use super::{message, server};
use crate::error::{GatewayError, below};
use crate::rpc::pipe::Pipe;
use crate::rpc::random_word;
use crate::rpc::signals::{Signals, nobody_reads, thread};
use sayso_runtime::assemble::Choice;
use sayso_runtime::mcp_servers::catalogue::Catalogue;
use sayso_runtime::mcp_servers::identity::Identity;
use sayso_runtime::mcp_servers::name;
use sayso_tools::lines::{Line, Lines};

/// The longest line of a server.
const LONGEST_ANSWER: usize = 256 << 20;
/// A judge needs so much stack.
const STACK: usize = 8 << 20;
/// How often it is looked whether something is due.
const TICK: Duration = Duration::from_secs(1);
/// After so many ticks a client that waits is told so.
const TOLD_EVERY: u64 = 5;
/// So long the last words of a server, or of ours, are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// So long a server may take to end when nobody is left to talk to it.
const GRACE: Duration = Duration::from_secs(5);

/// How the gateway is started.
#[derive(Debug)]
pub struct Options {
    /// The name of the server for rules; by its command where there is none.
    pub name: Option<String>,
    /// The client.
    pub client: String,
    /// The policy, and a file that comes on top, which only tightens until the person trusts it.
    pub choice: Choice,
    /// The server.
    pub command: Vec<OsString>,
}

/// Runs a server behind the gate, and ends as it ends.
///
/// # Errors
/// When it cannot be started.
pub fn run(options: Options) -> Result<std::convert::Infallible, GatewayError> {
    let folder = std::env::current_dir().map_err(GatewayError::Folder)?;
    let workspace = folder.to_str().ok_or(GatewayError::FolderName)?.to_owned();
    let server = options
        .name
        .map_or_else(|| name::of_command(&options.command).map_err(below), Ok)?;
    let identity = Identity::of_command(&options.command, &folder);
    let stdout = std::io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(GatewayError::Output)?;
    let stdin = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(GatewayError::Input)?;
    let outlet = Outlet::start(Box::new(File::from(stdout)))?;
    // Before anything else has threads that end: the server dies with the thread that started it.
    let signals = Signals::catch()?;
    let mut child = server::start(&options.command).map_err(below)?;
    let (input, output) = (
        child
            .stdin
            .take()
            .ok_or(GatewayError::ChildInput("server"))?,
        child
            .stdout
            .take()
            .ok_or(GatewayError::ChildOutput("server"))?,
    );
    let pipe = Arc::new(Pipe::new(input));
    let calls = Arc::new(Calls::default());
    let state = sayso_runtime::record_folder::whereabouts()
        .map_err(below)?
        .state;
    let carrier = Arc::new(Pipes {
        client: Arc::clone(&outlet),
        server: Arc::clone(&pipe),
    });
    let asks = Asks::new(&state, Arc::clone(&calls), Arc::<Pipes>::clone(&carrier));
    let asks = Arc::new(asks);
    let catalogue = Arc::new(Catalogue::open(&state, &server, identity));
    let who = Who {
        server,
        client: options.client,
        workspace,
        session: format!("mcp-{}", random_word()?),
    };
    let judge = Judge::new(who, options.choice, Arc::<Asks>::clone(&asks))?;
    let tools = Arc::new(ToolCalls {
        judge,
        calls,
        asks,
        carrier,
    });
    let gateway = Arc::new(Gateway {
        tools,
        catalogue,
        client: Arc::clone(&outlet),
        server: pipe,
        said: Mutex::default(),
        asked: Mutex::new(HashMap::new()),
        notes: AtomicU64::new(0),
    });
    let id = child.id();
    let is_quiet = Arc::new(AtomicBool::new(false));
    thread("signals", 256 << 10, move || signals.pass_on(id))?;
    let (own, left) = (Arc::clone(&gateway), Arc::clone(&is_quiet));
    thread("client", STACK, move || {
        from_client(&own, File::from(stdin), &left)
    })?;
    let (own, ended) = (Arc::clone(&gateway), Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&ended);
    thread("server", STACK, move || {
        from_server(&own, output);
        over.store(true, Ordering::SeqCst);
    })?;
    let own = Arc::clone(&gateway);
    thread("ticks", 256 << 10, move || ticks(&own, id, &is_quiet))?;
    let status = child
        .wait()
        .map_err(|error| GatewayError::Wait("server", error))?;
    // What it said last is still on its way; what it left behind may hold the pipe open.
    let until = Instant::now() + LAST_WORDS;
    while !ended.load(Ordering::SeqCst) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    gateway.server_ended();
    outlet.finish(LAST_WORDS);
    server::signal(id, Signal::KILL);
    server::end_like(status);
}

fn from_client(gateway: &Arc<Gateway>, stdin: File, left: &AtomicBool) {
    let mut lines = Lines::new(stdin, message::LONGEST);
    loop {
        match lines.wait() {
            Line::End => break,
            line => gateway.client_says(line),
        }
    }
    gateway.client_ended();
    gateway.server.close();
    left.store(true, Ordering::SeqCst);
}

fn from_server(gateway: &Gateway, output: std::process::ChildStdout) {
    let mut lines = Lines::new(output, LONGEST_ANSWER);
    let mut is_read = true;
    loop {
        match lines.wait() {
            Line::End => return,
            // It goes on reading for nobody, so that the server is not stuck.
            Line::Whole(line) if is_read => is_read = gateway.server_says(&line),
            Line::Whole(_) | Line::TooLong(_) => {}
        }
    }
}

/// What is due every now and then: words to clients that wait, the end of questions, and of a server that nobody talks to any more.
fn ticks(gateway: &Gateway, child: u32, left: &AtomicBool) {
    let mut since: Option<Instant> = None;
    for tick in 1u64.. {
        std::thread::sleep(TICK);
        gateway.tick(tick.is_multiple_of(TOLD_EVERY));
        if left.load(Ordering::SeqCst) && nobody_reads() {
            let since = *since.get_or_insert_with(Instant::now);
            server::signal(
                child,
                if since.elapsed() > GRACE {
                    Signal::KILL
                } else {
                    Signal::TERM
                },
            );
        }
    }
}
