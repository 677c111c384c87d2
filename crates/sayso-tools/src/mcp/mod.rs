//! The MCP client: it starts a server that the person has told, asks for its tools, and calls one that was approved.
//!
//! Both eras of the protocol are spoken: a server is asked whether it is a modern one (`server/discover`), and greeted as an older one
//! (`initialize`) if it is not. What a server asks of us (sampling, roots, questions) is refused: it gets answers to calls, and nothing else.

mod content;
mod error;
mod inbox;
mod process;
mod session;
mod wire;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::text::node::Node;

use crate::result::ToolResult;
pub use error::{McpError, ServerEnd, WaitError};
use process::Process;
use session::Session;

/// So long a server may take to start and to tell its tools; some are downloaded first.
pub const START_LIMIT: Duration = Duration::from_secs(60);

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// How long somebody waits.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// Until then.
    pub until: Instant,
    /// Or until this is true.
    pub stop: Option<&'a AtomicBool>,
}

impl<'a> Patience<'a> {
    /// So long from now.
    pub fn of(time: Duration, stop: Option<&'a AtomicBool>) -> Self {
        let now = Instant::now();
        Patience {
            until: now.checked_add(time).unwrap_or(now),
            stop,
        }
    }

    /// As long, but no longer than this.
    fn at_most(self, time: Duration) -> Self {
        let until = Instant::now()
            .checked_add(time)
            .map_or(self.until, |end| end.min(self.until));
        Patience { until, ..self }
    }

    /// Why nobody waits any longer.
    fn is_over(&self) -> Option<WaitError> {
        match self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            true => Some(WaitError::Stopped),
            false => (Instant::now() >= self.until).then_some(WaitError::TooLong),
        }
    }
}

/// A server that runs. It ends when this is dropped.
#[derive(Debug)]
pub struct Client(Mutex<Session>);

impl Client {
    /// Starts a server and greets it.
    ///
    /// # Errors
    /// When it cannot be started, or speaks no MCP; then it does not run any more.
    pub fn start(start: &Start, patience: Patience<'_>) -> Result<Client, McpError> {
        let process = Process::start(start)?;
        Session::greet(process, patience).map(|session| Client(Mutex::new(session)))
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All its tools, each as the server describes it.
    ///
    /// # Errors
    /// When it does not tell.
    pub fn tools(&self, patience: Patience<'_>) -> Result<Vec<Node>, McpError> {
        self.session().tools(patience)
    }

    /// Whether it said that its tools are others now, since they were last asked for.
    pub fn has_changed(&self) -> bool {
        self.session().has_changed()
    }

    /// Why it is of no use any more, if it is not.
    pub fn ended(&self) -> Option<ServerEnd> {
        self.session().ended()
    }

    /// Calls a tool with exactly these arguments. A call that is not answered in time is taken back.
    pub fn call(&self, tool: &str, arguments: &Node, patience: Patience<'_>) -> ToolResult {
        match self.session().call(tool, arguments, patience) {
            Ok(result) => content::result(&result),
            Err(why) => ToolResult::failed(why.to_string()),
        }
    }
}
