//! Until when an answer is waited for, and how long what is typed does not count; the time itself is told by whoever asks.

use std::time::{Duration, Instant};

/// What was typed before the question stood there for so long does not count (I-11).
pub const ARMING: Duration = Duration::from_millis(300);
/// Keys put the end off, but not beyond so many times the whole wait, as at every other screen.
const LONGEST_WAIT: u32 = 4;

/// When a prompt is denied because nobody answers.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wait: Option<Duration>,
    due: Option<Instant>,
    last: Option<Instant>,
}

impl Clock {
    /// Starts to wait for so many seconds; none waits for ever.
    pub fn start(seconds: Option<u64>, now: Instant) -> Self {
        let wait = seconds.map(Duration::from_secs);
        let after = |wait: Duration| now.checked_add(wait);
        Clock {
            wait,
            due: wait.and_then(after),
            last: wait.and_then(|wait| after(wait.saturating_mul(LONGEST_WAIT))),
        }
    }

    /// Waits until then, whatever happens here: somebody else keeps the time, and moves it. None waits for ever.
    pub fn until(due: Option<Instant>) -> Self {
        Clock {
            wait: None,
            due,
            last: due,
        }
    }

    /// Somebody is at the prompt.
    pub fn activity(&mut self, now: Instant) {
        if let (Some(wait), Some(due), Some(last)) = (self.wait, self.due, self.last) {
            self.due = now.checked_add(wait).map(|later| later.min(last).max(due));
        }
    }

    /// What is left, none for ever; zero when the time is up.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(now))
    }

    /// The seconds that are left, as a countdown shows them: the last of them is 1.
    pub fn seconds(&self, now: Instant) -> Option<u64> {
        self.left(now)
            .map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }

    /// How long until the countdown shows something else.
    pub fn next_change(&self, now: Instant) -> Option<Duration> {
        let left = self.left(now)?;
        let part = Duration::from_nanos(u64::from(left.subsec_nanos()));
        Some(
            if part.is_zero() {
                left.min(Duration::from_secs(1))
            } else {
                part
            } + Duration::from_millis(1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_01_keys_put_the_end_off_up_to_a_limit() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut clock = Clock::start(Some(30), start);
        assert_eq!(clock.seconds(start), Some(30));
        clock.activity(at(20));
        assert_eq!(clock.seconds(at(20)), Some(30));
        clock.activity(at(110));
        assert_eq!(
            clock.seconds(at(110)),
            Some(10),
            "no longer than four times the wait"
        );
        assert_eq!(clock.left(at(130)), Some(Duration::ZERO));
        assert_eq!(clock.seconds(at(119) + Duration::from_millis(500)), Some(1));
        assert_eq!(
            clock.next_change(at(119) + Duration::from_millis(500)),
            Some(Duration::from_millis(501))
        );
        let mut kept_elsewhere = Clock::until(Some(at(40)));
        kept_elsewhere.activity(at(30));
        assert_eq!(
            kept_elsewhere.seconds(at(30)),
            Some(10),
            "keys here do not move it"
        );
        let mut never = Clock::start(None, start);
        never.activity(at(5));
        assert_eq!((never.left(at(9)), never.next_change(at(9))), (None, None));
    }
}
