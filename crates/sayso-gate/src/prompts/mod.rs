//! The prompts that are open: any number at once, each answered once, by its id, by whoever may answer and is first.

mod answerer;
mod expiry;
mod queue;
mod refusal;
mod waiter;

use std::sync::Arc;
#[cfg(not(feature = "shuttle"))]
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use sayso_core::prompt::{Ended, Prompt};
// A scheduler that tries many orders stands in for the locks of the standard library.
#[cfg(feature = "shuttle")]
use shuttle::sync::{Condvar, Mutex, MutexGuard};

use crate::panic_guard::caught;
use crate::ports::{Ask, Later};
pub use answerer::{Answerer, Deliver, Reaches, Seat};
use queue::Desk;
pub(crate) use queue::LONGEST_WAIT;
pub use refusal::Refused;
pub use waiter::Ticket;

/// The queue of open prompts. Copies of it are the same queue.
#[derive(Clone)]
pub struct Prompts(Arc<Shared>);

/// What all copies, seats and tickets share.
struct Shared {
    desk: Mutex<Desk>,
    /// Rung whenever a prompt opens or ends, for whoever waits on a thread.
    bell: Condvar,
}

impl Default for Prompts {
    fn default() -> Self {
        Prompts(Arc::new(Shared {
            desk: Mutex::new(Desk::default()),
            bell: Condvar::new(),
        }))
    }
}

impl Shared {
    /// A panic of another thread leaves the desk as it was before or after one step, so it can still be used.
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Does something at the desk, then wakes everybody it concerns, outside of the lock.
    fn at_desk<T>(&self, act: impl FnOnce(&mut Desk) -> T) -> T {
        let (out, wakers) = {
            let mut desk = self.desk();
            let out = act(&mut desk);
            (out, desk.take_wakers())
        };
        self.bell.notify_all();
        for waker in wakers {
            // An executor that breaks must not keep the others from waking.
            caught(|| waker.wake(), drop);
        }
        out
    }
}

impl Prompts {
    /// An empty queue with nobody at it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Seats somebody who can answer, and shows them what is open. Without anybody seated, every prompt ends at once.
    pub fn join(&self, answerer: Answerer) -> Seat {
        Seat::new(Arc::clone(&self.0), answerer)
    }

    /// Registers a prompt, to be shown to whoever may answer; the ticket waits for its end, and takes it back when it is dropped. This
    /// does not wait for any screen.
    pub fn open(&self, prompt: Arc<Prompt>) -> Ticket {
        let now = Instant::now();
        let timeout = prompt.timeout.map(Duration::from_secs);
        // Registered first: an answer that comes while it is being shown finds it.
        let number = self.0.at_desk(|desk| desk.open(prompt, timeout, now));
        if timeout.is_some() {
            expiry::start(&self.0);
        }
        Ticket::new(Arc::clone(&self.0), number)
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.0.desk().len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes back all prompts of a session: it ended.
    pub fn end_session(&self, session: &str) {
        self.0.at_desk(|desk| {
            desk.end_all(&Ended::Cancelled, |prompt| {
                prompt.operation.session() == session
            })
        });
    }

    /// Ends everything: sayso shuts down. Prompts that come later end at once.
    pub fn close(&self) {
        self.0.at_desk(Desk::close);
    }

    /// Denies whatever is due at a time. A thread of its own does so; a test may do it sooner.
    pub fn expire(&self, now: Instant) {
        self.0.at_desk(|desk| desk.expire(now));
    }
}

impl Ask for Prompts {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(self.open(prompt))
    }
}
