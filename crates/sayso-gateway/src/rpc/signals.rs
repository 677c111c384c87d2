//! What reaches a process behind a gateway besides its streams: signals, and that nobody listens any more.

use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use crate::error::GatewayError;
use sayso_runtime::child_process as child;

/// Starts a thread.
///
/// # Errors
/// When there is none.
pub(crate) fn thread(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> Result<(), GatewayError> {
    let spawned = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(stack)
        .spawn(work);
    spawned.map(drop).map_err(GatewayError::Thread)
}

/// Whether the other end of our output is closed.
pub(crate) fn nobody_reads() -> bool {
    let stdout = std::io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut polled, Some(&now)).is_ok()
        && polled.iter().any(|fd| {
            fd.revents()
                .intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
        })
}

/// Signals that are for the process behind us.
pub(crate) struct Signals(Vec<(Signal, UnixStream)>);

impl Signals {
    /// Catches them.
    ///
    /// # Errors
    /// When they cannot be caught.
    pub(crate) fn catch() -> Result<Signals, GatewayError> {
        let failed = GatewayError::Signals;
        let mut all = Vec::new();
        for signal in [
            Signal::TERM,
            Signal::INT,
            Signal::HUP,
            Signal::QUIT,
            Signal::USR1,
            Signal::USR2,
        ] {
            let (ours, theirs) = UnixStream::pair().map_err(failed)?;
            signal_hook::low_level::pipe::register(signal.as_raw(), theirs).map_err(failed)?;
            all.push((signal, ours));
        }
        Ok(Signals(all))
    }

    /// Passes them on, for ever.
    pub(crate) fn pass_on(mut self, process: u32) {
        loop {
            let mut polled: Vec<PollFd<'_>> = self
                .0
                .iter()
                .map(|(_, stream)| PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::IN))
                .collect();
            if poll(&mut polled, None).is_err() {
                continue;
            }
            let ready: Vec<bool> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
            for ((signal, stream), _) in self.0.iter_mut().zip(ready).filter(|(_, ready)| *ready) {
                let mut bytes = [0; 16];
                // Several of one kind count once, as with signals.
                let _ = stream.read(&mut bytes);
                child::pass_on(process, *signal);
            }
        }
    }
}
