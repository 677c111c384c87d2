//! Ids of calls, prompts, grants and batches: never used twice, and not to be guessed.

use std::sync::atomic::{AtomicU64, Ordering};

/// Makes ids.
#[derive(Debug)]
pub struct Ids {
    start: u64,
    next: AtomicU64,
}

impl Ids {
    /// A maker of ids of its own.
    pub fn new() -> Self {
        Ids {
            start: random(),
            next: AtomicU64::new(1),
        }
    }

    /// The next id.
    pub fn next(&self, kind: &str) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{kind}-{:016x}-{number}-{:08x}", self.start, random() >> 32)
    }
}

impl Default for Ids {
    fn default() -> Self {
        Self::new()
    }
}

/// Every [`RandomState`](std::hash::RandomState) has keys from the operating system; the hash of nothing under them is a random number.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::hash::RandomState::new().build_hasher().finish()
}
