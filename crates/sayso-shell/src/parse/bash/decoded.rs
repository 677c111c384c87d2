//! `$'…'`: a text with escapes, which some shells read as a `$` before a quoted text.

use super::Reading;
use super::cursor::Cursor;
use super::tree::Piece;

impl Cursor<'_> {
    /// The text, from `$` to behind the closing quote. An escaped quote ends it in some shells and not in others.
    pub(super) fn decoded(&mut self) -> Reading<Piece> {
        let start = self.at;
        let inner = self.text.get(self.at + 2..).unwrap_or("");
        let Some(length) = inner.find('\'') else {
            return self.refuse("a quote is not closed");
        };
        let raw = inner.get(..length).unwrap_or("");
        let Some(text) = decode(raw) else {
            return self.refuse_at(
                start,
                start + length + 3,
                "a text in `$'…'` with an escape that is not plain",
            );
        };
        self.at += length + 3;
        Ok(Piece::Decoded {
            text,
            written: format!("${raw}"),
        })
    }
}

/// Takes the escapes out. Only those that give plain text are read; a backslash at the end would escape the quote.
fn decode(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '\\' => out.push('\\'),
            '"' => out.push('"'),
            '?' => out.push('?'),
            'x' => out.push(by_number(&mut rest, 16, 2)?),
            first @ '0'..='7' => {
                let mut digits = first.to_string();
                digits.extend(rest.by_ref().take(2));
                let number = u32::from_str_radix(&digits, 8)
                    .ok()
                    .filter(|_| digits.len() == 3)?;
                out.push(plain(number)?);
            }
            _ => return None,
        }
    }
    Some(out)
}

/// A character by exactly so many digits; with fewer, what follows could belong to it.
fn by_number(rest: &mut std::str::Chars<'_>, radix: u32, length: usize) -> Option<char> {
    let digits: String = rest.by_ref().take(length).collect();
    let whole = digits.len() == length && digits.chars().all(|digit| digit.is_digit(radix));
    plain(u32::from_str_radix(&digits, radix).ok().filter(|_| whole)?)
}

fn plain(number: u32) -> Option<char> {
    char::from_u32(number)
        .filter(|character| character.is_ascii_graphic() || matches!(character, ' ' | '\t' | '\n'))
}
