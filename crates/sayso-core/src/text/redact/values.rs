//! Values behind names that say what they are: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `Authorization: Bearer …`.

use super::names::{self, Sort};
use super::{Place, REDACTED};

/// Shortest word behind `Bearer` that is taken for a token.
const BEARER: usize = 8;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Reads the text once, from left to right.
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    /// The quote that is open here, as far as that can be told.
    outer: Option<u8>,
}

pub(super) fn find(text: &str, places: &mut Vec<Place>) {
    let mut scan = Scan::new(text);
    let mut at = 0;
    while let Some(byte) = scan.at(at) {
        if byte == b'\\' {
            at = match scan.at(at + 1) {
                Some(next) if next == b'\\' || is_quote(next) => at + 2,
                // `\n` in a text within a text: the name may start behind it.
                Some(b'n' | b'r' | b't') => {
                    let end = scan.skip(at + 2, is_name);
                    match scan.behind_name(text, at + 2, end) {
                        Some(place) => {
                            places.push(place);
                            place.1.max(end)
                        }
                        None => at + 1,
                    }
                }
                _ => at + 1,
            };
        } else if is_quote(byte) {
            scan.quote(at, byte);
            at += 1;
        } else if is_name(byte) {
            let end = scan.skip(at, is_name);
            at = match scan.behind_name(text, at, end) {
                Some(place) => {
                    places.push(place);
                    place.1.max(end)
                }
                None => end,
            };
        } else {
            at += 1;
        }
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Scan {
            bytes: text.as_bytes(),
            outer: None,
        }
    }

    fn at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn starts(&self, at: usize, what: &str) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    fn skip(&self, mut at: usize, over: impl Fn(u8) -> bool) -> usize {
        while self.at(at).is_some_and(&over) {
            at += 1;
        }
        at
    }

    /// Keeps count of quotes. One behind a letter that opens nothing is an apostrophe.
    fn quote(&mut self, at: usize, byte: u8) {
        match self.outer {
            Some(open) if open == byte => self.outer = None,
            Some(_) => {}
            None => {
                let before = at.checked_sub(1).and_then(|before| self.at(before));
                if byte != b'\'' || !before.is_some_and(|before| before.is_ascii_alphanumeric()) {
                    self.outer = Some(byte);
                }
            }
        }
    }

    /// The secret behind the name from `start` to `end`, if there is one.
    fn behind_name(&mut self, text: &str, start: usize, end: usize) -> Option<Place> {
        let name = text.get(start..end)?;
        if name.eq_ignore_ascii_case("bearer") {
            return self.bearer(end);
        }
        // The quote that closes the name, as in `"password": …`; in a text within a text it is written `\"`.
        let closing = self.skip(end, |byte| byte == b'\\');
        let quoted = self.at(closing).is_some_and(is_quote);
        let behind = if quoted { closing + 1 } else { end };
        let separator = self.skip(behind, is_blank);
        match self.at(separator) {
            Some(b'=' | b':') => {
                let sort = names::sort(name)?;
                if self.starts(separator, "::") || self.starts(separator, "://") {
                    return None;
                }
                let value = self.skip(separator, |byte| matches!(byte, b'=' | b':' | b'>'));
                let first = self.skip(value, is_blank);
                let spaced = first > value && !quoted;
                if spaced
                    && (sort == Sort::Perhaps
                        || sort == Sort::Several && self.at(separator) == Some(b':'))
                {
                    return None;
                }
                if quoted && closing == end {
                    // The name's own quote is closed, so what was open is open no more.
                    self.outer = None;
                }
                self.value(first, sort)
            }
            Some(_) if separator > end && name.starts_with("--") && !quoted => {
                let sort = names::sort(name)?;
                let option = self.at(separator) == Some(b'-');
                if sort == Sort::Several || option {
                    None
                } else {
                    self.value(separator, Sort::One)
                }
            }
            _ => None,
        }
    }

    /// The token behind `Bearer`.
    fn bearer(&self, end: usize) -> Option<Place> {
        let start = self.skip(end, is_blank);
        let is_token = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
        };
        let stop = self.skip(start, is_token);
        let token = self.bytes.get(start..stop)?;
        let telling = token.len() >= 16 || token.iter().any(u8::is_ascii_digit);
        (start > end && token.len() >= BEARER && telling).then_some((start, stop))
    }

    /// A value that starts here.
    pub(super) fn value(&self, start: usize, sort: Sort) -> Option<Place> {
        let opener = self.skip(start, |byte| byte == b'\\');
        let slashes = opener - start;
        match self.at(opener)? {
            quote if is_quote(quote) && Some(quote) != self.outer.filter(|_| slashes == 0) => {
                self.quoted(start, slashes, quote)
            }
            b'|' | b'>' if sort != Sort::Header => self.block(opener),
            b'\n' | b'\r' => None,
            _ if sort == Sort::Header => self.line(start),
            _ => self.word(start),
        }
    }

    /// A value in quotes: what is between them, or the whole word where it goes on behind them.
    fn quoted(&self, start: usize, slashes: usize, quote: u8) -> Option<Place> {
        let first = start + slashes + 1;
        let stop = self.closing(first, slashes, quote);
        let behind = stop + slashes + 1;
        let goes_on = match self.at(behind) {
            _ if stop >= self.bytes.len() || slashes > 0 => false,
            Some(next) if is_quote(next) => self.outer != Some(next),
            Some(next) => {
                !next.is_ascii_whitespace()
                    && !matches!(
                        next,
                        b',' | b';' | b')' | b'}' | b']' | b'&' | b'|' | b'<' | b'>' | b':'
                    )
            }
            None => false,
        };
        if goes_on {
            return Some((start, self.word_end(behind)));
        }
        let inner = self.bytes.get(first..stop)?;
        (!inner.is_empty() && !is_variable(inner, quote)).then_some((first, stop))
    }

    /// Where a quote is closed that was opened behind so many backslashes.
    fn closing(&self, mut at: usize, slashes: usize, quote: u8) -> usize {
        let mut run = 0;
        while let Some(byte) = self.at(at) {
            if byte == quote
                && (if slashes == 0 {
                    run % 2 == 0
                } else {
                    run <= slashes
                })
            {
                return at - run.min(slashes);
            }
            run = if byte == b'\\' { run + 1 } else { 0 };
            at += 1;
        }
        self.bytes.len()
    }

    /// The lines below that are set in.
    fn block(&self, at: usize) -> Option<Place> {
        let mark = self.skip(at, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
        let line = self.skip(mark, |byte| is_blank(byte) || byte == b'\r');
        if self.at(line) != Some(b'\n') {
            return None;
        }
        let start = self.skip(line + 1, is_blank);
        let mut end = start;
        let mut next = line + 1;
        while self.at(next).is_some_and(is_blank) {
            end = self.skip(next, |byte| byte != b'\n');
            next = end + 1;
        }
        (end > start).then_some((start, end))
    }

    /// The rest of the line, or of the quotes around it.
    fn line(&self, start: usize) -> Option<Place> {
        let ends = |byte: u8| byte == b'\n' || byte == b'\r' || self.outer == Some(byte);
        let mut end = start;
        while let Some(byte) = self.at(end) {
            if ends(byte) {
                break;
            }
            end += if byte == b'\\' && self.at(end + 1).is_some_and(|next| next != b'\n') {
                2
            } else {
                1
            };
        }
        let end = end.min(self.bytes.len());
        let value = self.bytes.get(start..end)?;
        let blank = value
            .iter()
            .rev()
            .take_while(|byte| is_blank(**byte))
            .count();
        let value = value.get(..value.len() - blank)?;
        let (scheme, rest) = match value.iter().position(|byte| is_blank(*byte)) {
            Some(blank) => value.split_at(blank),
            None => (Default::default(), value),
        };
        let rest = rest.trim_ascii_start();
        let plain = scheme.iter().all(u8::is_ascii_alphabetic);
        let only_named = plain && is_variable(rest, b'"');
        (!value.is_empty() && !only_named).then_some((start, start + value.len()))
    }

    /// A word as a shell reads it.
    fn word(&self, start: usize) -> Option<Place> {
        if self.starts(start, "$(") {
            return None;
        }
        let mut end = self.word_end(start);
        // What closes something around the word is none of it.
        while let Some(word) = self.bytes.get(start..end) {
            let closes = matches!(
                word.last(),
                Some(b';' | b',' | b')' | b'}' | b']' | b'&' | b'|' | b'\\')
            );
            if !closes || word.ends_with(REDACTED.as_bytes()) || word.starts_with(b"${") {
                break;
            }
            end -= 1;
        }
        let word = self.bytes.get(start..end)?;
        (!word.is_empty() && !is_variable(word, b'"')).then_some((start, end))
    }

    pub(super) fn word_end(&self, mut at: usize) -> usize {
        while let Some(byte) = self.at(at) {
            if byte.is_ascii_whitespace() || self.outer == Some(byte) {
                break;
            }
            if byte == b'&' && self.next_parameter(at + 1) {
                break;
            }
            at = match byte {
                b'\\'
                    if self
                        .at(at + 1)
                        .is_some_and(|next| is_quote(next) && self.outer == Some(next)) =>
                {
                    break;
                }
                b'\\' => at + 2,
                quote if is_quote(quote) => self.closing(at + 1, 0, quote) + 1,
                _ => at + 1,
            };
        }
        at.min(self.bytes.len())
    }

    /// Whether the next parameter of an address or a form starts here, or the next command.
    fn next_parameter(&self, at: usize) -> bool {
        let end = self
            .bytes
            .iter()
            .skip(at)
            .take(64)
            .take_while(|byte| is_name(**byte))
            .count()
            + at;
        self.at(at) == Some(b'&') || end > at && self.at(end) == Some(b'=')
    }
}

/// `$NAME` and `${NAME}` are no secrets but say where one comes from. In single quotes they are what they are.
pub(super) fn is_variable(value: &[u8], quote: u8) -> bool {
    let Some(name) = value.strip_prefix(b"$").filter(|_| quote != b'\'') else {
        return false;
    };
    let name = name
        .strip_prefix(b"{")
        .and_then(|name| name.strip_suffix(b"}"))
        .unwrap_or(name);
    let starts = name
        .first()
        .is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    starts
        && name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}
