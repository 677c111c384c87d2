//! git's `wildmatch`, step for step: ignore files mean what this function makes of them, quirks included.
//!
//! Unlike git's, it gives up ([`Outcome::TooHard`]) instead of running for minutes on a pattern that was made for that.

use std::cell::Cell;

/// What came of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All of the text matches.
    Match,
    /// It does not; a `*` before may try again further on.
    No,
    /// It does not, wherever any `*` tries again.
    Never,
    /// It does not, wherever a `*` tries again; only a `**` may.
    NeverInFolder,
    /// Too many steps.
    TooHard,
}

/// How to match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// `*`, `?` and classes stop at `/`, and `**` does not.
    pub pathname: bool,
    /// Letters match without regard to ASCII case.
    pub fold: bool,
}

/// Every `*` is one call deeper; real patterns have a handful.
const MOST_DEPTH: u32 = 256;

/// Matches all of `text` against `pattern`, in at most `effort` steps, which are taken off it.
pub(crate) fn matches(pattern: &[u8], text: &[u8], manner: Manner, effort: &Cell<u32>) -> Outcome {
    Matcher {
        pattern,
        text,
        manner,
        effort,
    }
    .run(0, 0, 0)
}

struct Matcher<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    manner: Manner,
    effort: &'a Cell<u32>,
}

/// Where a character class ends, and whether the letter is in it.
struct Class {
    end: usize,
    matched: bool,
}

impl Matcher<'_> {
    /// The byte at a position of the pattern; 0 at the end, as in the C text this follows.
    fn p(&self, at: usize) -> u8 {
        self.pattern.get(at).copied().unwrap_or(0)
    }

    fn t(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn folded(&self, byte: u8) -> u8 {
        if self.manner.fold {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    }

    fn run(&self, start: usize, mut text: usize, depth: u32) -> Outcome {
        if depth > MOST_DEPTH {
            return Outcome::TooHard;
        }
        let mut at = start;
        while self.p(at) != 0 {
            let Some(fewer) = self.effort.get().checked_sub(1) else {
                return Outcome::TooHard;
            };
            self.effort.set(fewer);
            let wanted = self.folded(self.p(at));
            let letter = self.folded(self.t(text));
            if letter == 0 && wanted != b'*' {
                return Outcome::Never;
            }
            match wanted {
                b'?' => {
                    if self.manner.pathname && letter == b'/' {
                        return Outcome::No;
                    }
                }
                b'*' => match self.star(start, at, text, depth) {
                    Ok((next, slash)) => {
                        at = next;
                        text = slash;
                    }
                    Err(outcome) => return outcome,
                },
                b'[' => {
                    let Some(class) = self.class(at, letter) else {
                        return Outcome::Never;
                    };
                    if !class.matched || (self.manner.pathname && letter == b'/') {
                        return Outcome::No;
                    }
                    at = class.end;
                }
                b'\\' => {
                    at += 1;
                    if letter != self.p(at) {
                        return Outcome::No;
                    }
                }
                _ => {
                    if letter != wanted {
                        return Outcome::No;
                    }
                }
            }
            at += 1;
            text += 1;
        }
        if self.t(text) == 0 {
            Outcome::Match
        } else {
            Outcome::No
        }
    }

    /// A run of `*` at `at`. `Ok` is the one case in which matching goes on in place: `*/` took a folder's name, and both positions are
    /// at the slash. `start` is where this call began in the pattern: what is before it does not count as a slash before `**`.
    fn star(
        &self,
        start: usize,
        at: usize,
        mut text: usize,
        depth: u32,
    ) -> Result<(usize, usize), Outcome> {
        // The searches below run over the rest of the text at most once; bytes are cheaper than steps.
        let searches = u32::try_from(self.text.len().saturating_sub(text) / 8).unwrap_or(u32::MAX);
        self.effort.set(
            self.effort
                .get()
                .checked_sub(searches)
                .ok_or(Outcome::TooHard)?,
        );
        let mut next = at + 1;
        let mut crosses = !self.manner.pathname;
        if self.p(next) == b'*' {
            while self.p(next) == b'*' {
                next += 1;
            }
            let opens = at == start || self.p(at - 1) == b'/';
            let closes = matches!(self.p(next), 0 | b'/')
                || (self.p(next) == b'\\' && self.p(next + 1) == b'/');
            if self.manner.pathname && opens && closes {
                // `**/` may also stand for nothing at all.
                if self.p(next) == b'/'
                    && let outcome @ (Outcome::Match | Outcome::TooHard) =
                        self.run(next + 1, text, depth + 1)
                {
                    return Err(outcome);
                }
                crosses = true;
            }
        }
        let rest = self.text.get(text..).unwrap_or_default();
        if self.p(next) == 0 {
            let stopped = !crosses && rest.contains(&b'/');
            return Err(if stopped {
                Outcome::NeverInFolder
            } else {
                Outcome::Match
            });
        }
        if !crosses && self.p(next) == b'/' {
            let slash = rest
                .iter()
                .position(|byte| *byte == b'/')
                .ok_or(Outcome::Never)?;
            return Ok((next, text + slash));
        }
        while self.t(text) != 0 {
            if !matches!(self.p(next), b'*' | b'?' | b'[' | b'\\') {
                let wanted = self.folded(self.p(next));
                while self.t(text) != 0
                    && (crosses || self.t(text) != b'/')
                    && self.folded(self.t(text)) != wanted
                {
                    text += 1;
                }
                if self.folded(self.t(text)) != wanted {
                    return Err(if crosses {
                        Outcome::Never
                    } else {
                        Outcome::NeverInFolder
                    });
                }
            }
            match self.run(next, text, depth + 1) {
                Outcome::No if !crosses && self.t(text) == b'/' => {
                    return Err(Outcome::NeverInFolder);
                }
                Outcome::No => {}
                Outcome::NeverInFolder if crosses => {}
                outcome => return Err(outcome),
            }
            text += 1;
        }
        Err(Outcome::Never)
    }

    /// The class that opens at `at`; none if it never closes or has a name nobody knows.
    fn class(&self, at: usize, letter: u8) -> Option<Class> {
        let mut at = at + 1;
        let negated = matches!(self.p(at), b'!' | b'^');
        if negated {
            at += 1;
        }
        let mut matched = false;
        let mut previous = 0;
        loop {
            let mut wanted = self.p(at);
            match wanted {
                0 => return None,
                b'\\' => {
                    at += 1;
                    wanted = self.p(at);
                    if wanted == 0 {
                        return None;
                    }
                    matched |= letter == wanted;
                }
                b'-' if previous != 0 && !matches!(self.p(at + 1), 0 | b']') => {
                    at += 1;
                    if self.p(at) == b'\\' {
                        at += 1;
                    }
                    let last = self.p(at);
                    if last == 0 {
                        return None;
                    }
                    let range = previous..=last;
                    matched |= range.contains(&letter)
                        || (self.manner.fold && range.contains(&letter.to_ascii_uppercase()));
                    wanted = 0;
                }
                b'[' if self.p(at + 1) == b':' => {
                    let name = at + 2;
                    let mut end = name;
                    while !matches!(self.p(end), 0 | b']') {
                        end += 1;
                    }
                    if self.p(end) == 0 {
                        return None;
                    }
                    if end > name && self.p(end - 1) == b':' {
                        matched |= self.named(self.pattern.get(name..end - 1)?, letter)?;
                        at = end;
                        wanted = 0;
                    } else {
                        matched |= letter == b'[';
                    }
                }
                _ => matched |= letter == wanted,
            }
            previous = wanted;
            at += 1;
            if self.p(at) == b']' {
                return Some(Class {
                    end: at,
                    matched: matched != negated,
                });
            }
        }
    }

    fn named(&self, name: &[u8], letter: u8) -> Option<bool> {
        Some(match name {
            b"alnum" => letter.is_ascii_alphanumeric(),
            b"alpha" => letter.is_ascii_alphabetic(),
            b"blank" => matches!(letter, b' ' | b'\t'),
            b"cntrl" => letter.is_ascii_control(),
            b"digit" => letter.is_ascii_digit(),
            b"graph" => letter.is_ascii_graphic(),
            b"lower" => letter.is_ascii_lowercase(),
            b"print" => letter.is_ascii_graphic() || letter == b' ',
            b"punct" => letter.is_ascii_punctuation(),
            b"space" => letter.is_ascii_whitespace() || letter == 0x0b,
            b"upper" => {
                letter.is_ascii_uppercase() || (self.manner.fold && letter.is_ascii_lowercase())
            }
            b"xdigit" => letter.is_ascii_hexdigit(),
            _ => return None,
        })
    }
}
