//! Tells observers what happened, the most important first, and never waits for any of them.
//!
//! Every observer has a thread and a bounded queue of its own. The gate only puts events into queues: an observer that is slow misses
//! events, one that panics is unplugged after a few times, and neither holds up a call. Events are shared and cannot be changed, so
//! nothing that an observer does reaches a decision or the arguments.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::memory_use::weight;
use super::observer::{Line, Observing, Recorder, State, serve};
use super::{About, Event, EventKind, Kinds, Priority};

/// How many events wait for one observer at most.
pub const LONGEST_QUEUE: usize = 1024;
/// How many bytes of texts wait for one observer at most, roughly; a single event may be larger.
pub const HEAVIEST_QUEUE: u64 = 64 * 1024 * 1024;

/// Somebody who is told what happens.
pub type Observer = Box<dyn FnMut(&Event) + Send>;

/// Who is told.
#[derive(Clone, Default)]
pub struct Bus(pub(super) Arc<Shared>);

/// What the bus and its observers have in common.
#[derive(Default)]
pub(super) struct Shared {
    /// The highest priority first; equal ones in the order they came.
    seats: RwLock<Vec<Seat>>,
    next: AtomicU64,
}

/// The place of one observer.
struct Seat {
    number: u64,
    name: String,
    priority: Priority,
    kinds: Kinds,
    way: Way,
}

/// How an event gets there.
enum Way {
    Thread {
        queue: SyncSender<Line>,
        state: Arc<State>,
    },
    Kept(Arc<Mutex<Vec<Event>>>),
}

/// No thread could be started for an observer.
#[derive(Debug, Error)]
#[error("no thread could be started for the observer `{name}`: {source}")]
pub struct ObserveError {
    name: String,
    source: io::Error,
}

impl Bus {
    /// Tells somebody from now on, until what is returned is dropped. It fails only where no thread can be started.
    pub fn observe(
        &self,
        name: impl Into<String>,
        priority: Priority,
        kinds: impl Into<Kinds>,
        observer: impl FnMut(&Event) + Send + 'static,
    ) -> Result<Observing, ObserveError> {
        let (name, observer): (String, Observer) = (name.into(), Box::new(observer));
        let (queue, events) = sync_channel(LONGEST_QUEUE);
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State::default());
        let (theirs, bus) = (Arc::clone(&state), Arc::downgrade(&self.0));
        std::thread::Builder::new()
            .name(
                format!("sayso-{name}")
                    .chars()
                    .filter(|character| *character != '\0')
                    .collect(),
            )
            .spawn(move || serve(&events, observer, &theirs, &bus, number))
            .map_err(|source| ObserveError {
                name: name.clone(),
                source,
            })?;
        self.0.sit(Seat {
            number,
            name,
            priority,
            kinds: kinds.into(),
            way: Way::Thread {
                queue,
                state: Arc::clone(&state),
            },
        });
        Ok(Observing {
            bus: Arc::downgrade(&self.0),
            number,
            state: Some(state),
        })
    }

    /// Keeps all events from now on, in order, in the thread where they happen. For tests, and for whoever looks later.
    pub fn record(&self) -> Recorder {
        self.record_as(Priority::SYSTEM)
    }

    /// The same from another place in the order.
    pub fn record_as(&self, priority: Priority) -> Recorder {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let way = Way::Kept(Arc::clone(&events));
        self.0.sit(Seat {
            number,
            name: "recorder".to_owned(),
            priority,
            kinds: Kinds::ALL,
            way,
        });
        Recorder {
            observing: Observing {
                bus: Arc::downgrade(&self.0),
                number,
                state: None,
            },
            events,
        }
    }

    /// The names of all observers, in the order they are told.
    pub fn observers(&self) -> Vec<(String, Priority)> {
        self.0
            .seats
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|seat| (seat.name.clone(), seat.priority))
            .collect()
    }

    /// Tells everybody.
    pub(crate) fn publish(&self, event: &Event) {
        self.0.publish(event, Reach::All);
    }

    /// Tells of a call that came in: those who stand above the gate.
    pub(crate) fn publish_above_gate(&self, event: &Event) {
        self.0.publish(event, Reach::AboveGate);
    }

    /// Tells of a call that came in and is decided: everybody else.
    pub(crate) fn publish_below_gate(&self, event: &Event) {
        self.0.publish(event, Reach::BelowGate);
    }

    /// Waits until everything that was told so far was heard, but not longer than this. For tests, and before a program ends.
    pub fn flush(&self, longest: Duration) -> bool {
        let end = Instant::now().checked_add(longest);
        let states: Vec<(Arc<State>, u64)> = {
            let seats = self.0.seats.read().unwrap_or_else(PoisonError::into_inner);
            let state = |seat: &Seat| match &seat.way {
                Way::Thread { state, .. } => Some((Arc::clone(state), state.handed())),
                Way::Kept(_) => None,
            };
            seats.iter().filter_map(state).collect()
        };
        for (state, handed) in states {
            while !state.has_heard(handed) {
                if end.is_none_or(|end| Instant::now() >= end) {
                    return false;
                }
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        true
    }
}

/// Which observers an event is for.
#[derive(Clone, Copy)]
enum Reach {
    All,
    AboveGate,
    BelowGate,
    Except(u64),
}

impl Shared {
    fn sit(&self, seat: Seat) {
        let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
        let at = seats.partition_point(|other| other.priority >= seat.priority);
        seats.insert(at, seat);
    }

    /// Takes an observer out; what is queued for it is forgotten.
    pub(super) fn leave(&self, number: u64) -> Option<String> {
        let seat = {
            let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
            let at = seats.iter().position(|seat| seat.number == number)?;
            seats.remove(at)
        };
        Some(seat.name)
    }

    fn publish(&self, event: &Event, reach: Reach) {
        let mut fallen_behind = Vec::new();
        {
            let seats = self.seats.read().unwrap_or_else(PoisonError::into_inner);
            if seats.is_empty() {
                return;
            }
            let mut line: Option<Line> = None;
            for seat in seats
                .iter()
                .filter(|seat| seat.kinds.contains(event.kind) && reach.covers(seat))
            {
                match &seat.way {
                    Way::Kept(events) => events
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(event.clone()),
                    Way::Thread { queue, state } => {
                        let line = line.get_or_insert_with(|| Line {
                            event: Arc::new(event.clone()),
                            weight: weight(event),
                        });
                        if !hand(queue, state, line) && state.is_first_miss() {
                            fallen_behind.push((seat.number, seat.name.clone()));
                        }
                    }
                }
            }
        }
        // Each observer is said to be slow once, so this ends.
        for (number, name) in fallen_behind {
            self.say(
                number,
                event.at,
                format!("the observer `{name}` is too slow and misses events"),
            );
        }
    }

    /// Tells all but one something about that one.
    pub(super) fn say(&self, about: u64, at: i64, words: String) {
        self.publish(
            &Event {
                kind: EventKind::Updated,
                at,
                operation: None,
                about: About::Words(words),
            },
            Reach::Except(about),
        );
    }
}

impl Reach {
    fn covers(self, seat: &Seat) -> bool {
        match self {
            Reach::All => true,
            Reach::AboveGate => seat.priority.is_above_gate(),
            Reach::BelowGate => !seat.priority.is_above_gate(),
            Reach::Except(number) => seat.number != number,
        }
    }
}

/// Puts an event into a queue, unless it is full. It never waits.
fn hand(queue: &SyncSender<Line>, state: &State, line: &Line) -> bool {
    if !state.has_room(line.weight) {
        return false;
    }
    state.hand(line.weight);
    match queue.try_send(line.clone()) {
        Ok(()) => true,
        Err(TrySendError::Full(line)) => {
            state.take_back(line.weight);
            false
        }
        // It is unplugged already, and was told of.
        Err(TrySendError::Disconnected(line)) => {
            state.take_back(line.weight);
            true
        }
    }
}
