//! The terminal of the person while a prompt stands on it: taken over for keys, and given back whatever happens.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use crate::draw::Frame;
use crate::paint::Painter;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetwinsize, tcsetattr,
};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::low_level::{emulate_default_handler, pipe};

/// Pastes are told apart from typing.
const PASTES_MARKED: &[u8] = b"\x1b[?2004h";
/// And no longer.
const PASTES_UNMARKED: &[u8] = b"\x1b[?2004l";
/// A terminal that does not say how large it is.
const USUAL: (u16, u16) = (80, 24);

/// Whether a prompt has the screen.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);
/// What broke meanwhile, to be told as soon as the screen is given back: in the middle of a prompt nobody could read it, and nothing of
/// the prompt would be where it was painted.
static BROKEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the words of a panic back while a prompt has the screen.
fn keep_panics_back() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            match IS_TAKEN.load(Ordering::SeqCst) {
                true => BROKEN
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(info.to_string()),
                false => before(info),
            }
        }));
    });
}

/// The terminal, opened by its own name: what is piped into sayso can answer nothing (H-72).
pub struct Tty {
    file: File,
    /// Something is to be read here after each signal.
    signals: UnixStream,
    /// The other end of it.
    end: UnixStream,
    /// Whether a prompt has the terminal; without one, Ctrl-Z does what it always did.
    idle: Arc<AtomicBool>,
    suspended: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

/// What happened at the terminal.
pub enum Event {
    /// Bytes came from the keyboard.
    Bytes(Vec<u8>),
    /// A signal came.
    Signal,
    /// Nothing, for as long as was waited.
    Nothing,
    /// There is no terminal any more.
    Lost,
}

impl Tty {
    /// Opens the terminal, and listens to the signals that concern it.
    pub fn open() -> io::Result<Tty> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let (signals, end) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        for signal in [SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP] {
            pipe::register(signal, end.try_clone()?)?;
        }
        let flag = || Arc::new(AtomicBool::new(false));
        let (idle, suspended, continued) = (Arc::new(AtomicBool::new(true)), flag(), flag());
        signal_hook::flag::register_conditional_default(SIGTSTP, Arc::clone(&idle))?;
        signal_hook::flag::register(SIGTSTP, Arc::clone(&suspended))?;
        signal_hook::flag::register(SIGCONT, Arc::clone(&continued))?;
        Ok(Tty {
            file,
            signals,
            end,
            idle,
            suspended,
            continued,
        })
    }

    /// Wakes whoever waits at the terminal, as a signal does: a byte that is written to it is enough.
    ///
    /// # Errors
    /// When there are no more files to open.
    pub fn waker(&self) -> io::Result<UnixStream> {
        let waker = self.end.try_clone()?;
        // Where it is full, somebody wakes up anyway.
        waker.set_nonblocking(true)?;
        Ok(waker)
    }

    /// Takes the terminal over.
    pub fn take(&mut self) -> io::Result<Taken<'_>> {
        for flag in [&self.suspended, &self.continued] {
            flag.store(false, Ordering::SeqCst);
        }
        let before = tcgetattr(&self.file)?;
        keep_panics_back();
        let mut taken = Taken {
            tty: self,
            before,
            painter: Painter::default(),
            was_signal: false,
        };
        taken.enter()?;
        Ok(taken)
    }
}

/// The terminal, taken over. However this ends, the person gets it back as it was.
pub struct Taken<'a> {
    tty: &'a mut Tty,
    before: Termios,
    painter: Painter,
    /// What happened last was a signal.
    was_signal: bool,
}

impl Taken<'_> {
    fn enter(&mut self) -> io::Result<()> {
        self.tty.idle.store(false, Ordering::SeqCst);
        IS_TAKEN.store(true, Ordering::SeqCst);
        let mut raw = self.before.clone();
        raw.make_raw();
        tcsetattr(&self.tty.file, OptionalActions::Now, &raw)?;
        self.write(PASTES_MARKED)
    }

    fn leave(&mut self) {
        // Where the terminal is gone there is nothing to give back.
        let cleared = self.painter.clear();
        let _ = self.write(&cleared);
        let _ = self.write(PASTES_UNMARKED);
        let _ = tcsetattr(&self.tty.file, OptionalActions::Now, &self.before);
        self.tty.idle.store(true, Ordering::SeqCst);
        IS_TAKEN.store(false, Ordering::SeqCst);
        for words in BROKEN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            // Where there is nobody to read it, it is lost.
            let _ = writeln!(
                io::stderr(),
                "{}",
                sayso_core::text::visible::visible_block(&words)
            );
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        match tcgetwinsize(&self.tty.file) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => USUAL,
        }
    }

    /// Brings a frame to the screen.
    pub fn show(&mut self, frame: Frame, rows: u16) -> io::Result<()> {
        let bytes = self.painter.paint(frame, rows);
        self.write(&bytes)
    }

    /// The next frame is painted whole.
    pub fn repaint(&mut self) {
        self.painter.forget();
    }

    /// Writes something that is no frame, such as a bell.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tty.file.write_all(bytes)?;
        self.tty.file.flush()
    }

    /// Forgets what was typed and not read. Tells whether anything was.
    pub fn forget_typed(&self) -> io::Result<bool> {
        let typed = poll(
            &mut [PollFd::new(&self.tty.file, PollFlags::IN)],
            Some(&Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            }),
        ) != Ok(0);
        tcflush(&self.tty.file, QueueSelector::IFlush)?;
        Ok(typed)
    }

    /// Waits for something, no longer than this.
    pub fn wait(&mut self, longest: Option<Duration>) -> io::Result<Event> {
        let longest = longest.map(|longest| Timespec {
            tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        });
        let mut ready = [
            PollFd::new(&self.tty.file, PollFlags::IN),
            PollFd::new(&self.tty.signals, PollFlags::IN),
        ];
        match poll(&mut ready, longest.as_ref()) {
            Ok(0) => return Ok(Event::Nothing),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Event::Signal),
            Err(error) => return Err(error.into()),
        }
        let [keyboard, signals] = ready.map(|one| one.revents());
        // A signal comes before keys: the terminal may have been somebody else's. But whoever wakes without end does not silence the keyboard.
        let is_turn_of_keys = std::mem::take(&mut self.was_signal) && !keyboard.is_empty();
        if !signals.is_empty() && !is_turn_of_keys {
            self.was_signal = true;
            // How many there were does not matter.
            while matches!((&self.tty.signals).read(&mut [0; 64]), Ok(count) if count > 0) {}
            return Ok(Event::Signal);
        }
        if keyboard.is_empty() {
            return Ok(Event::Nothing);
        }
        let mut bytes = [0u8; 1024];
        match self.tty.file.read(&mut bytes) {
            Ok(0) => Ok(Event::Lost),
            Ok(count) => Ok(Event::Bytes(
                bytes.get(..count).unwrap_or_default().to_vec(),
            )),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Event::Signal),
            Err(_) => Ok(Event::Lost),
        }
    }

    /// Whether something follows in this moment.
    pub fn follows(&self, moment: Duration) -> io::Result<bool> {
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: moment.subsec_nanos().into(),
        };
        let mut ready = [PollFd::new(&self.tty.file, PollFlags::IN)];
        Ok(poll(&mut ready, Some(&moment)).unwrap_or_default() > 0)
    }

    /// Gives the terminal back and stops, until somebody goes on with sayso.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.leave();
        emulate_default_handler(SIGTSTP)?;
        self.resume()
    }

    /// The terminal may have been somebody else's in between.
    fn resume(&mut self) -> io::Result<()> {
        self.tty.suspended.store(false, Ordering::SeqCst);
        self.tty.continued.store(false, Ordering::SeqCst);
        self.enter()
    }

    /// After a signal: whether sayso was stopped in between, by somebody else or because it was asked to.
    pub fn was_away(&mut self) -> io::Result<bool> {
        if self.tty.suspended.swap(false, Ordering::SeqCst) {
            self.suspend()?;
            return Ok(true);
        }
        if self.tty.continued.swap(false, Ordering::SeqCst) {
            self.painter.forget();
            self.resume()?;
            return Ok(true);
        }
        Ok(false)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
