//! The gate's Run for calls that a server answers: an approved call goes to the server, and what comes back ends it.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_gate::approved::Approved;
use sayso_gate::ports::{Later, Ran, Run};

use super::catalogue::Catalogue;
use super::open::{Calls, Open};

/// Takes bytes to the server; it says what went wrong.
pub(super) trait Carry: Send + Sync {
    /// Takes the call to the server.
    ///
    /// # Errors
    /// When it is not there any more.
    fn carry(&self, open: &Open, line: &[u8]) -> Result<(), String>;
}

/// The way to a server over a pipe.
pub(super) struct Pipe(pub Mutex<Option<Box<dyn Write + Send>>>);

impl Pipe {
    /// Passes bytes on as they are.
    ///
    /// # Errors
    /// When nobody reads them.
    pub(super) fn pass(&self, bytes: &[u8]) -> Result<(), String> {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = pipe.as_mut().ok_or("the server gets nothing any more")?;
        pipe.write_all(bytes).and_then(|()| pipe.flush()).map_err(|error| format!("the server does not read any more: {error}"))
    }

    /// Says that nothing more comes.
    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
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
    pub catalogue: Arc<Catalogue>,
}

impl Run for Courier {
    fn run<'a>(&'a self, approved: Approved) -> Later<'a, Ran> {
        let Some(open) = self.calls.find(approved.operation().id()) else {
            return Box::pin(async { Ran::NotRun("it was taken back".to_owned()) });
        };
        if let Err(why) = self.catalogue.approved(approved.operation()) {
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
