//! The calls that a gateway has in its hands, and where each of them is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_gate::finished::Finished;
use sayso_gate::gate::Gate;
use sayso_gate::pipeline::Started;
use sayso_gate::ports::Ran;
use tokio::sync::oneshot;

use super::message::Id;

/// The maximum number of calls that wait for a person; more are denied.
pub(crate) const MOST_ASKED: usize = 256;
/// So many calls that were sent on may be followed to their end; of more, the end is not written down.
const MOST_SENT: usize = 65_536;

/// One call.
pub(crate) struct Open<T> {
    /// By this id the gate knows it.
    pub call: String,
    address: Mutex<Address>,
    /// What the protocol has to say of it.
    pub about: T,
}

/// Who waits for the answer, and the bytes of the call until they are sent on.
pub(crate) struct Address {
    /// The id among all that wait.
    pub key: Id,
    /// The id by which who waits knows it.
    pub id: Id,
    pub line: Vec<u8>,
}

impl<T> Open<T> {
    pub(crate) fn new(call: String, address: Address, about: T) -> Arc<Open<T>> {
        Arc::new(Open {
            call,
            address: Mutex::new(address),
            about,
        })
    }

    pub(crate) fn address(&self) -> MutexGuard<'_, Address> {
        self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id that its answer has.
    pub(crate) fn id(&self) -> Id {
        self.address().id.clone()
    }
}

/// Where a call is. One that is done is in no table any more.
enum State<T> {
    /// The gate judges it.
    Judging(Arc<Open<T>>),
    /// A person is asked about it. Dropping the sender takes the question back.
    Asking(
        Arc<Open<T>>,
        #[allow(dead_code, reason = "it is there to be dropped")] oneshot::Sender<()>,
    ),
    /// Its answer ends it.
    Sent(Box<Sent<T>>),
    /// It was sent, and is one more than can be followed.
    Unfollowed,
}

impl<T> State<T> {
    /// The call, where it was not sent yet.
    fn held(&self) -> Option<&Arc<Open<T>>> {
        match self {
            State::Judging(open) | State::Asking(open, _) => Some(open),
            State::Sent(_) | State::Unfollowed => None,
        }
    }
}

/// A call that was sent on and has no end yet.
pub(crate) struct Sent<T> {
    pub open: Arc<Open<T>>,
    gate: Arc<Gate>,
    started: Started,
}

impl<T> Sent<T> {
    /// Ends it with what came back.
    pub(crate) fn end(self, ran: Ran) -> Finished {
        self.gate.finish(self.started, ran)
    }
}

/// What an answer is to.
pub(crate) enum Whose<T> {
    /// A call that was never sent on.
    Held,
    /// A call that was.
    Call(Box<Sent<T>>),
    /// One of too many calls that were.
    Unfollowed,
    /// Something else.
    Other,
}

/// All calls in our hands.
pub(crate) struct Calls<T>(Mutex<Table<T>>);

struct Table<T> {
    /// By who waits.
    states: HashMap<Id, State<T>>,
    /// Those that a person is asked about, by the id of the gate.
    asked: HashMap<String, Arc<Open<T>>>,
    sent: usize,
}

impl<T> Default for Calls<T> {
    fn default() -> Self {
        Calls(Mutex::new(Table {
            states: HashMap::new(),
            asked: HashMap::new(),
            sent: 0,
        }))
    }
}

impl<T> Table<T> {
    /// Whether a call is still held here: neither sent nor cancelled.
    fn holds(&self, open: &Arc<Open<T>>, key: &Id) -> bool {
        let held = self.states.get(key).and_then(State::held);
        held.is_some_and(|held| Arc::ptr_eq(held, open))
    }
}

impl<T> Calls<T> {
    fn table(&self) -> MutexGuard<'_, Table<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody waits under this id already.
    pub(crate) fn has(&self, key: &Id) -> bool {
        self.table().states.contains_key(key)
    }

    /// Adds a call that is judged now. False if another call has its id already.
    pub(crate) fn add(&self, open: &Arc<Open<T>>) -> bool {
        let key = open.address().key.clone();
        let mut table = self.table();
        let is_free = !table.states.contains_key(&key);
        if is_free {
            table.states.insert(key, State::Judging(Arc::clone(open)));
        }
        is_free
    }

    /// A person is asked about it, until what this gives says that it was taken back. None if too many wait.
    pub(crate) fn ask(&self, open: &Arc<Open<T>>) -> Option<oneshot::Receiver<()>> {
        let key = open.address().key.clone();
        let (keeps, taken_back) = oneshot::channel();
        let mut table = self.table();
        if table.asked.len() >= MOST_ASKED {
            return None;
        }
        if table.holds(open, &key) {
            table.asked.insert(open.call.clone(), Arc::clone(open));
            table
                .states
                .insert(key, State::Asking(Arc::clone(open), keeps));
        }
        Some(taken_back)
    }

    /// The call that a person is asked about, by the id of the gate.
    pub(crate) fn asked(&self, call: &str) -> Option<Arc<Open<T>>> {
        self.table().asked.get(call).cloned()
    }

    /// A call that is asked about came again, with another address.
    pub(crate) fn hand_over(&self, open: &Arc<Open<T>>, to: Address) {
        let mut address = open.address();
        let mut table = self.table();
        if table.holds(open, &address.key)
            && let Some(state) = table.states.remove(&address.key)
        {
            table.states.insert(to.key.clone(), state);
        }
        *address = to;
    }

    /// Whether it was neither sent nor cancelled.
    pub(crate) fn holds(&self, open: &Arc<Open<T>>) -> bool {
        let key = open.address().key.clone();
        self.table().holds(open, &key)
    }

    /// It is about to be sent on; gives its bytes.
    ///
    /// # Errors
    /// When it was taken back.
    pub(crate) fn send(
        &self,
        open: &Arc<Open<T>>,
        gate: &Arc<Gate>,
        started: Started,
    ) -> Result<Vec<u8>, Box<Started>> {
        let mut address = open.address();
        let mut table = self.table();
        if !table.holds(open, &address.key) {
            return Err(Box::new(started));
        }
        table.asked.remove(&open.call);
        let state = if table.sent < MOST_SENT {
            table.sent += 1;
            State::Sent(Box::new(Sent {
                open: Arc::clone(open),
                gate: Arc::clone(gate),
                started,
            }))
        } else {
            State::Unfollowed
        };
        table.states.insert(address.key.clone(), state);
        Ok(std::mem::take(&mut address.line))
    }

    /// What an answer is to. A call that was sent is taken out: its id is free from here on.
    pub(crate) fn whose(&self, key: &Id) -> Whose<T> {
        let mut table = self.table();
        match table.states.remove(key) {
            Some(State::Sent(sent)) => {
                table.sent -= 1;
                Whose::Call(sent)
            }
            Some(State::Unfollowed) => Whose::Unfollowed,
            Some(held) => {
                table.states.insert(key.clone(), held);
                Whose::Held
            }
            None => Whose::Other,
        }
    }

    /// The end of a call that was sent on, with what came back.
    pub(crate) fn end(&self, key: &Id, ran: Ran) -> Option<Finished> {
        match self.whose(key) {
            Whose::Call(sent) => Some(sent.end(ran)),
            _ => None,
        }
    }

    /// Takes this very call out, if it was sent on.
    pub(crate) fn take_sent(&self, open: &Arc<Open<T>>) -> Option<Box<Sent<T>>> {
        let key = open.address().key.clone();
        let mut table = self.table();
        let state = table.states.get(&key);
        if !matches!(state, Some(State::Sent(sent)) if Arc::ptr_eq(&sent.open, open)) {
            return None;
        }
        match table.states.remove(&key) {
            Some(State::Sent(sent)) => {
                table.sent -= 1;
                Some(sent)
            }
            _ => None,
        }
    }

    /// Ends all calls that were sent on.
    pub(crate) fn end_all(&self, ran: &Ran) {
        let keys: Vec<Id> = self.table().states.keys().cloned().collect();
        for key in keys {
            self.end(&key, ran.clone());
        }
    }

    /// It is done, or taken back: a question about it is dropped.
    pub(crate) fn remove(&self, open: &Arc<Open<T>>) {
        let key = open.address().key.clone();
        let mut table = self.table();
        if table.holds(open, &key) {
            table.asked.remove(&open.call);
            let state = table.states.remove(&key);
            drop(table);
            // Not under the lock: it wakes who waits.
            drop(state);
        }
    }

    /// The call that was not sent yet, by who waits.
    pub(crate) fn held(&self, key: &Id) -> Option<Arc<Open<T>>> {
        self.table().states.get(key).and_then(State::held).cloned()
    }

    /// All calls that were not sent yet.
    pub(crate) fn all_held(&self) -> Vec<Arc<Open<T>>> {
        let table = self.table();
        table
            .states
            .values()
            .filter_map(State::held)
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(call: &str, id: &str) -> Arc<Open<()>> {
        let id = Id::text(id);
        let address = Address {
            key: id.clone(),
            id,
            line: Vec::new(),
        };
        Open::new(call.to_owned(), address, ())
    }

    #[test]
    fn a_call_that_is_taken_back_is_asked_about_no_more_and_its_id_is_free() {
        let (calls, one, other) = (Calls::default(), open("1", "a"), open("2", "a"));
        assert!(calls.add(&one) && !calls.add(&other));
        let mut taken_back = calls.ask(&one).unwrap();
        assert!(calls.asked("1").is_some() && taken_back.try_recv().is_err());
        // It came again by another id.
        let (key, id) = (Id::text("b"), Id::text("b"));
        let line = b"again".to_vec();
        calls.hand_over(&one, Address { key, id, line });
        assert!(calls.held(&Id::text("a")).is_none() && calls.add(&other));
        calls.remove(&one);
        assert!(calls.asked("1").is_none() && !calls.holds(&one));
        assert_eq!(
            taken_back.try_recv(),
            Err(oneshot::error::TryRecvError::Closed)
        );
        // A call that was cancelled while it was judged is never asked about, and does not end the call that has its id now.
        *one.address() = Address {
            key: Id::text("a"),
            id: Id::text("a"),
            line: Vec::new(),
        };
        assert!(calls.ask(&one).unwrap().try_recv().is_err() && calls.asked("1").is_none());
        calls.remove(&one);
        assert!(calls.take_sent(&one).is_none() && calls.holds(&other));
        assert!(matches!(calls.whose(&Id::text("a")), Whose::Held));
        assert!(matches!(calls.whose(&Id::text("x")), Whose::Other));
    }

    #[test]
    fn no_more_are_asked_about_than_a_person_answers() {
        let calls = Calls::default();
        for number in 0..=MOST_ASKED {
            let open = open(&number.to_string(), &number.to_string());
            assert!(calls.add(&open));
            assert_eq!(calls.ask(&open).is_some(), number < MOST_ASKED);
        }
        assert_eq!(calls.all_held().len(), MOST_ASKED + 1);
    }
}
