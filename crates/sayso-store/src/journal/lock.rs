//! The lock that lets one process at a time write: it goes away with its holder, however that ends.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use super::error::LockError;

/// A lock that is held until this is dropped.
pub(crate) struct Held<'a>(&'a File);

/// How many times the processor is only given away before the waiting becomes sleeping: an append takes microseconds.
const YIELDS: u32 = 20;
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);
const LONGEST_SLEEP: Duration = Duration::from_millis(2);

/// Waits for the lock, but not longer than this.
pub(crate) fn hold<'a>(file: &'a File, patience: Duration) -> Result<Held<'a>, LockError> {
    let start = Instant::now();
    let mut tries = 0;
    let mut sleep = SHORTEST_SLEEP;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Held(file)),
            Err(TryLockError::Error(error)) => {
                return Err(LockError::Io(error));
            }
            Err(TryLockError::WouldBlock) => {}
        }
        tries += 1;
        if tries <= YIELDS {
            std::thread::yield_now();
            continue;
        }
        if start.elapsed() >= patience {
            return Err(LockError::Patience(patience));
        }
        std::thread::sleep(sleep);
        sleep = (sleep * 2).min(LONGEST_SLEEP);
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Closing the file would do it, too; there is nobody to tell.
        let _unlocked = self.0.unlock();
    }
}
