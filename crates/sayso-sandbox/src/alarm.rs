//! A time after which a process says its last words and ends, whatever it is doing: for a hook, whose late answer would be none. A signal
//! that would end it earlier gets the same answer.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::signals;

/// What is said when the time is up.
#[derive(Debug)]
pub struct LastWords {
    /// On the output.
    pub out: String,
    /// On the error stream.
    pub error: String,
    /// The status.
    pub code: u8,
}

/// The status of a denial where no words were set.
const DENIED: u8 = 2;

static WORDS: OnceLock<LastWords> = OnceLock::new();
static SPOKEN: AtomicBool = AtomicBool::new(false);

/// Sets the alarm, and the same last words for every signal that would end the process before it has answered. It is set once in a process.
/// Signals and no thread: a thread takes longer to start than most answers take.
///
/// # Errors
/// When there is one already, or the system refuses.
pub fn set(seconds: u32, words: LastWords) -> io::Result<()> {
    WORDS
        .set(words)
        .map_err(|_| io::Error::other("an alarm is set already"))?;
    signals::handle_ends(end)?;
    signals::before_cpu_limit()?;
    start(seconds);
    Ok(())
}

/// Takes the alarm back: from here on something else watches the time.
pub fn off() {
    start(0);
}

/// Whether the caller is the first to speak. Two answers would be none, so whoever is second is silent.
pub fn may_speak() -> bool {
    !SPOKEN.swap(true, Ordering::SeqCst)
}

fn start(seconds: u32) {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: a number only.
    unsafe {
        libc::alarm(seconds);
    }
}

/// Ends the process with its last words. An answer that was begun before is finished, unless the process cannot go on or is out of time: then the
/// status denies.
extern "C" fn end(signal: libc::c_int) {
    let code = WORDS.get().map_or(DENIED, |words| words.code);
    if may_speak() {
        if let Some(words) = WORDS.get() {
            write_all(libc::STDOUT_FILENO, &words.out);
            write_all(libc::STDERR_FILENO, &words.error);
        }
        exit(code);
    }
    if signals::ends_at_once(signal) {
        exit(code);
    }
}

fn write_all(stream: libc::c_int, text: &str) {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: the bytes are there, and a handler of a signal may write.
        let written = unsafe { libc::write(stream, left.as_ptr().cast(), left.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => left = left.get(written..).unwrap_or_default(),
            _ => break,
        }
    }
}

fn exit(code: u8) -> ! {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: nothing is cleaned up, which is what a handler of a signal may do.
    unsafe {
        libc::_exit(libc::c_int::from(code))
    }
}
