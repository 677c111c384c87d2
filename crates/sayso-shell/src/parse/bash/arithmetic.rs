//! Arithmetic over numbers and plain names. A value is evaluated again by bash, so that it could run a command: whoever walks the tree
//! makes sure that the names hold nothing but digits.

use super::Reading;
use super::cursor::Cursor;
use super::tree::Piece;

impl Cursor<'_> {
    /// `(( … ))`, from the first parenthesis on.
    pub(super) fn arithmetic(&mut self, quoted: bool) -> Reading<Piece> {
        let start = self.at;
        self.at += 2;
        let mut open = 0usize;
        let mut names: Vec<String> = Vec::new();
        let mut signed = false;
        loop {
            let Some(byte) = self.peek() else {
                return self.refuse_at(start, self.text.len(), "arithmetic is not closed");
            };
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if self.ahead(1) == Some(b')') => {
                    self.at += 2;
                    return Ok(Piece::Number {
                        names,
                        signed,
                        quoted,
                    });
                }
                b'+' | b'-' if self.ahead(1) == Some(byte) => {
                    return self.refuse("arithmetic that sets a variable");
                }
                b'=' if !self.compares() => return self.refuse("arithmetic that sets a variable"),
                b'0'..=b'9' => {
                    self.digits()?;
                    continue;
                }
                b'-' | b'~' => signed = true,
                // Large numbers may run over and become negative.
                b'<' | b'*' if self.ahead(1) == Some(byte) => signed = true,
                b' ' | b'\t' | b'+' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&'
                | b'|' | b'^' | b'?' | b':' => {}
                b'$' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let name = self.name_in_arithmetic()?;
                    if !names.contains(&name) {
                        names.push(name);
                    }
                    continue;
                }
                _ => return self.refuse("arithmetic that is evaluated when it runs"),
            }
            self.at += 1;
        }
    }

    /// Whether the `=` here is part of `==`, `<=`, `>=` or `!=`.
    fn compares(&self) -> bool {
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at))
            .copied();
        let earlier = self
            .at
            .checked_sub(2)
            .and_then(|at| self.text.as_bytes().get(at))
            .copied();
        // `<<=` and `>>=` set; `a<=b` does not.
        let shifts = matches!(
            (earlier, before),
            (Some(b'<'), Some(b'<')) | (Some(b'>'), Some(b'>'))
        );
        !shifts
            && (matches!(before, Some(b'<' | b'>' | b'!' | b'=')) || self.ahead(1) == Some(b'='))
    }

    /// A plain number. `0x1f` and `10#7` hold no names, but are rare.
    fn digits(&mut self) -> Reading<()> {
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += length;
        match self.peek() {
            Some(byte) if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'#' | b'.') => {
                self.refuse("a number that is not plain")
            }
            _ => Ok(()),
        }
    }

    /// `name`, `$name` or `${name}`.
    fn name_in_arithmetic(&mut self) -> Reading<String> {
        let dollar = self.take("$");
        let braced = dollar && self.take("{");
        let rest = self.rest();
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        let closed = !braced || self.take("}");
        let plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if !plain || !closed || self.peek() == Some(b'[') {
            return self.refuse("arithmetic that is evaluated when it runs");
        }
        Ok(name)
    }
}
