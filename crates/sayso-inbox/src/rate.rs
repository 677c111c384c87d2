//! How fast somebody may go on: so many at once, and so many a second after that.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A limit.
#[derive(Debug)]
pub(super) struct Rate {
    burst: f64,
    a_second: f64,
    left: Mutex<(f64, Instant)>,
}

impl Rate {
    /// So many at once, and so many a second.
    pub(super) fn new(burst: u32, a_second: f64) -> Rate {
        Rate {
            burst: f64::from(burst),
            a_second,
            left: Mutex::new((f64::from(burst), Instant::now())),
        }
    }

    /// Whether one more is possible now; it is taken with that.
    pub(super) fn takes(&self) -> bool {
        self.takes_at(Instant::now())
    }

    fn takes_at(&self, now: Instant) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let since = now.saturating_duration_since(left.1).as_secs_f64();
        let have = (left.0 + since * self.a_second).min(self.burst);
        let takes = have >= 1.0;
        *left = (if takes { have - 1.0 } else { have }, now.max(left.1));
        takes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_and_then_so_many_a_second() {
        let start = Instant::now();
        let rate = Rate {
            left: Mutex::new((3.0, start)),
            ..Rate::new(3, 2.0)
        };
        let taken = |at: u64| {
            (0..10)
                .filter(|_| rate.takes_at(start + Duration::from_millis(at)))
                .count()
        };
        assert_eq!(
            [taken(0), taken(400), taken(500), taken(5_000), taken(5_100)],
            [3, 0, 1, 3, 0]
        );
        assert!(
            !rate.takes_at(start),
            "a clock that goes back gives nothing"
        );
    }
}
