//! Names and passwords in addresses: `https://user:password@host/`.

use super::Place;
use super::values::is_variable;

/// Where a name alone is how one says who one is, and no secret.
const NAMES_ONLY: &[&str] = &["ssh", "sftp", "rsync", "git", "svn", "scp"];

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>')
}

/// The word that an address stands in, looked at once.
#[derive(Default)]
struct Word {
    end: usize,
    last_at: Option<usize>,
}

impl Word {
    /// The last `@` of the word at this place.
    fn last_at(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.end <= from {
            let rest = bytes.get(from..)?;
            let length = rest
                .iter()
                .position(|byte| ends_word(*byte))
                .unwrap_or(rest.len());
            self.end = from + length;
            self.last_at = rest
                .get(..length)?
                .iter()
                .rposition(|byte| *byte == b'@')
                .map(|distance| from + distance);
        }
        self.last_at.filter(|at| *at >= from)
    }
}

pub(super) fn find(text: &str, places: &mut Vec<Place>) {
    let bytes = text.as_bytes();
    let mut word = Word::default();
    let mut from = 0;
    while let Some(distance) = text.get(from..).and_then(|rest| rest.find("://")) {
        let start = from + distance + 3;
        from = start;
        if let Some(end) = user_end(text, bytes, start, &mut word) {
            let user = bytes.get(start..end).unwrap_or_default();
            let secret = user
                .iter()
                .position(|byte| *byte == b':')
                .map(|colon| user.get(colon + 1..).unwrap_or_default());
            if !user.is_empty()
                && !secret.map_or(is_variable(user, b'"'), |secret| is_variable(secret, b'"'))
            {
                places.push((start, end));
            }
            from = end;
        }
    }
}

/// Behind the user's name and password, if the address has a secret there.
fn user_end(text: &str, bytes: &[u8], start: usize, word: &mut Word) -> Option<usize> {
    let last = word.last_at(bytes, start)?;
    let rest = bytes.get(start..)?;
    let length = rest
        .iter()
        .take(last - start + 1)
        .position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\'))
        .unwrap_or(last - start + 1);
    let authority = rest.get(..length)?;
    if let Some(at) = authority.iter().rposition(|byte| *byte == b'@') {
        let user = authority.get(..at)?;
        let scheme = text.get(..start - 3)?;
        let name = scheme
            .rsplit(|character: char| !character.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let names_only = !user.contains(&b':')
            && NAMES_ONLY
                .iter()
                .any(|only| only.eq_ignore_ascii_case(name));
        return (!names_only).then_some(start + at);
    }
    // A password with a slash in it, which is wrong and yet written.
    let colon = authority.iter().position(|byte| *byte == b':')?;
    let port = authority.get(colon + 1..)?;
    let is_port = port.iter().all(u8::is_ascii_digit);
    (!is_port && authority.first() != Some(&b'[') && length <= last - start).then_some(last)
}
