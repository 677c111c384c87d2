//! Arithmetic over plain numbers. Names are evaluated again by bash, so that a value can run a command; they are refused.

use super::Reading;
use super::cursor::Cursor;

impl Cursor<'_> {
    /// `(( … ))`, from the first parenthesis on.
    pub(super) fn arithmetic(&mut self) -> Reading<()> {
        let start = self.at;
        self.at += 2;
        let mut open = 0usize;
        loop {
            let Some(byte) = self.peek() else { return self.refuse_at(start, self.text.len(), "arithmetic is not closed") };
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if self.ahead(1) == Some(b')') => {
                    self.at += 2;
                    return Ok(());
                }
                b'0'..=b'9'
                | b' '
                | b'\t'
                | b'+'
                | b'-'
                | b'*'
                | b'/'
                | b'%'
                | b'<'
                | b'>'
                | b'='
                | b'!'
                | b'&'
                | b'|'
                | b'^'
                | b'~'
                | b'?'
                | b':'
                | b',' => {}
                // `0x1f` and `10#7` hold no names, but are rare.
                _ => return self.refuse("arithmetic with names or anything but plain numbers is evaluated when it runs"),
            }
            self.at += 1;
        }
    }
}
