//! Browsers that were let in: by a code that is good once, then by a cookie and a key that have to come together.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::error::RandomError;
use super::now_ms;
use super::secret::{Secret, same};

/// So long a link is good, in milliseconds.
const LINK: i64 = 10 * 60 * 1000;
/// So long a browser stays let in.
pub(super) const LOGIN: i64 = 12 * 60 * 60 * 1000;
/// So many links may wait, and so many browsers be let in; more than that push out the oldest.
const MOST: usize = 64;

/// Links and logins.
#[derive(Default)]
pub(super) struct Logins(Mutex<State>);

#[derive(Default)]
struct State {
    codes: Vec<(Secret, i64)>,
    browsers: HashMap<u64, Browser>,
    next: u64,
}

struct Browser {
    cookie: Secret,
    key: Secret,
    ends: i64,
}

/// A browser that was just let in.
pub(super) struct LetIn {
    pub name: String,
    pub cookie: Secret,
    pub key: Secret,
    pub ends: i64,
}

impl Logins {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A code for a link, and until when it is good.
    pub(super) fn code(&self) -> Result<(Secret, i64), RandomError> {
        let (code, ends) = (Secret::fresh()?, now_ms() + LINK);
        let mut state = self.state();
        state.codes.retain(|(_, ends)| *ends > now_ms());
        if state.codes.len() >= MOST {
            state.codes.remove(0);
        }
        state.codes.push((code.clone(), ends));
        Ok((code, ends))
    }

    /// Lets a browser in by a code, which is used up with that.
    pub(super) fn let_in(&self, code: &str) -> Result<Option<LetIn>, RandomError> {
        let (cookie, key, ends) = (Secret::fresh()?, Secret::fresh()?, now_ms() + LOGIN);
        let mut state = self.state();
        state.codes.retain(|(_, ends)| *ends > now_ms());
        // All of them are compared, whichever it is.
        let found =
            state.codes.iter().enumerate().fold(
                None,
                |found, (at, (one, _))| if one.is(code) { Some(at) } else { found },
            );
        let Some(at) = found else { return Ok(None) };
        state.codes.remove(at);
        state.browsers.retain(|_, browser| browser.ends > now_ms());
        if state.browsers.len() >= MOST
            && let Some(oldest) = state.browsers.keys().min().copied()
        {
            state.browsers.remove(&oldest);
        }
        state.next += 1;
        let number = state.next;
        state.browsers.insert(
            number,
            Browser {
                cookie: cookie.clone(),
                key: key.clone(),
                ends,
            },
        );
        Ok(Some(LetIn {
            name: name(number),
            cookie,
            key,
            ends,
        }))
    }

    /// The name of the browser that has this cookie and this key.
    pub(super) fn who(&self, cookie: &str, key: &str) -> Option<String> {
        let now = now_ms();
        let state = self.state();
        let mut found = None;
        for (number, browser) in &state.browsers {
            let both = same(browser.cookie.word().as_bytes(), cookie.as_bytes())
                & same(browser.key.word().as_bytes(), key.as_bytes());
            if both && browser.ends > now {
                found = Some(*number);
            }
        }
        found.map(name)
    }

    /// Ends a login.
    pub(super) fn leave(&self, who: &str) {
        self.state()
            .browsers
            .retain(|number, _| name(*number) != who);
    }
}

fn name(number: u64) -> String {
    format!("browser {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once_and_a_cookie_only_with_its_key() {
        let logins = Logins::default();
        assert!(logins.let_in("").unwrap().is_none());
        let (code, _) = logins.code().unwrap();
        let one = logins.let_in(code.word()).unwrap().unwrap();
        assert!(logins.let_in(code.word()).unwrap().is_none());
        let (code, _) = logins.code().unwrap();
        let two = logins.let_in(code.word()).unwrap().unwrap();
        assert_eq!(
            logins.who(one.cookie.word(), one.key.word()).as_deref(),
            Some("browser 1")
        );
        for (cookie, key) in [
            (one.cookie.word(), ""),
            ("", one.key.word()),
            (one.cookie.word(), two.key.word()),
            (one.key.word(), one.cookie.word()),
        ] {
            assert_eq!(logins.who(cookie, key), None);
        }
        logins.leave("browser 1");
        assert_eq!(logins.who(one.cookie.word(), one.key.word()), None);
        assert!(logins.who(two.cookie.word(), two.key.word()).is_some());
    }

    #[test]
    fn neither_links_nor_logins_pile_up() {
        let logins = Logins::default();
        for _ in 0..MOST + 8 {
            logins.code().unwrap();
        }
        assert_eq!(logins.state().codes.len(), MOST);
        for _ in 0..MOST + 8 {
            let (code, _) = logins.code().unwrap();
            logins.let_in(code.word()).unwrap().unwrap();
        }
        assert_eq!(logins.state().browsers.len(), MOST);
    }
}
