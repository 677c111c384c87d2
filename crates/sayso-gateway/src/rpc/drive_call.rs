//! Takes a call through the gate, from its message to its end: judged, asked about where it has to be, sent on, and ended by its answer.
//!
//! What has an answer at once is done where it was read. Only a call that a person is asked about waits, where its gateway lets it.

use std::io;
use std::sync::Arc;

use sayso_core::call::operation::{Call, Operation};
use sayso_gate::approved::Approved;
use sayso_gate::begin::{Begun, Question};
use sayso_gate::error::{PortError, port_error};
use sayso_gate::finished::Finished;
use sayso_gate::gate::Gate;
use sayso_gate::ports::{Later, Ran};
use thiserror::Error;

use super::in_flight::{Calls, MOST_ASKED, Open};

/// A judge needs so much stack.
const STACK: usize = 4 << 20;

/// Why a call is not sent to the program behind the gateway.
#[derive(Debug, Error)]
pub(crate) enum SendError {
    #[error("it gets nothing any more")]
    Closed,
    #[error("nobody reads there any more: {0}")]
    Unread(io::Error),
    #[error("the client is gone")]
    ClientGone,
    #[error("the editor does not read any more")]
    EditorGone,
    #[error("it was taken back")]
    TakenBack,
}

/// A gateway whose calls are taken through the gate.
pub(crate) trait Door: Send + Sync + 'static {
    /// What its protocol says of a call.
    type About: Send + Sync + 'static;

    fn calls(&self) -> &Calls<Self::About>;

    /// A call may go on. Given back, it is sent on.
    fn approved(&self, _: &Arc<Open<Self::About>>, approved: Approved) -> Option<Approved> {
        Some(approved)
    }

    /// Checks a call once more before it is sent on.
    ///
    /// # Errors
    /// Why it is not.
    fn check(&self, _: &Open<Self::About>, _: &Operation) -> Result<(), PortError> {
        Ok(())
    }

    /// Sends a call on.
    ///
    /// # Errors
    /// When the other side is gone.
    fn send(&self, open: &Open<Self::About>, line: Vec<u8>) -> Result<(), SendError>;

    /// A call is not sent on, and who waits for it has to know why.
    fn refused(&self, open: &Open<Self::About>, why: &str);

    /// Lets a call wait for a person.
    ///
    /// # Errors
    /// When nothing more can wait.
    fn wait(&self, waiting: Later<'static, ()>) -> io::Result<()>;

    /// The question about a call is over.
    fn decided(&self, _: &Open<Self::About>) {}
}

/// Has a call judged, which the table has already.
pub(crate) fn drive<D: Door>(
    door: &Arc<D>,
    gate: &Arc<Gate>,
    open: &Arc<Open<D::About>>,
    call: Call,
) {
    match gate.begin(call) {
        Begun::Approved(approved) => decided(door.as_ref(), gate, open, Ok(approved)),
        Begun::Refused(finished) => decided(door.as_ref(), gate, open, Err(finished)),
        Begun::Asks(question) => ask(door, gate, open, question),
    }
}

/// Asks about a call, and waits apart.
fn ask<D: Door>(door: &Arc<D>, gate: &Arc<Gate>, open: &Arc<Open<D::About>>, question: Question) {
    let (own, gate, of) = (Arc::clone(door), Arc::clone(gate), Arc::clone(open));
    let waits = match door.calls().ask(open) {
        Some(taken_back) => {
            let waiting = door.wait(Box::pin(async move {
                tokio::select! {
                    biased;
                    // The question is dropped with that, and the gate writes it down.
                    _ = taken_back => own.decided(&of),
                    answered = question.answer() => decided(own.as_ref(), &gate, &of, answered),
                }
            }));
            waiting.map_err(|error| error.to_string())
        }
        None => Err(format!("{MOST_ASKED} calls wait for a person already")),
    };
    if let Err(why) = waits {
        door.calls().remove(open);
        door.refused(open, &format!("denied: {why}. nothing was changed"));
        door.decided(open);
    }
}

/// Sends on what may run, and tells who waits of what may not.
fn decided<D: Door>(
    door: &D,
    gate: &Arc<Gate>,
    open: &Arc<Open<D::About>>,
    decided: Result<Approved, Box<Finished>>,
) {
    let sent = decided.and_then(|approved| match door.approved(open, approved) {
        Some(approved) => send(door, gate, open, approved),
        None => Ok(()),
    });
    if let Err(finished) = sent {
        // Before it is answered: then its id is free.
        door.calls().remove(open);
        door.refused(open, &finished.message);
    }
    door.decided(open);
}

fn send<D: Door>(
    door: &D,
    gate: &Arc<Gate>,
    open: &Arc<Open<D::About>>,
    approved: Approved,
) -> Result<(), Box<Finished>> {
    let started = gate.start(approved)?;
    let taken_back = || port_error(SendError::TakenBack);
    let may_go = match door.calls().holds(open) {
        true => door.check(open, started.operation()),
        false => Err(taken_back()),
    };
    let not_run =
        |started, why: PortError| Box::new(gate.finish(started, Ran::NotRun(why.to_string())));
    if let Err(why) = may_go {
        return Err(not_run(started, why));
    }
    // In the table before it is sent: its answer may come at once.
    let line = door.calls().send(open, gate, started);
    let line = line.map_err(|started| not_run(*started, taken_back()))?;
    let Err(why) = door.send(open, line) else {
        return Ok(());
    };
    match door.calls().take_sent(open) {
        Some(sent) => Err(Box::new(sent.end(Ran::failed(why.to_string())))),
        // It has its end by now.
        None => Ok(()),
    }
}

/// Waits on a thread.
///
/// # Errors
/// When there is none.
pub(crate) fn on_a_thread(waiting: Later<'static, ()>) -> io::Result<()> {
    std::thread::Builder::new()
        .name("held".to_owned())
        .stack_size(STACK)
        .spawn(move || pollster::block_on(waiting))
        .map(drop)
}
