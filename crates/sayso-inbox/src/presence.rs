//! Who looks at a screen of the inbox. An open connection is no person: a page says so while it is visible and somebody moved in it lately, and
//! `sayso watch` while somebody pressed a key lately. Where nobody does, hooks leave the question to the agent's own dialog.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A screen that has not said for so long that somebody looks at it counts as left.
pub const LASTS: Duration = Duration::from_secs(40);
/// So often a screen says it.
pub const EVERY: Duration = Duration::from_secs(15);
/// A person who has pressed or moved nothing for so long counts as gone.
pub const IDLE: Duration = Duration::from_secs(5 * 60);
/// So many screens are kept in mind.
const MAX_SCREENS: usize = 1024;

/// The screens that somebody looks at, each until when.
#[derive(Default)]
pub(super) struct Presence(Mutex<HashMap<String, Instant>>);

impl Presence {
    /// Somebody looks at a screen, or left it.
    pub(super) fn tell(&self, screen: String, is_here: bool, now: Instant) {
        let mut screens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        screens.retain(|_, until| *until > now);
        if !is_here {
            screens.remove(&screen);
        } else if screens.len() < MAX_SCREENS || screens.contains_key(&screen) {
            screens.insert(screen, now + LASTS);
        }
    }

    /// How many screens somebody looks at.
    pub(super) fn count(&self, now: Instant) -> usize {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .filter(|until| **until > now)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_counts_until_it_is_left_or_silent() {
        let (presence, start) = (Presence::default(), Instant::now());
        let tell = |screen: &str, is_here, now| presence.tell(screen.to_owned(), is_here, now);
        tell("a", true, start);
        tell("b", true, start);
        assert_eq!(presence.count(start), 2);
        tell("b", false, start);
        assert_eq!(presence.count(start), 1);
        tell("a", true, start + EVERY);
        assert_eq!(presence.count(start + LASTS), 1);
        assert_eq!(presence.count(start + EVERY + LASTS), 0);
    }
}
