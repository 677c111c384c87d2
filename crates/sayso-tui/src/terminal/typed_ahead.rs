//! Input that was typed before a question stood on the terminal: found out about, and thrown away.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, tcflush, tcgetattr, tcsetattr,
};

/// What was typed before the prompt stood there for so long does not count (I-11).
const ARMING: Duration = Duration::from_millis(300);

/// Whether there is a terminal that a person sits at: one that is looked at, and one that can be asked.
pub fn is_there() -> bool {
    (io::stdout().is_terminal() || io::stderr().is_terminal()) && open().is_ok()
}

/// The terminal, opened by its own name.
///
/// # Errors
/// When there is none.
pub fn open() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// Lets a question stand there for a moment, and forgets what was typed until then. Tells whether anything was.
///
/// # Errors
/// When the terminal cannot be asked.
pub fn forget_typed(tty: &impl AsFd) -> io::Result<bool> {
    std::thread::sleep(ARMING);
    let typed = is_typed(tty, Duration::ZERO)?;
    tcflush(tty, QueueSelector::IFlush)?;
    Ok(typed)
}

/// Whether something was typed by now, or is in a moment: also a line without an end, which a terminal keeps for itself while it gives
/// lines.
///
/// # Errors
/// When the terminal cannot be asked.
pub fn is_typed(tty: &impl AsFd, moment: Duration) -> io::Result<bool> {
    let lines = tcgetattr(tty)?;
    let mut bytes = lines.clone();
    bytes.local_modes.remove(LocalModes::ICANON);
    bytes.special_codes[SpecialCodeIndex::VMIN] = 1;
    bytes.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(tty, OptionalActions::Now, &bytes)?;
    let moment = Timespec {
        tv_sec: 0,
        tv_nsec: moment.subsec_nanos().into(),
    };
    let found = poll(&mut [PollFd::new(tty, PollFlags::IN)], Some(&moment));
    tcsetattr(tty, OptionalActions::Now, &lines)?;
    match found {
        Ok(count) => Ok(count > 0),
        // Unknown counts as typed, so it is asked again.
        Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
