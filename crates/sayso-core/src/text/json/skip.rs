//! Passes over values and fields of JSON text, without a tree of what is in them.

use super::scan::{Scanner, Syntax};
use crate::text::diagnostic::Diagnostic;

/// The deepest nesting in a value that is passed over: the readers make less, also with a few levels around it.
const DEEPEST: usize = 2 * crate::text::DEEPEST;

impl<'a> Scanner<'a> {
    /// Passes over an object, which has to be all of the text. `take` has each key as it is written between its quotes, and its value.
    pub fn fields(mut self, mut take: impl FnMut(&'a str, &'a str)) -> Result<(), Diagnostic> {
        self.skip_space();
        self.expect(b'{', "`{`")?;
        self.skip_space();
        if !self.skip_byte(b'}') {
            loop {
                let key = self.skip_key()?;
                take(key, self.skip_value()?);
                self.skip_space();
                if self.skip_byte(b'}') {
                    break;
                }
                self.expect(b',', "`,` or `}`")?;
                self.skip_space();
            }
        }
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    /// Passes over the value that starts here, and gives it as it is written.
    pub fn skip_value(&mut self) -> Result<&'a str, Diagnostic> {
        let start = self.at;
        match self.syntax {
            Syntax::Outline => self.skip_outline(),
            _ => self.skip_strict(),
        }?;
        Ok(self.slice(start))
    }

    fn skip_strict(&mut self) -> Result<(), Diagnostic> {
        self.open.clear();
        loop {
            let start = self.at;
            match self.peek() {
                Some(b'"') => self.skip_text()?,
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                Some(b'a'..=b'z' | b'A'..=b'Z') => drop(self.word()?),
                Some(opener @ (b'{' | b'[')) => {
                    let is_map = opener == b'{';
                    self.advance();
                    self.skip_space();
                    if self.open.len() >= DEEPEST {
                        let message =
                            format!("more than {DEEPEST} lists and maps inside each other");
                        return Err(Diagnostic::error(self.since(start), message));
                    }
                    self.open.push(is_map);
                    if !matches!(
                        (is_map, self.peek()),
                        (true, Some(b'}')) | (false, Some(b']'))
                    ) {
                        if is_map {
                            self.skip_key()?;
                        }
                        continue;
                    }
                }
                _ => return Err(self.unexpected("a value")),
            }
            if !self.skip_ends()? {
                return Ok(());
            }
        }
    }

    /// From the end of a value to the next one that what is open holds; false if nothing is open any more.
    #[inline(always)]
    fn skip_ends(&mut self) -> Result<bool, Diagnostic> {
        while let Some(is_map) = self.open.last().copied() {
            self.skip_space();
            match (self.peek(), is_map) {
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.advance();
                    self.open.pop();
                }
                (Some(b','), _) => {
                    self.advance();
                    self.skip_space();
                    if is_map {
                        self.skip_key()?;
                    }
                    return Ok(true);
                }
                (_, true) => return Err(self.unexpected("`,` or `}`")),
                (_, false) => return Err(self.unexpected("`,` or `]`")),
            }
        }
        Ok(false)
    }

    fn skip_outline(&mut self) -> Result<(), Diagnostic> {
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            match self.peek() {
                Some(b'"') => self.skip_text()?,
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.advance();
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.advance();
                }
                Some(b',' | b'}' | b']') if depth == 0 => break,
                Some(_) => {
                    self.advance();
                    let ends = |byte| depth == 0 && byte == b',';
                    self.skip_while(|byte| {
                        !matches!(byte, b'"' | b'{' | b'[' | b'}' | b']') && !ends(byte)
                    });
                    continue;
                }
                None => return Err(self.unexpected("the end of a value")),
            }
            if depth == 0 {
                break;
            }
        }
        self.at = start + self.slice(start).trim_ascii_end().len();
        match self.at == start {
            true => Err(self.unexpected("a value")),
            false => Ok(()),
        }
    }

    /// Skips a key and everything before its value; returns what is between the quotes of the key.
    #[inline(always)]
    fn skip_key(&mut self) -> Result<&'a str, Diagnostic> {
        let start = self.at + 1;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        self.skip_text()?;
        let key = self.text.get(start..self.at - 1).unwrap_or("");
        self.skip_colon()?;
        Ok(key)
    }

    /// Passes over a string.
    #[inline(always)]
    fn skip_text(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.advance();
        self.skip_plain();
        match self.skip_byte(b'"') {
            true => Ok(()),
            false => self.skip_escapes(start),
        }
    }

    /// Passes over what is left of a string, from its first escape on.
    #[inline(never)]
    fn skip_escapes(&mut self, start: usize) -> Result<(), Diagnostic> {
        let is_outline = self.syntax == Syntax::Outline;
        while !self.skip_byte(b'"') {
            match self.rest() {
                [
                    b'\\',
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                    ..,
                ] => self.at += 2,
                [b'\\', _, ..] if is_outline => self.at += 2,
                [_, ..] if is_outline => self.advance(),
                [b'\\', ..] => drop(self.escape()?),
                _ => return Err(self.broken_text(start)),
            }
            self.skip_plain();
        }
        Ok(())
    }
}
