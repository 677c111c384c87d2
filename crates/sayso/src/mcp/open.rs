//! The calls that the gateway has in its hands: those that a person is asked about, and those that the server works on.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use sayso_core::node::Node;
use sayso_gate::finished::Finished;
use sayso_gate::ports::Ran;

use super::message::Id;
use super::slot::Slot;

/// So many calls may be with the server and be followed to their end; of more, the end is not written down.
const MOST_FLYING: usize = 65_536;

/// The way of a call through the gate.
pub(super) type Walk = Pin<Box<dyn Future<Output = Finished> + Send>>;

/// One call.
pub(super) struct Open {
    /// By this id the gate knows it.
    pub call: String,
    /// Who waits for the answer, and what goes to the server if it may.
    pub address: Mutex<Address>,
    /// By this id the client knows it, where that is another one.
    pub known_as: Mutex<Option<Id>>,
    /// The client speaks the revision that has no sessions.
    pub is_modern: bool,
    /// The client can ask its person, and how: whether it has to be told that it is a form.
    pub elicits: Option<bool>,
    /// What the client calls the call, so that one that a hook asked about is known again.
    pub tool_use: Option<String>,
    /// By this the client is told that there is progress.
    pub progress: Option<Node>,
    ticks: AtomicU64,
    pub was_sent: AtomicBool,
    /// Its end will be known.
    pub is_followed: AtomicBool,
    pub ran: Arc<Slot<Ran>>,
    cancel: Mutex<(bool, Option<Waker>)>,
}

/// Who waits, and the bytes of the call.
pub(super) struct Address {
    pub id: Id,
    pub line: Vec<u8>,
}

impl Open {
    pub(super) fn new(call: String, id: Id, line: Vec<u8>, is_modern: bool) -> Open {
        Open {
            call,
            address: Mutex::new(Address { id, line }),
            known_as: Mutex::default(),
            is_modern,
            elicits: None,
            tool_use: None,
            progress: None,
            ticks: AtomicU64::new(0),
            was_sent: AtomicBool::new(false),
            is_followed: AtomicBool::new(false),
            ran: Slot::new(),
            cancel: Mutex::default(),
        }
    }

    pub(super) fn address(&self) -> MutexGuard<'_, Address> {
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id that an answer to the client has.
    pub(super) fn answers(&self) -> Id {
        let known = self.known_as.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| self.address().id.clone())
    }

    /// The client does not want it any more.
    pub(super) fn cancel(&self) {
        let mut cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
        cancel.0 = true;
        let waker = cancel.1.take();
        drop(cancel);
        waker.into_iter().for_each(Waker::wake);
    }

    /// The end of a walk; none if the call was taken back before.
    pub(super) async fn unless_cancelled(&self, mut walk: Walk) -> Option<Finished> {
        std::future::poll_fn(|context| {
            let mut cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner);
            // What the server has is the server's to stop.
            if cancel.0 && !self.was_sent.load(Ordering::SeqCst) {
                return Poll::Ready(None);
            }
            cancel.1 = Some(context.waker().clone());
            drop(cancel);
            walk.as_mut().poll(context).map(Some)
        })
        .await
    }

    /// How often the client was told that somebody is asked, counting this time.
    pub(super) fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// All calls in our hands.
#[derive(Default)]
pub(super) struct Calls(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// By the id of the gate.
    by_call: HashMap<String, Arc<Open>>,
    /// Those that somebody is asked about, by who waits.
    held: HashMap<Id, Arc<Open>>,
    /// Those that the server works on, by who waits; the walk, where no thread of its own has it.
    flying: HashMap<Id, (Arc<Open>, Option<Walk>)>,
}

/// A call that the server had, and whose end is near.
pub(super) struct Landing {
    open: Arc<Open>,
    walk: Option<Walk>,
}

impl Landing {
    /// Ends it with what the server brought.
    pub(super) fn end(self, ran: Ran) {
        self.open.ran.put(ran);
        if let Some(walk) = self.walk {
            end(walk);
        }
    }
}

/// What to do with an answer of the server.
pub(super) enum Whose {
    /// It is to a call that the server was never given.
    Held,
    /// To a call that it was given.
    Call(Landing),
    /// To something else.
    Other,
}

impl Calls {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody waits under this id already.
    pub(super) fn has(&self, id: &Id) -> bool {
        let inner = self.inner();
        inner.held.contains_key(id) || inner.flying.contains_key(id)
    }

    /// Takes a call in.
    pub(super) fn add(&self, open: &Arc<Open>) {
        self.inner().by_call.insert(open.call.clone(), Arc::clone(open));
    }

    /// The call that the gate means.
    pub(super) fn find(&self, call: &str) -> Option<Arc<Open>> {
        self.inner().by_call.get(call).cloned()
    }

    /// Somebody is asked about it. False if too many wait.
    pub(super) fn hold(&self, open: &Arc<Open>, most: usize) -> bool {
        let id = open.address().id.clone();
        let mut inner = self.inner();
        let has_room = inner.held.len() < most;
        if has_room && !open.was_sent.load(Ordering::SeqCst) {
            inner.held.insert(id, Arc::clone(open));
        }
        has_room
    }

    /// Somebody else waits for it now.
    pub(super) fn hand_over(&self, open: &Arc<Open>, id: &Id, line: Vec<u8>) {
        let mut address = open.address();
        let mut inner = self.inner();
        inner.held.remove(&address.id);
        inner.held.insert(id.clone(), Arc::clone(open));
        *address = Address { id: id.clone(), line };
    }

    /// It goes to the server.
    pub(super) fn fly(&self, open: &Arc<Open>, id: &Id) {
        let mut inner = self.inner();
        inner.held.remove(id);
        inner.by_call.remove(&open.call);
        open.was_sent.store(true, Ordering::SeqCst);
        if inner.flying.len() < MOST_FLYING {
            open.is_followed.store(true, Ordering::SeqCst);
            inner.flying.insert(id.clone(), (Arc::clone(open), None));
        }
    }

    /// Keeps the rest of the walk of a call that the server works on. Gives it back if the answer is there already, or nobody waits for one.
    pub(super) fn keep(&self, open: &Arc<Open>, walk: Walk) -> Option<Walk> {
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
    pub(super) fn whose(&self, id: &Id) -> Whose {
        match self.lift(id) {
            Some(landing) => Whose::Call(landing),
            None if self.inner().held.contains_key(id) => Whose::Held,
            None => Whose::Other,
        }
    }

    /// The end of a call that the server had, with what it brought.
    pub(super) fn land(&self, id: &Id, ran: Ran) {
        if let Some(landing) = self.lift(id) {
            landing.end(ran);
        }
    }

    /// Takes a call out that the server had: its id is free from here on.
    pub(super) fn lift(&self, id: &Id) -> Option<Landing> {
        self.inner().flying.remove(id).map(|(open, walk)| Landing { open, walk })
    }

    /// It is over.
    pub(super) fn remove(&self, open: &Open) {
        let id = open.address().id.clone();
        let mut inner = self.inner();
        inner.by_call.remove(&open.call);
        let is_this = |other: &Arc<Open>| other.call == open.call;
        if inner.held.get(&id).is_some_and(is_this) {
            inner.held.remove(&id);
        }
    }

    /// The call that waits for a person under this id.
    pub(super) fn held(&self, id: &Id) -> Option<Arc<Open>> {
        self.inner().held.get(id).cloned()
    }

    /// All calls that wait for a person.
    pub(super) fn all_held(&self) -> Vec<Arc<Open>> {
        self.inner().held.values().cloned().collect()
    }

    /// All that the server still has, by who waits.
    pub(super) fn all_flying(&self) -> Vec<Id> {
        self.inner().flying.keys().cloned().collect()
    }
}

/// Goes the rest of a way that nothing holds up any more.
fn end(mut walk: Walk) {
    let mut context = Context::from_waker(Waker::noop());
    // Where it still waits, it is dropped, and the gate writes that down.
    let _ = walk.as_mut().poll(&mut context);
}
