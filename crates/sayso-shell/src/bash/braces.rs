//! `{a,b}` and `{1..9}`: one word becomes several, as long as the list is plain.

use super::Reading;
use super::cursor::Cursor;
use super::tree::Piece;

/// How many words one word may become.
const MOST: usize = 256;

/// The words that one written word stands for.
pub(super) struct Variants(Vec<Vec<Piece>>);

impl Variants {
    pub(super) fn new() -> Self {
        Variants(vec![Vec::new()])
    }

    pub(super) fn piece(&mut self, piece: Piece) {
        for variant in &mut self.0 {
            variant.push(piece.clone());
        }
    }

    pub(super) fn text(&mut self, character: char) {
        for variant in &mut self.0 {
            push(variant, &character.to_string());
        }
    }

    /// Whether what stands here so far ends with an unquoted character.
    pub(super) fn ends_with(&self, character: char) -> bool {
        self.0.iter().any(|variant| matches!(variant.last(), Some(Piece::Text { text, quoted: false }) if text.ends_with(character)))
    }

    pub(super) fn finish(self) -> Vec<Vec<Piece>> {
        self.0
    }

    fn choices(&mut self, choices: &[String]) -> bool {
        if self.0.len() * choices.len() > MOST {
            return false;
        }
        let mut out = Vec::with_capacity(self.0.len() * choices.len());
        for variant in &self.0 {
            for choice in choices {
                let mut next = variant.clone();
                push(&mut next, choice);
                out.push(next);
            }
        }
        self.0 = out;
        true
    }
}

fn push(variant: &mut Vec<Piece>, more: &str) {
    if more.is_empty() {
        return;
    }
    match variant.last_mut() {
        Some(Piece::Text { text, quoted: false }) => text.push_str(more),
        _ => variant.push(Piece::Text { text: more.to_owned(), quoted: false }),
    }
}

impl Cursor<'_> {
    /// A `{` inside of a word.
    pub(super) fn brace(&mut self, variants: &mut Variants) -> Reading<()> {
        let rest = self.rest();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./,@%+=:-".contains(&byte);
        let length = rest.bytes().skip(1).take_while(|byte| plain(*byte)).count();
        let inner = rest.get(1..1 + length).unwrap_or("");
        if rest.as_bytes().get(1 + length) != Some(&b'}') {
            return self.refuse("braces that are not plain");
        }
        let end = self.at + length + 2;
        let choices = if inner.contains(',') {
            inner.split(',').map(str::to_owned).collect()
        } else if let Some((from, to)) = inner.split_once("..") {
            match sequence(from, to) {
                Some(list) => list,
                None => return self.refuse_at(self.at, end, "a sequence in braces that is not plain"),
            }
        } else {
            if matches!(self.text.as_bytes().get(end), Some(b'<' | b'>')) {
                return self.refuse_at(self.at, end, "a file descriptor by a name");
            }
            // Not a list: the braces stay, as in `find -exec … {}` and `HEAD@{1}`.
            for character in format!("{{{inner}}}").chars() {
                variants.text(character);
            }
            self.at = end;
            return Ok(());
        };
        if !variants.choices(&choices) {
            return self.refuse_at(self.at, end, format!("braces make more than {MOST} words"));
        }
        self.at = end;
        Ok(())
    }
}

fn sequence(from: &str, to: &str) -> Option<Vec<String>> {
    let plain = |text: &str| {
        !text.is_empty() && text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    };
    if plain(from) && plain(to) {
        let (first, last): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        if first.abs_diff(last) as usize >= MOST {
            return None;
        }
        let list: Vec<String> = if first <= last {
            (first..=last).map(|n| n.to_string()).collect()
        } else {
            (last..=first).rev().map(|n| n.to_string()).collect()
        };
        return Some(list);
    }
    let letter = |text: &str| text.chars().next().filter(|c| text.len() == 1 && c.is_ascii_lowercase());
    let (first, last) = (letter(from)?, letter(to)?);
    (first <= last).then(|| (first..=last).map(|c| c.to_string()).collect())
}
