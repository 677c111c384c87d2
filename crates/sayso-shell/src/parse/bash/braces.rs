//! `{` inside of a word: a plain list such as `{a,b}` or `{1..3}`, or a pair that every shell takes as it stands, as in `{}`, `HEAD@{1}` and `HEAD^{tree}`.
//!
//! A list is several words in one shell and one word in another, so the piece keeps both. Where a list ends is not always where its first
//! `}` stands (`{a,{b}c}`): only lists of plain characters are read, and whoever writes another one is asked.

use super::Reading;
use super::cursor::{Cursor, is_meta};
use super::tree::Piece;

/// Words that one list may stand for.
const MOST: usize = 64;

impl Cursor<'_> {
    /// What a pair of braces is.
    pub(super) fn brace(&mut self) -> Reading<Piece> {
        let rest = self.rest();
        let inner = rest
            .bytes()
            .skip(1)
            .take_while(|byte| is_listed(*byte))
            .take(4096)
            .count();
        let end = rest.as_bytes().get(1 + inner);
        // A brace that is not closed in its word is text: `{x y}`.
        if end.is_none_or(|byte| is_meta(*byte) && !matches!(byte, b'<' | b'>')) && inner < 4096 {
            let text = rest.get(..1 + inner).unwrap_or_default();
            if !text.contains(['*', '?']) {
                let text = text.to_owned();
                self.at += text.len();
                return Ok(Piece::Text {
                    text,
                    quoted: false,
                });
            }
        }
        let closed = end == Some(&b'}');
        if !closed {
            return self.refuse("braces that are read differently by different shells");
        }
        let names_descriptor = matches!(rest.as_bytes().get(2 + inner), Some(b'<' | b'>'));
        if names_descriptor {
            return self.refuse("a file descriptor by name");
        }
        let content = rest.get(1..1 + inner).unwrap_or_default();
        let written = rest.get(..2 + inner).unwrap_or_default().to_owned();
        let piece = match choices(content) {
            Some(choices) if choices.len() <= MOST => Piece::Braces { choices, written },
            Some(_) => return self.refuse("braces that stand for very many words"),
            None if self.is_plain_pair(content) => Piece::Text {
                text: written,
                quoted: false,
            },
            None => return self.refuse("braces that are read differently by different shells"),
        };
        self.at += 2 + inner;
        Ok(piece)
    }

    /// Whether a pair without a list stays as it is in every shell: nothing behind it in the word may turn it into one.
    fn is_plain_pair(&self, content: &str) -> bool {
        let plain = content
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let behind = self
            .rest()
            .as_bytes()
            .get(2 + content.len()..)
            .unwrap_or_default();
        let lists_on = behind
            .iter()
            .take_while(|byte| !is_meta(**byte))
            .any(|byte| b",{}".contains(byte));
        let before = self
            .at
            .checked_sub(1)
            .and_then(|before| self.text.as_bytes().get(before))
            .copied()
            .unwrap_or(b' ');
        // One shell can be told to make a word of each letter, which next to other text is another name.
        let alone = is_meta(before) && behind.first().is_none_or(|byte| is_meta(*byte));
        plain && !lists_on && (content.is_empty() || alone || matches!(before, b'@' | b'^'))
    }
}

/// Characters that mean themselves in a list, but for wildcards.
fn is_listed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./+@%:=,*?".contains(&byte)
}

/// The words of a list: by commas, or a range of plain numbers.
fn choices(content: &str) -> Option<Vec<Vec<Piece>>> {
    if content.contains(',') {
        return Some(content.split(',').map(pieces).collect());
    }
    let (from, to) = content.split_once("..")?;
    let plain = |text: &str| {
        !text.is_empty()
            && text.len() < 6
            && (text == "0" || !text.starts_with('0'))
            && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if let (&[first @ b'a'..=b'z'], &[last @ b'a'..=b'z']) = (from.as_bytes(), to.as_bytes()) {
        let letters: Vec<u8> = if first <= last {
            (first..=last).collect()
        } else {
            (last..=first).rev().collect()
        };
        return Some(
            letters
                .into_iter()
                .map(|letter| pieces(&char::from(letter).to_string()))
                .collect(),
        );
    }
    if !plain(from) || !plain(to) {
        return None;
    }
    let (from, to) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
    let count = from.abs_diff(to).min(MOST) + 1;
    let step = |index: usize| {
        if from <= to {
            from + index
        } else {
            from - index
        }
    };
    Some(
        (0..count)
            .map(|index| pieces(&step(index).to_string()))
            .collect(),
    )
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut plain = String::new();
    for character in text.chars() {
        if matches!(character, '*' | '?') {
            if !plain.is_empty() {
                out.push(Piece::Text {
                    text: std::mem::take(&mut plain),
                    quoted: false,
                });
            }
            out.push(Piece::Wild(character.to_string()));
        } else {
            plain.push(character);
        }
    }
    if !plain.is_empty() {
        out.push(Piece::Text {
            text: plain,
            quoted: false,
        });
    }
    out
}
