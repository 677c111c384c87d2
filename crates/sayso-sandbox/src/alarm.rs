//! A time after which a process says its last words and ends, whatever it is doing: for a hook, whose late answer would be none.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

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

static WORDS: OnceLock<LastWords> = OnceLock::new();
static SPOKEN: AtomicBool = AtomicBool::new(false);

/// Sets the alarm: a signal and no thread, since a thread takes longer to start than most answers take. It is set once in a process.
///
/// # Errors
/// When there is one already, or the system refuses.
pub fn set(seconds: u32, words: LastWords) -> io::Result<()> {
    WORDS.set(words).map_err(|_| io::Error::other("an alarm is set already"))?;
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the handler only reads what is set for good and calls what may be called there; whoever started this process may have had
    // the signal blocked, so it is let through. All that is handed over is there until the calls are done.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ring as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, libc::SIGALRM);
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut())
            | libc::sigprocmask(libc::SIG_UNBLOCK, &raw const signals, std::ptr::null_mut())
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
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

extern "C" fn ring(_: libc::c_int) {
    if let Some(words) = WORDS.get()
        && may_speak()
    {
        for (stream, text) in [(libc::STDOUT_FILENO, &words.out), (libc::STDERR_FILENO, &words.error)] {
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
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: nothing is cleaned up, which is what a handler of a signal may do.
        unsafe {
            libc::_exit(libc::c_int::from(words.code));
        }
    }
}
