//! The gate's Run for calls that a server answers: an approved call goes to the server, and what comes back ends it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sayso_gate::approved::Approved;
use sayso_gate::ports::{Later, Ran, Run};

use super::open_calls::{Calls, Open};
use crate::rpc::pipe::Pipe;

/// Takes bytes to the server; it says what went wrong.
pub(super) trait Carry: Send + Sync {
    /// Takes the call to the server.
    ///
    /// # Errors
    /// When it is not there any more.
    fn carry(&self, open: &Open, line: &[u8]) -> Result<(), String>;
}

impl Carry for Pipe {
    fn carry(&self, _: &Open, line: &[u8]) -> Result<(), String> {
        self.pass(line)
    }
}

/// Brings approved calls to the server.
pub(super) struct Courier {
    pub calls: Arc<Calls>,
    pub way: Arc<dyn Carry>,
}

impl Run for Courier {
    /// The server runs it, wherever that is.
    fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
        sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
    }

    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        let Some(open) = self.calls.find(approved.operation().id()) else {
            return Box::pin(async { Ran::NotRun("it was taken back".to_owned()) });
        };
        let nobody = || "nobody knows which server it is for".to_owned();
        let pinned = open
            .about
            .catalogue
            .as_ref()
            .ok_or_else(nobody)
            .and_then(|catalogue| catalogue.approved(approved.operation()));
        if let Err(why) = pinned {
            return Box::pin(async { Ran::NotRun(why) });
        }
        Box::pin(async move {
            let (id, line) = {
                let mut address = open.address();
                (address.id.clone(), std::mem::take(&mut address.line))
            };
            // Before it is sent: its answer may come at once.
            self.calls.fly(&open, &id);
            if let Err(why) = self.way.carry(&open, &line) {
                open.was_sent.store(false, Ordering::SeqCst);
                self.calls.land(&id, Ran::failed(why));
            }
            drop(line);
            open.ran.wait().await
        })
    }
}
