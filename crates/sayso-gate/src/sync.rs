//! Locks of the queue: those of the standard library, or under the feature `shuttle` those of a scheduler that tries many orders.

#[cfg(not(feature = "shuttle"))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};

#[cfg(feature = "shuttle")]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
