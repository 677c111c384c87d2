//! The way to a process behind a gateway.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use super::drive_call::SendError;

/// The way to a process over a pipe; none when it is closed.
pub(crate) struct Pipe(Mutex<Option<Box<dyn Write + Send>>>);

impl Pipe {
    pub(crate) fn new(to: impl Write + Send + 'static) -> Pipe {
        Pipe(Mutex::new(Some(Box::new(to))))
    }

    /// Passes bytes on as they are.
    ///
    /// # Errors
    /// When nobody reads them.
    pub(crate) fn pass(&self, bytes: &[u8]) -> Result<(), SendError> {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = pipe.as_mut().ok_or(SendError::Closed)?;
        pipe.write_all(bytes)
            .and_then(|()| pipe.flush())
            .map_err(SendError::Unread)
    }

    /// Says that nothing more comes.
    pub(crate) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
