//! A place where one value is put by one thread and waited for by another.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// The place. The first value that is put counts.
pub(crate) struct Slot<T>(Mutex<State<T>>);

struct State<T> {
    value: Option<T>,
    is_filled: bool,
    waker: Option<Waker>,
}

impl<T> Slot<T> {
    pub(crate) fn new() -> Arc<Slot<T>> {
        Arc::new(Slot(Mutex::new(State {
            value: None,
            is_filled: false,
            waker: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the value, and wakes whoever waits. Only the first one counts.
    pub(crate) fn put(&self, value: T) {
        let mut state = self.state();
        if state.is_filled {
            return;
        }
        (state.value, state.is_filled) = (Some(value), true);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Whether a value was put.
    pub(crate) fn is_filled(&self) -> bool {
        self.state().is_filled
    }

    /// Waits for the value.
    pub(crate) async fn wait(&self) -> T {
        poll_fn(|context| {
            let mut state = self.state();
            match state.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}
