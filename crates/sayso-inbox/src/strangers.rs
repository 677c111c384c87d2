//! Connections on which no one has proved to be known yet: only so many stay open, and the oldest makes room for the next.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// The connections of strangers, by the order in which they came.
pub(super) struct Strangers {
    most: usize,
    open: Mutex<(u64, BTreeMap<u64, Arc<Notify>>)>,
}

/// One connection. It counts as a stranger's until it is known or dropped.
pub(super) struct Stranger {
    all: Arc<Strangers>,
    number: u64,
    pushed_out: Arc<Notify>,
}

impl Strangers {
    /// At most so many.
    pub(super) fn new(most: usize) -> Arc<Strangers> {
        Arc::new(Strangers {
            most,
            open: Mutex::default(),
        })
    }

    fn open(&self) -> std::sync::MutexGuard<'_, (u64, BTreeMap<u64, Arc<Notify>>)> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more; where there are too many, the oldest is pushed out.
    pub(super) fn enter(self: &Arc<Self>) -> Stranger {
        let pushed_out = Arc::new(Notify::new());
        let mut open = self.open();
        let (next, waiting) = &mut *open;
        *next += 1;
        waiting.insert(*next, Arc::clone(&pushed_out));
        while waiting.len() > self.most {
            let Some((_, oldest)) = waiting.pop_first() else {
                break;
            };
            oldest.notify_one();
        }
        Stranger {
            all: Arc::clone(self),
            number: *next,
            pushed_out,
        }
    }
}

impl Stranger {
    /// It is a stranger's no more.
    pub(super) fn is_known(&self) {
        self.all.open().1.remove(&self.number);
    }

    /// Ends when it was pushed out.
    pub(super) async fn is_pushed_out(&self) {
        self.pushed_out.notified().await;
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.is_known();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_pushed_out(stranger: &Stranger) -> bool {
        let mut waits = std::pin::pin!(stranger.is_pushed_out());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        waits.as_mut().poll(&mut context).is_ready()
    }

    #[test]
    fn finding_d_06_the_oldest_stranger_makes_room_and_who_is_known_stays() {
        let all = Strangers::new(3);
        let known = all.enter();
        known.is_known();
        let many: Vec<Stranger> = (0..100).map(|_| all.enter()).collect();
        assert!(!is_pushed_out(&known));
        let left: Vec<usize> = many
            .iter()
            .enumerate()
            .filter(|(_, one)| !is_pushed_out(one))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(left, [97, 98, 99]);
        drop(many);
        assert!(all.open().1.is_empty());
    }
}
