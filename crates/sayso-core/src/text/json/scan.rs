//! The smallest parts of JSON text: white space, words, numbers and strings.

use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Span, Value};

/// A place in a JSON text that only moves forward.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Scanner { text, at: 0 }
    }

    /// The byte position of the next byte.
    pub fn at(&self) -> usize {
        self.at
    }

    /// From an earlier position to here.
    pub fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub fn advance(&mut self) {
        self.at += 1;
    }

    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.advance();
        }
    }

    /// The error for whatever stands here instead of what should.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
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
    pub fn word(&mut self) -> Result<Value, Diagnostic> {
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
    pub fn number(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.skip_one(|byte| byte == b'-');
        let first = self.at;
        self.digits()?;
        let whole = self.slice(first);
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(Diagnostic::error(
                self.since(start),
                format!("the number `{}` begins with a zero", self.slice(start)),
            )
            .hint("write it without the zero, or as text in double quotes"));
        }
        if self.skip_one(|byte| byte == b'.') {
            self.digits()?;
        }
        if self.skip_one(|byte| matches!(byte, b'e' | b'E')) {
            self.skip_one(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        Ok(self.slice(start).to_owned())
    }

    /// A string, from quote to quote; what it says, not how it is written.
    pub fn text(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.advance();
        let mut out = String::new();
        loop {
            let run = self.at;
            self.skip_while(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
            out.push_str(self.slice(run));
            match self.peek() {
                Some(b'"') => {
                    self.advance();
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(control) => {
                    let message = format!(
                        "the control character `{}` inside a text",
                        char::from(control)
                    );
                    return Err(
                        Diagnostic::error(Span::new(self.at, self.at + 1), message).hint(format!(
                            "write it as `{}`",
                            super::quote(&char::from(control).to_string()).trim_matches('"')
                        )),
                    );
                }
                None => {
                    return Err(Diagnostic::error(
                        Span::new(start, start + 1),
                        "a text without its closing `\"`",
                    ));
                }
            }
        }
    }

    /// One escape, from the backslash on.
    fn escape(&mut self) -> Result<char, Diagnostic> {
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

    fn digits(&mut self) -> Result<(), Diagnostic> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected("a digit"));
        }
        self.skip_while(|byte| byte.is_ascii_digit());
        Ok(())
    }

    fn skip_one(&mut self, wanted: impl Fn(u8) -> bool) -> bool {
        let found = self.peek().is_some_and(wanted);
        if found {
            self.advance();
        }
        found
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or(&[]);
        self.at += rest
            .iter()
            .position(|byte| !wanted(*byte))
            .unwrap_or(rest.len());
    }

    fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }
}
