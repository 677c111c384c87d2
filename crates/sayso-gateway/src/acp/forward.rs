//! The gate's Run for what an editor does: an approved request goes to the editor as it is, and its answer ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_gate::approved::Approved;
use sayso_gate::finished::Finished;
use sayso_gate::ports::{Later, Ran, Run};

use super::answered::What;
use super::options::Choices;
use crate::rpc::in_flight;
use crate::rpc::outlet::Outlet;
use crate::rpc::workspace_gates::Bench;

/// One request.
pub(super) type Open = in_flight::Open<About>;
/// All requests in our hands.
pub(super) type Calls = in_flight::Calls<About, End>;

/// How a request ended.
pub(super) enum End {
    /// It was refused, or the editor did it.
    Finished(Box<Finished>),
    /// The agent may do what it wanted a permission for, and who said so.
    May(Box<Approved>),
}

/// What there is to know of a request.
pub(super) struct About {
    /// The session, by the agent's own name for it.
    pub session: String,
    /// The answers that are offered, where the agent asks for a permission.
    pub choices: Option<Choices>,
    /// What exactly it is about, so that it is known again.
    pub what: Vec<What>,
    /// What is in force.
    pub bench: Arc<Bench>,
    /// The agent has its answer.
    pub has_answer: AtomicBool,
    /// What the editor answered, and whether it was a yes.
    pub editor: Mutex<Option<(bool, Vec<u8>)>>,
}

impl About {
    /// The editor's answer, if it was that one.
    pub(super) fn said(&self, yes: bool) -> Option<Vec<u8>> {
        let said = self
            .editor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        said.filter(|(said, _)| *said == yes).map(|(_, line)| line)
    }
}

/// Brings approved requests to the editor.
pub(super) struct Courier {
    pub calls: Arc<Calls>,
    pub editor: Arc<Outlet>,
}

impl Run for Courier {
    /// The editor runs it.
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities::without_sandbox(&NoSandbox::AgentAndEditor)
    }

    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        let Some(open) = self.calls.find(approved.operation().id()) else {
            return Box::pin(async { Ran::NotRun("it was taken back".to_owned()) });
        };
        Box::pin(async move {
            let (id, line) = {
                let mut address = open.address();
                (address.id.clone(), std::mem::take(&mut address.line))
            };
            // Before it is sent: its answer may come at once.
            self.calls.fly(&open, &id);
            if !self.editor.pass(&line) {
                open.was_sent.store(false, Ordering::SeqCst);
                self.calls
                    .land(&id, Ran::failed("the editor does not read any more"));
            }
            drop(line);
            open.ran.wait().await
        })
    }
}
