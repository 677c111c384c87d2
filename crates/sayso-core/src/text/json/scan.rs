//! The smallest parts of JSON text: white space, words, numbers and strings.

use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Span, Value};

/// What is taken for JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Strict,
    /// With comments, and a comma before a closing bracket.
    Comments,
    /// Only strings and brackets are followed.
    Outline,
}

/// A place in a JSON text that only moves forward. It copies nothing, and does not recurse.
pub struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) syntax: Syntax,
    /// The lists and maps that are open in the value that is passed over: whether each is a map.
    pub(super) open: Vec<bool>,
}

impl<'a> Scanner<'a> {
    /// Takes exactly what RFC 8259 has; a key may stand twice.
    pub fn new(text: &'a str) -> Self {
        Self::with_syntax(text, Syntax::Strict)
    }

    /// Finds where values end, in broken JSON too, and does not check what is in them.
    pub fn outline(text: &'a str) -> Self {
        Self::with_syntax(text, Syntax::Outline)
    }

    pub(super) fn with_comments(text: &'a str) -> Self {
        Self::with_syntax(text, Syntax::Comments)
    }

    fn with_syntax(text: &'a str, syntax: Syntax) -> Self {
        Scanner {
            text,
            at: 0,
            syntax,
            open: Vec::new(),
        }
    }

    /// Skips what is between a key and its value.
    pub(super) fn skip_colon(&mut self) -> Result<(), Diagnostic> {
        self.skip_space();
        self.expect(b':', "`:` after the key")?;
        self.skip_space();
        Ok(())
    }

    pub(super) fn expect(&mut self, byte: u8, name: &str) -> Result<(), Diagnostic> {
        match self.skip_byte(byte) {
            true => Ok(()),
            false => Err(self.unexpected(name)),
        }
    }

    /// The byte position of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// From an earlier position to here.
    pub(super) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether the last comma of a list or map may have nothing after it.
    pub(super) fn may_end_with_comma(&self) -> bool {
        self.syntax == Syntax::Comments
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        if matches!(self.peek(), Some(b'\0'..=b' ' | b'/')) {
            self.skip_spaces();
        }
    }

    fn skip_spaces(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.advance(),
                Some(b'/') if self.syntax == Syntax::Comments && self.skip_comment() => {}
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or("");
        let length = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n'),
            [b'/', b'*', inner @ ..] => inner
                .windows(2)
                .position(|end| end == b"*/")
                .map(|end| end + 4),
            _ => return false,
        };
        self.at += length.unwrap_or(rest.len());
        true
    }

    /// The error for whatever stands here instead of what should.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let Some(found) = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        else {
            let message = format!("expected {expected}, found the end of the text");
            return Diagnostic::error(Span::new(self.at, self.at), message);
        };
        let span = Span::new(self.at, self.at + found.len_utf8());
        let error = Diagnostic::error(span, format!("expected {expected}, found `{found}`"));
        match found {
            '\'' => error.hint("text stands in double quotes in JSON"),
            '/' | '#' => error.hint("JSON has no comments"),
            '\u{FEFF}' => error.hint("this is a byte order mark; remove it"),
            _ => error,
        }
    }

    /// `true`, `false` or `null`.
    pub(super) fn word(&mut self) -> Result<Value, Diagnostic> {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match self.slice(start) {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            "null" => Ok(Value::Null),
            word => Err(Diagnostic::error(
                self.since(start),
                format!("`{word}` is not a JSON value"),
            )
            .hint("text stands in double quotes; the only words are `true`, `false` and `null`")),
        }
    }

    /// A number, as it is written.
    #[inline]
    pub(super) fn number(&mut self) -> Result<&'a str, Diagnostic> {
        let start = self.at;
        self.skip_one(|byte| byte == b'-');
        let starts_with_zero = self.peek() == Some(b'0');
        let first = self.at;
        self.digits()?;
        if starts_with_zero && self.at > first + 1 {
            return Err(self.zero_first(start));
        }
        if self.skip_one(|byte| byte == b'.') {
            self.digits()?;
        }
        if self.skip_one(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_one(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        Ok(self.slice(start))
    }

    #[cold]
    fn zero_first(&self, start: usize) -> Diagnostic {
        let message = format!("the number `{}` begins with a zero", self.slice(start));
        Diagnostic::error(self.since(start), message)
            .hint("write it without the zero, or as text in double quotes")
    }

    /// A string, from quote to quote; what it says, not how it is written.
    pub(super) fn text(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.advance();
        let mut out = String::new();
        loop {
            let run = self.at;
            self.skip_plain();
            out.push_str(self.slice(run));
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.broken_text(start)),
            }
        }
        self.advance();
        Ok(out)
    }

    /// Passes over what is neither a quote nor an escape nor a control character.
    #[inline]
    pub(super) fn skip_plain(&mut self) {
        self.at += plain_length(self.rest());
    }

    #[cold]
    pub(super) fn broken_text(&self, start: usize) -> Diagnostic {
        let Some(control) = self.peek().map(char::from) else {
            return Diagnostic::error(
                Span::new(start, start + 1),
                "a text without its closing `\"`",
            );
        };
        let message = format!("the control character `{control}` inside a text");
        let escaped = super::quote(&control.to_string());
        Diagnostic::error(Span::new(self.at, self.at + 1), message)
            .hint(format!("write it as `{}`", escaped.trim_matches('"')))
    }

    /// One escape, from the backslash on.
    #[inline(never)]
    pub(super) fn escape(&mut self) -> Result<char, Diagnostic> {
        let start = self.at;
        self.advance();
        let plain = match self.peek() {
            Some(b'u') => {
                self.advance();
                return self.unicode_escape(start);
            }
            Some(quoted @ (b'"' | b'\\' | b'/')) => char::from(quoted),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => {
                let found = self
                    .text
                    .get(self.at..)
                    .and_then(|rest| rest.chars().next());
                let shown = found.map_or_else(String::new, String::from);
                return Err(Diagnostic::error(
                    Span::new(start, self.at + shown.len()),
                    format!("`\\{shown}` is not an escape"),
                )
                .hint("a backslash itself is written as `\\\\`"));
            }
        };
        self.advance();
        Ok(plain)
    }

    /// The digits of `\uXXXX`, and the second half of a surrogate pair.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Diagnostic> {
        let code = self.four_digits(start)?;
        if let Some(character) = char::from_u32(code) {
            return Ok(character);
        }
        let end_of_first = self.at;
        let lone = || {
            let written = self.text.get(start..end_of_first).unwrap_or("");
            Diagnostic::error(
                Span::new(start, end_of_first),
                format!("`{written}` is half of a surrogate pair"),
            )
        };
        if code >= 0xDC00
            || !self
                .text
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with("\\u"))
        {
            return Err(lone());
        }
        let error = lone();
        self.at += 2;
        let second = self.four_digits(end_of_first)?;
        if !(0xDC00..=0xDFFF).contains(&second) {
            return Err(error);
        }
        char::from_u32(0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00)).ok_or(error)
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, Diagnostic> {
        let mut code = 0;
        for _ in 0..4 {
            match self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => {
                    return Err(Diagnostic::error(
                        self.since(start),
                        "`\\u` without four hexadecimal digits",
                    ));
                }
            }
            self.advance();
        }
        Ok(code)
    }

    #[inline]
    fn digits(&mut self) -> Result<(), Diagnostic> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let count = digits.count();
        self.at += count;
        match count {
            0 => Err(self.unexpected("a digit")),
            _ => Ok(()),
        }
    }

    pub(super) fn skip_byte(&mut self, wanted: u8) -> bool {
        self.skip_one(|byte| byte == wanted)
    }

    fn skip_one(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = self.rest();
        self.at += rest
            .iter()
            .position(|byte| !wanted(*byte))
            .unwrap_or(rest.len());
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or(&[])
    }

    pub(super) fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }
}

/// How many bytes stand before the next quote, backslash or control character; eight are compared at once.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The high bit of each byte that is below a limit; of others, too, beyond the lowest of these.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        // With that bit the other way, a quote comes right behind the control characters.
        let found = below(word ^ (ONES * 2), 0x21) | below(word ^ (ONES * 0x5c), 1);
        let found = found & (ONES << 7);
        if found != 0 {
            return 8 * index + found.trailing_zeros() as usize / 8;
        }
    }
    8 * words.len() + plain_tail_length(tail)
}

#[cold]
fn plain_tail_length(tail: &[u8]) -> usize {
    let is_special = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    tail.iter().position(is_special).unwrap_or(tail.len())
}
