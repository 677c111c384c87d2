//! `{` inside of a word: read only where every shell takes it as it stands, as in `{}` and `HEAD@{1}`.
//!
//! Lists such as `{a,b}` are several words in one shell and one word in another, and where a list ends is not where its first `}` stands
//! (`{a}b,c}` is a list): whoever writes one is asked.

use super::Reading;
use super::cursor::{Cursor, is_meta};

impl Cursor<'_> {
    /// The text of a plain pair of braces.
    pub(super) fn brace(&mut self, after_at: bool) -> Reading<String> {
        let rest = self.rest();
        let inner = rest.bytes().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count();
        let closed = rest.as_bytes().get(1 + inner) == Some(&b'}');
        let word: &[u8] = rest.as_bytes().get(2 + inner..).unwrap_or_default();
        let end_of_word = word.iter().position(|byte| is_meta(*byte)).unwrap_or(word.len());
        let lists_on = word.get(..end_of_word).unwrap_or_default().iter().any(|byte| b",{}".contains(byte));
        let names_descriptor = matches!(word.first(), Some(b'<' | b'>'));
        if !closed || lists_on || names_descriptor || inner > 0 && !after_at {
            return self.refuse("braces are read differently by different shells");
        }
        let text = rest.get(..2 + inner).unwrap_or_default().to_owned();
        self.at += 2 + inner;
        Ok(text)
    }
}
