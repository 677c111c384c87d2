//! The observer's side of the bus: its thread, its counts, and the handle that stops it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use super::bus::{HEAVIEST_QUEUE, Observer, Shared};
use super::{Event, EventKind};

/// After so many panics an observer is unplugged.
pub const MOST_PANICS: u64 = 3;

/// So long an observer rests when it has heard all: to wake it for each of many events would cost those who tell them more than the telling.
/// Far fewer events come in that time than its queue holds, since each has its entry in the record first.
const REST: Duration = Duration::from_millis(1);

/// An event on its way.
#[derive(Clone)]
pub(super) struct Line {
    pub event: Arc<Event>,
    pub weight: u64,
}

/// How one observer is doing.
#[derive(Debug, Default)]
pub(super) struct State {
    handed: AtomicU64,
    heard: AtomicU64,
    waiting_bytes: AtomicU64,
    missed: AtomicU64,
    panics: AtomicU64,
    stopped: AtomicBool,
}

impl State {
    pub(super) fn handed(&self) -> u64 {
        self.handed.load(Ordering::Acquire)
    }

    /// Whether so many were heard; who has stopped hears nothing more, so nobody waits for it.
    pub(super) fn has_heard(&self, handed: u64) -> bool {
        self.heard.load(Ordering::Acquire) >= handed || self.stopped.load(Ordering::Acquire)
    }

    pub(super) fn has_room(&self, weight: u64) -> bool {
        let waiting = self.waiting_bytes.load(Ordering::Acquire);
        waiting == 0 || waiting.saturating_add(weight) <= HEAVIEST_QUEUE
    }

    pub(super) fn hand(&self, weight: u64) {
        self.handed.fetch_add(1, Ordering::AcqRel);
        self.waiting_bytes.fetch_add(weight, Ordering::AcqRel);
    }

    pub(super) fn take_back(&self, weight: u64) {
        self.waiting_bytes.fetch_sub(weight, Ordering::AcqRel);
        self.handed.fetch_sub(1, Ordering::AcqRel);
    }

    /// Counts an event that was left out; says whether it was the first.
    pub(super) fn is_first_miss(&self) -> bool {
        self.missed.fetch_add(1, Ordering::AcqRel) == 0
    }
}

/// The life of an observer's thread.
pub(super) fn serve(
    events: &Receiver<Line>,
    mut observer: Observer,
    state: &State,
    bus: &Weak<Shared>,
    number: u64,
) {
    while let Some(Line { event, weight }) = next(events) {
        if state.stopped.load(Ordering::Acquire) {
            return;
        }
        let broke = catch_unwind(AssertUnwindSafe(|| observer(&event))).is_err();
        let panics = if broke {
            state.panics.fetch_add(1, Ordering::AcqRel) + 1
        } else {
            0
        };
        if panics >= MOST_PANICS {
            state.stopped.store(true, Ordering::Release);
            if let Some(bus) = bus.upgrade()
                && let Some(name) = bus.leave(number)
            {
                bus.say(
                    number,
                    event.at,
                    format!("the observer `{name}` broke {panics} times and is told no more"),
                );
            }
            return;
        }
        state.waiting_bytes.fetch_sub(weight, Ordering::AcqRel);
        state.heard.fetch_add(1, Ordering::AcqRel);
    }
}

/// The next event: at once, or after a rest, or when one comes.
fn next(events: &Receiver<Line>) -> Option<Line> {
    match events.try_recv() {
        Ok(line) => return Some(line),
        Err(TryRecvError::Disconnected) => return None,
        Err(TryRecvError::Empty) => std::thread::sleep(REST),
    }
    events.recv().ok()
}

/// Somebody is being told. Dropping it ends that, without waiting for an event that is just being heard.
#[must_use = "an observer is told nothing any more once this is dropped"]
pub struct Observing {
    pub(super) bus: Weak<Shared>,
    pub(super) number: u64,
    pub(super) state: Option<Arc<State>>,
}

impl Observing {
    /// Lets the observer be told for as long as the bus is there.
    pub fn keep(mut self) {
        self.bus = Weak::new();
        self.state = None;
    }

    /// How many events it missed since its queue was full.
    pub fn missed(&self) -> u64 {
        self.state
            .as_ref()
            .map_or(0, |state| state.missed.load(Ordering::Acquire))
    }

    /// How often it panicked.
    pub fn panics(&self) -> u64 {
        self.state
            .as_ref()
            .map_or(0, |state| state.panics.load(Ordering::Acquire))
    }
}

impl Drop for Observing {
    fn drop(&mut self) {
        if let Some(state) = &self.state {
            state.stopped.store(true, Ordering::Release);
        }
        if let Some(bus) = self.bus.upgrade() {
            drop(bus.leave(self.number));
        }
    }
}

/// Keeps events, until it is dropped.
pub struct Recorder {
    #[expect(dead_code, reason = "recording ends when it is dropped")]
    pub(super) observing: Observing,
    pub(super) events: Arc<Mutex<Vec<Event>>>,
}

impl Recorder {
    /// What was told so far.
    pub fn events(&self) -> Vec<Event> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The kinds of it.
    pub fn kinds(&self) -> Vec<EventKind> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|event| event.kind)
            .collect()
    }

    /// What was told so far, which is forgotten with that.
    pub fn take(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
