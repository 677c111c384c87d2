//! The open connections of a proxy, so that they can be ended, and what it refused.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::explain::Explained;

/// So many different things are remembered; a command that tries more is told of the first.
const MOST_REFUSALS: usize = 20;

/// Shared by all threads of a proxy.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    shared: Arc<(Mutex<Held>, Condvar)>,
}

#[derive(Debug, Default)]
struct Held {
    ended: bool,
    next: u64,
    open: BTreeMap<u64, Vec<TcpStream>>,
    hosts: Vec<String>,
    refusals: Vec<Explained>,
}

/// One connection among the open ones; it is none of them any more when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    guard: Guard,
}

impl Guard {
    /// Waits until fewer than so many are open; false if the end came first.
    pub(super) fn wait_for_room(&self, most: usize) -> bool {
        let mut held = self.held();
        while !held.ended && held.open.len() >= most {
            held = self
                .shared
                .1
                .wait(held)
                .unwrap_or_else(PoisonError::into_inner);
        }
        !held.ended
    }

    /// A place for a connection of a client; none if the end has come.
    pub(super) fn enter(&self, client: &TcpStream) -> Option<Place> {
        let copy = client.try_clone().ok()?;
        let mut held = self.held();
        if held.ended {
            return None;
        }
        let number = held.next;
        held.next += 1;
        held.open.insert(number, vec![copy]);
        Some(Place {
            number,
            guard: self.clone(),
        })
    }

    /// Ends every connection, and lets none in any more.
    pub(super) fn end(&self) {
        let open = {
            let mut held = self.held();
            held.ended = true;
            std::mem::take(&mut held.open)
        };
        self.shared.1.notify_all();
        for socket in open.values().flatten() {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Remembers what was not done, once; with the host, if that was refused as a whole.
    pub(super) fn note(&self, host: Option<&str>, refusal: Explained) {
        let mut held = self.held();
        if held.refusals.len() < MOST_REFUSALS && !held.refusals.contains(&refusal) {
            held.hosts.extend(host.map(str::to_owned));
            held.refusals.push(refusal);
        }
    }

    /// The hosts that were refused.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.held().hosts.clone()
    }

    /// All that was not done.
    pub(super) fn refusals(&self) -> Vec<Explained> {
        self.held().refusals.clone()
    }

    /// What is held stays whole whenever a thread ends.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Adds the other side of the connection; false if the end has come, and it must not be used.
    #[must_use]
    pub(super) fn add(&self, host: &TcpStream) -> bool {
        let Ok(copy) = host.try_clone() else {
            return false;
        };
        let mut held = self.guard.held();
        if held.ended {
            return false;
        }
        held.open.entry(self.number).or_default().push(copy);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.guard.held().open.remove(&self.number);
        self.guard.shared.1.notify_all();
    }
}
