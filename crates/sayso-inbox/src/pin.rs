//! The PIN for answers that reach further than once, and for dangerous ones: kept as a slow digest, and tried only a few times.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sayso_core::text::digest::Digest;
use sha2::Sha256;

use super::error::PinError;
use super::secret::{Secret, same};
use sayso_runtime::inbox_client::folder::Home;

const FILE: &str = "pin";
/// So often the digest is taken again, which makes guessing slow.
const ROUNDS: u32 = 200_000;
/// After so many wrong ones nobody may try for a while.
const MOST_WRONG: u32 = 5;
const PAUSE: Duration = Duration::from_secs(60);

/// The PIN, and how often it was wrong.
#[derive(Default)]
pub(super) struct Pin(Mutex<(u32, Option<Instant>)>);

/// Why a PIN does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is another one.
    Other,
    /// It was wrong too often.
    Paused,
}

/// Sets the PIN, or takes it away where it is empty.
///
/// # Errors
/// When it is too short or too long, or cannot be kept.
pub fn set(home: &Home, pin: &str) -> Result<(), PinError> {
    if pin.is_empty() {
        let removed = home.folder().remove(FILE);
        return removed.map_err(|error| PinError::Home(error.into()));
    }
    if !(4..=64).contains(&pin.chars().count()) {
        return Err(PinError::Length);
    }
    let salt = Secret::fresh()?;
    let digest = slow(pin, salt.word(), ROUNDS);
    home.put(FILE, &format!("{ROUNDS} {} {digest}\n", salt.word()))
        .map_err(|error| PinError::Home(error.into()))
}

impl Pin {
    /// Whether there is one. A file that cannot be read is one that nobody knows.
    pub(super) fn is_set(home: &Home) -> bool {
        !matches!(home.get(FILE), Ok(None))
    }

    /// Whether this is it. It takes its time, so it is not called where others wait.
    pub(super) fn check(&self, home: &Home, given: &str) -> Result<(), Wrong> {
        {
            let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if tries.1.is_some_and(|since| since.elapsed() < PAUSE) && tries.0 >= MOST_WRONG {
                return Err(Wrong::Paused);
            }
            if tries.0 >= MOST_WRONG {
                tries.0 = 0;
            }
            // Counted before it is compared: many at once are as many tries.
            *tries = (tries.0 + 1, Some(Instant::now()));
        }
        let text = home.get(FILE).ok().flatten().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        let (rounds, salt, digest) = (
            words.next().and_then(|rounds| rounds.parse().ok()),
            words.next(),
            words.next(),
        );
        let (Some(rounds), Some(salt), Some(digest)) = (rounds, salt, digest) else {
            return Err(Wrong::Other);
        };
        if !same(digest.as_bytes(), slow(given, salt, rounds).as_bytes()) {
            return Err(Wrong::Other);
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0 = 0;
        Ok(())
    }
}

/// PBKDF2 with HMAC-SHA-256, one block.
fn slow(pin: &str, salt: &str, rounds: u32) -> String {
    let keyed = |message: &[&[u8]]| -> [u8; 32] {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(pin.as_bytes()) else {
            return [0; 32];
        };
        message.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    };
    let mut last = keyed(&[salt.as_bytes(), &[0, 0, 0, 1]]);
    let mut all = last;
    for _ in 1..rounds {
        last = keyed(&[&last]);
        all.iter_mut()
            .zip(last)
            .for_each(|(one, other)| *one ^= other);
    }
    let hex: String = all.iter().map(|byte| format!("{byte:02x}")).collect();
    debug_assert!(Digest::from_hex(hex.as_bytes()).is_some());
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_pbkdf2() {
        assert_eq!(
            slow("password", "salt", 1),
            "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"
        );
        assert_eq!(
            slow("password", "salt", 4096),
            "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"
        );
    }

    #[test]
    fn a_pin_counts_and_a_wrong_one_does_so_only_a_few_times() {
        let scratch = tempfile::tempdir().unwrap();
        let state = std::fs::canonicalize(scratch.path()).unwrap().join("sayso");
        let home = Home::open(&state).unwrap();
        assert!(!Pin::is_set(&home));
        assert!(set(&home, "123").is_err());
        set(&home, "2468").unwrap();
        assert!(Pin::is_set(&home));
        let pin = Pin::default();
        assert_eq!(pin.check(&home, "2468"), Ok(()));
        for _ in 0..MOST_WRONG {
            assert_eq!(pin.check(&home, "1357"), Err(Wrong::Other));
        }
        assert_eq!(pin.check(&home, "2468"), Err(Wrong::Paused));
        set(&home, "").unwrap();
        assert!(!Pin::is_set(&home));
    }
}
