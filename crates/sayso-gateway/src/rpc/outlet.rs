//! The way to the client: what the server says goes straight through, and what the gateway itself has to say waits for its turn.
//!
//! A client that only writes, and reads nothing, must not hold up the thread that reads from it: then neither would ever go on.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::GatewayError;

/// So many bytes of our own may wait; whoever has more to say waits, too.
const MOST_WAITING: usize = 64 << 20;

/// The way to the client.
pub(crate) struct Outlet {
    out: Mutex<Box<dyn Write + Send>>,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// One of them is being written.
    is_busy: bool,
    /// Nobody reads any more.
    is_broken: bool,
}

impl Outlet {
    /// Starts the thread that says what is our own.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub(crate) fn start(out: Box<dyn Write + Send>) -> Result<Arc<Outlet>, GatewayError> {
        let outlet = Arc::new(Outlet {
            out: Mutex::new(out),
            waiting: Mutex::default(),
            changed: Condvar::new(),
        });
        let own = Arc::clone(&outlet);
        let spawned = std::thread::Builder::new()
            .name("outlet".to_owned())
            .spawn(move || own.say_all());
        spawned.map(|_| outlet).map_err(GatewayError::Thread)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes bytes on as they are, now. False if nobody reads them.
    pub(crate) fn pass(&self, bytes: &[u8]) -> bool {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(bytes).and_then(|()| out.flush()).is_ok()
    }

    /// Says something of our own, soon.
    pub(crate) fn say(&self, line: Vec<u8>) {
        let mut waiting = self.waiting();
        while waiting.bytes > MOST_WAITING && !waiting.is_broken {
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.is_broken {
            return;
        }
        waiting.bytes += line.len();
        waiting.lines.push_back(line);
        self.changed.notify_all();
    }

    fn say_all(&self) {
        loop {
            let mut waiting = self.waiting();
            let line = loop {
                match waiting.lines.pop_front() {
                    Some(line) => break line,
                    None => {
                        waiting = self
                            .changed
                            .wait(waiting)
                            .unwrap_or_else(PoisonError::into_inner)
                    }
                }
            };
            waiting.bytes = waiting.bytes.saturating_sub(line.len());
            waiting.is_busy = true;
            drop(waiting);
            let is_broken = !self.pass(&line);
            let mut waiting = self.waiting();
            waiting.is_busy = false;
            if is_broken {
                waiting.is_broken = true;
                waiting.lines.clear();
                waiting.bytes = 0;
            }
            self.changed.notify_all();
        }
    }

    /// Waits until everything of our own was said, or nobody reads any more, but not longer than this.
    pub(crate) fn finish(&self, longest: Duration) {
        let until = Instant::now() + longest;
        let mut waiting = self.waiting();
        while (!waiting.lines.is_empty() || waiting.is_busy)
            && !waiting.is_broken
            && Instant::now() < until
        {
            waiting = self
                .changed
                .wait_timeout(waiting, longest)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}
