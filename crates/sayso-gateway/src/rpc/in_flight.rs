//! The calls that a gateway has in its hands: those that a person is asked about, and those that whoever is behind it works on.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use sayso_gate::ports::Ran;

use super::message::Id;
use super::slot::Slot;

/// So many calls that were sent on may be followed to their end; of more, the end is not written down.
const MOST_FLYING: usize = 65_536;

/// The way of a call through the gate, to an end.
pub(crate) type Walk<E> = Pin<Box<dyn Future<Output = E> + Send>>;

/// One call.
pub(crate) struct Open<T> {
    /// By this id the gate knows it.
    pub call: String,
    /// Who waits for the answer, and what goes on if it may.
    pub address: Mutex<Address>,
    /// What the protocol has to say of it.
    pub about: T,
    pub was_sent: AtomicBool,
    /// Its end will be known.
    pub is_followed: AtomicBool,
    pub ran: Arc<Slot<Ran>>,
    cancel: Mutex<(bool, Option<Waker>)>,
}

/// Who waits, and the bytes of the call.
pub(crate) struct Address {
    pub id: Id,
    pub line: Vec<u8>,
}

impl<T> Open<T> {
    pub(crate) fn new(call: String, id: Id, line: Vec<u8>, about: T) -> Open<T> {
        Open {
            call,
            address: Mutex::new(Address { id, line }),
            about,
            was_sent: AtomicBool::new(false),
            is_followed: AtomicBool::new(false),
            ran: Slot::new(),
            cancel: Mutex::default(),
        }
    }

    pub(crate) fn address(&self) -> MutexGuard<'_, Address> {
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody wants it any more.
    pub(crate) fn cancel(&self) {
        let mut cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
        cancel.0 = true;
        let waker = cancel.1.take();
        drop(cancel);
        waker.into_iter().for_each(Waker::wake);
    }

    /// The end of a walk; none if the call was taken back before.
    pub(crate) async fn unless_cancelled<E>(&self, mut walk: Walk<E>) -> Option<E> {
        std::future::poll_fn(|context| {
            let mut cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
            // What was sent on is somebody else's to stop.
            if cancel.0 && !self.was_sent.load(Ordering::SeqCst) {
                return Poll::Ready(None);
            }
            cancel.1 = Some(context.waker().clone());
            drop(cancel);
            walk.as_mut().poll(context).map(Some)
        })
        .await
    }
}

/// A call that was sent on, and the rest of its walk.
type Flying<T, E> = (Arc<Open<T>>, Option<Walk<E>>);

/// All calls in our hands.
pub(crate) struct Calls<T, E>(Mutex<Inner<T, E>>);

struct Inner<T, E> {
    /// By the id of the gate.
    by_call: HashMap<String, Arc<Open<T>>>,
    /// Those that somebody is asked about, by who waits.
    held: HashMap<Id, Arc<Open<T>>>,
    /// Those that were sent on, by who waits; the walk, where no thread of its own has it.
    flying: HashMap<Id, Flying<T, E>>,
    /// Those that were sent on, and are more than can be followed.
    unfollowed: HashSet<Id>,
}

impl<T, E> Default for Calls<T, E> {
    fn default() -> Self {
        Calls(Mutex::new(Inner {
            by_call: HashMap::new(),
            held: HashMap::new(),
            flying: HashMap::new(),
            unfollowed: HashSet::new(),
        }))
    }
}

/// A call that was sent on, and whose end is near.
pub(crate) struct Landing<T, E> {
    open: Arc<Open<T>>,
    walk: Option<Walk<E>>,
}

impl<T, E> Landing<T, E> {
    /// The call.
    pub(crate) fn open(&self) -> &Open<T> {
        &self.open
    }

    /// Ends it with what came back.
    pub(crate) fn end(self, ran: Ran) {
        self.open.ran.put(ran);
        if let Some(walk) = self.walk {
            end(walk);
        }
    }
}

/// What to do with an answer.
pub(crate) enum Whose<T, E> {
    /// It is to a call that was never sent on.
    Held,
    /// To a call that was.
    Call(Landing<T, E>),
    /// To one of too many calls that were.
    Unfollowed,
    /// To something else.
    Other,
}

impl<T, E> Calls<T, E> {
    fn inner(&self) -> MutexGuard<'_, Inner<T, E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody waits under this id already.
    pub(crate) fn has(&self, id: &Id) -> bool {
        let inner = self.inner();
        inner.held.contains_key(id)
            || inner.flying.contains_key(id)
            || inner.unfollowed.contains(id)
    }

    /// Takes a call in.
    pub(crate) fn add(&self, open: &Arc<Open<T>>) {
        self.inner()
            .by_call
            .insert(open.call.clone(), Arc::clone(open));
    }

    /// The call that the gate means.
    pub(crate) fn find(&self, call: &str) -> Option<Arc<Open<T>>> {
        self.inner().by_call.get(call).cloned()
    }

    /// Somebody is asked about it. False if too many wait.
    pub(crate) fn hold(&self, open: &Arc<Open<T>>, most: usize) -> bool {
        let id = open.address().id.clone();
        let mut inner = self.inner();
        let has_room = inner.held.len() < most;
        if has_room && !open.was_sent.load(Ordering::SeqCst) {
            inner.held.insert(id, Arc::clone(open));
        }
        has_room
    }

    /// Somebody else waits for it now.
    pub(crate) fn hand_over(&self, open: &Arc<Open<T>>, id: &Id, line: Vec<u8>) {
        let mut address = open.address();
        let mut inner = self.inner();
        inner.held.remove(&address.id);
        inner.held.insert(id.clone(), Arc::clone(open));
        *address = Address {
            id: id.clone(),
            line,
        };
    }

    /// It is sent on.
    pub(crate) fn fly(&self, open: &Arc<Open<T>>, id: &Id) {
        let mut inner = self.inner();
        inner.held.remove(id);
        inner.by_call.remove(&open.call);
        open.was_sent.store(true, Ordering::SeqCst);
        if inner.flying.len() < MOST_FLYING {
            open.is_followed.store(true, Ordering::SeqCst);
            inner.flying.insert(id.clone(), (Arc::clone(open), None));
        } else {
            inner.unfollowed.insert(id.clone());
        }
    }

    /// Keeps the rest of the walk of a call that was sent on. Gives it back if the answer is there already, or nobody waits for one.
    pub(crate) fn keep(&self, open: &Arc<Open<T>>, walk: Walk<E>) -> Option<Walk<E>> {
        let id = open.address().id.clone();
        let mut inner = self.inner();
        match inner.flying.get_mut(&id) {
            Some((own, place)) if own.call == open.call && !open.ran.is_filled() => {
                *place = Some(walk);
                None
            }
            _ => Some(walk),
        }
    }

    /// Whose answer it is.
    pub(crate) fn whose(&self, id: &Id) -> Whose<T, E> {
        if let Some(landing) = self.lift(id) {
            return Whose::Call(landing);
        }
        let mut inner = self.inner();
        match inner.unfollowed.remove(id) {
            true => Whose::Unfollowed,
            false if inner.held.contains_key(id) => Whose::Held,
            false => Whose::Other,
        }
    }

    /// The end of a call that was sent on, with what came back.
    pub(crate) fn land(&self, id: &Id, ran: Ran) {
        if let Some(landing) = self.lift(id) {
            landing.end(ran);
        }
    }

    /// Takes a call out that was sent on: its id is free from here on.
    pub(crate) fn lift(&self, id: &Id) -> Option<Landing<T, E>> {
        self.inner()
            .flying
            .remove(id)
            .map(|(open, walk)| Landing { open, walk })
    }

    /// It is over.
    pub(crate) fn remove(&self, open: &Open<T>) {
        let id = open.address().id.clone();
        let mut inner = self.inner();
        inner.by_call.remove(&open.call);
        let is_this = |other: &Arc<Open<T>>| other.call == open.call;
        if inner.held.get(&id).is_some_and(is_this) {
            inner.held.remove(&id);
        }
    }

    /// The call that waits for a person under this id.
    pub(crate) fn held(&self, id: &Id) -> Option<Arc<Open<T>>> {
        self.inner().held.get(id).cloned()
    }

    /// All calls that wait for a person.
    pub(crate) fn all_held(&self) -> Vec<Arc<Open<T>>> {
        self.inner().held.values().cloned().collect()
    }

    /// All that were sent on and have no end, by who waits.
    pub(crate) fn all_flying(&self) -> Vec<Id> {
        self.inner().flying.keys().cloned().collect()
    }
}

/// Goes the rest of a way that nothing holds up any more.
fn end<E>(mut walk: Walk<E>) {
    let mut context = Context::from_waker(Waker::noop());
    // Where it still waits, it is dropped, and the gate writes that down.
    let _ = walk.as_mut().poll(&mut context);
}
