//! The time that a hook has: shorter than any agent waits, since an answer that comes too late is none, and then the tool runs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sayso_sandbox::alarm::{self, LastWords};

use super::error::ClockError;

/// So long the judge may take. Shorter than any agent waits for an answer.
const JUDGE: u32 = 25;
/// Where the agent's settings say how long it waits, the answer is there so much earlier.
const MARGIN: u64 = 15;
/// So long before the hook has to have answered, it stops waiting for people.
const LAST: Duration = Duration::from_secs(1);
/// So long the hook has after an answer of a person.
const AFTER: Duration = Duration::from_secs(1);
/// The status that every agent takes for a denial.
const DENIED: i32 = 2;
/// The thread that watches the time does little; a large stack would only take time to set up.
const SMALL_STACK: usize = 128 << 10;

/// When this process has to have answered.
static END: OnceLock<Instant> = OnceLock::new();

/// Says that the time is over, and gives the status that says so, too.
static TOO_LATE: OnceLock<TooLate> = OnceLock::new();

/// What the agent is answered when the time is over.
#[derive(Clone, Copy, Debug)]
pub struct TooLate {
    /// The answer, made ahead.
    pub words: fn() -> LastWords,
    /// Says it, and gives its status.
    pub say: fn() -> u8,
}

/// Whether a question is with people: then it takes as long as people take.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Starts the time, for an agent that waits so many seconds, if it says.
///
/// # Errors
/// When the time cannot be watched.
pub fn start(wait: Option<u64>, too_late: TooLate) -> Result<(), ClockError> {
    let all = wait.map_or(u64::from(JUDGE), |wait| wait.saturating_sub(MARGIN));
    // Said once, before anything else is done.
    let _ = END.set(Instant::now() + Duration::from_secs(all));
    let _ = TOO_LATE.set(too_late);
    let judge = u32::try_from(all).unwrap_or(JUDGE).clamp(1, JUDGE);
    Ok(alarm::set(judge, (too_late.words)())?)
}

/// Until when people may take to answer.
pub(crate) fn for_people() -> Instant {
    let end = END
        .get()
        .copied()
        .unwrap_or_else(|| Instant::now() + Duration::from_secs(20));
    end.checked_sub(LAST).unwrap_or(end)
}

/// Asks people: they take longer than the judge, and what they said still has to be written down.
///
/// # Errors
/// When the time cannot be watched meanwhile; then nobody is asked.
pub(crate) fn with_people<T>(ask: impl FnOnce() -> T) -> Result<T, ClockError> {
    IS_OPEN.store(true, Ordering::SeqCst);
    if let Some(end) = END.get().copied() {
        // A thread can look whether they still think; a signal would break into the waiting.
        std::thread::Builder::new()
            .stack_size(SMALL_STACK)
            .spawn(move || watch(end))?;
        alarm::off();
    }
    let answered = ask();
    IS_OPEN.store(false, Ordering::SeqCst);
    Ok(answered)
}

fn watch(end: Instant) {
    let mut last = Instant::now();
    while Instant::now() < end && last.elapsed() < AFTER {
        if IS_OPEN.load(Ordering::SeqCst) {
            last = Instant::now();
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    if alarm::may_speak() {
        let status = TOO_LATE
            .get()
            .map_or(DENIED, |late| i32::from((late.say)()));
        std::process::exit(status);
    }
}
