//! Words in reasons: without secrets, and short enough to be read. The command itself is shown whole beside them.

use crate::text::redact::redact_text;

/// Characters of a word that could not be looked up: it may be no path at all.
const MAX_UNKNOWN: usize = 80;
/// Characters of any other word; paths are seldom as long.
const MAX_WORD: usize = 200;

/// The start of a word, without secrets.
pub(crate) fn brief(word: &str) -> String {
    cut(&redact_text(word), MAX_UNKNOWN)
}

/// A sentence whose words in backticks hold no secret and are not too long.
pub(crate) fn sentence(text: String) -> String {
    if !text.contains('`') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for (index, piece) in text.split('`').enumerate() {
        if index > 0 {
            out.push('`');
        }
        if index % 2 == 1 {
            out.push_str(&cut(&redact_text(piece), MAX_WORD))
        } else {
            out.push_str(piece)
        }
    }
    out
}

fn cut(word: &str, most: usize) -> String {
    match word.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_and_hold_no_secret() {
        let long = "x".repeat(500);
        let told = sentence(format!("the option `--name={long}` of `ls` is not known"));
        assert!(
            told.chars().count() < 300 && told.ends_with("…` of `ls` is not known"),
            "{told}"
        );
        assert_eq!(
            sentence("it deletes `a` and `b`".to_owned()),
            "it deletes `a` and `b`"
        );
        let secret =
            sentence("the option `--token=abcdefgh12345678` of `x` is not known".to_owned());
        assert!(!secret.contains("abcdefgh12345678"), "{secret}");
    }
}
