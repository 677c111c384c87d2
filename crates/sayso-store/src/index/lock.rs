//! Who uses the index and who may replace its file: SQLite breaks where a file in use gets another name.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{IndexError, PATIENCE};
use crate::folder::{Action, Folder};

/// The file that is locked; it stays empty.
const LOCK: &str = "index.lock";
const SLEEP: Duration = Duration::from_millis(5);

/// A share in the index, or all of it, until the last of its clones is dropped.
#[derive(Clone, Debug)]
pub(super) struct Held(Arc<File>);

impl Held {
    /// Uses the index, with others who do.
    pub(super) fn shared(state: &Folder) -> Result<Held, IndexError> {
        wait(state, File::try_lock_shared)
    }

    /// Waits until nobody else uses it.
    pub(super) fn alone(state: &Folder) -> Result<Held, IndexError> {
        wait(state, File::try_lock)
    }

    /// Gives the share back early.
    pub(super) fn release(&self) -> Result<(), IndexError> {
        self.0.unlock().map_err(failed(Action::Unlock))
    }

    /// Lets others use it again.
    pub(super) fn share(&self) -> Result<(), IndexError> {
        self.0.lock_shared().map_err(failed(Action::Lock))
    }
}

fn failed(action: Action) -> impl Fn(io::Error) -> IndexError {
    move |source| IndexError::Lock { action, source }
}

fn wait(
    state: &Folder,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Held, IndexError> {
    let file = state.append(LOCK)?;
    let start = Instant::now();
    loop {
        match lock(&file) {
            Ok(()) => return Ok(Held(Arc::new(file))),
            Err(TryLockError::Error(error)) => {
                return Err(failed(Action::Lock)(error));
            }
            Err(TryLockError::WouldBlock) if start.elapsed() >= PATIENCE => {
                return Err(IndexError::InUse);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(SLEEP),
        }
    }
}
