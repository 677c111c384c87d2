//! A text without its comments: to those who look through it for danger, the words of a comment would be arguments of the command before it, and
//! `curl … | sh # x` no shell that reads a script.

/// The text without what stands behind `#` at the start of a word, up to the end of the line; none if there is no such sign. Where quotes are
/// odd this may take away more or less than a shell would, so that it is looked at beside the whole text and never instead of it.
pub(crate) fn without(text: &str) -> Option<String> {
    if !text.contains('#') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let (mut quote, mut escaped, mut starts, mut comment, mut any) =
        (None, false, true, false, false);
    for letter in text.chars() {
        if comment && letter != '\n' {
            continue;
        }
        comment = quote.is_none() && !escaped && starts && letter == '#';
        any |= comment;
        if comment {
            continue;
        }
        out.push(letter);
        let was_escaped = std::mem::take(&mut escaped);
        match letter {
            '\\' if !was_escaped && quote != Some('\'') => escaped = true,
            '\'' | '"' if !was_escaped && quote.is_none() => quote = Some(letter),
            '\'' | '"' if !was_escaped && quote == Some(letter) => quote = None,
            _ => {}
        }
        starts =
            quote.is_none() && !was_escaped && (letter.is_whitespace() || ";|&()".contains(letter));
    }
    any.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn only_comments_are_taken_away() {
        for (text, bare) in [
            ("ls # x", "ls "),
            ("#x\nls", "\nls"),
            ("a # b\nc # d", "a \nc "),
            ("a;#b", "a;"),
            ("(#b\na)", "(\na)"),
            ("'#' # '", "'#' "),
            ("\"# '\" # x", "\"# '\" "),
            ("\\\\ # x", "\\\\ "),
        ] {
            assert_eq!(without(text).as_deref(), Some(bare), "{text}");
        }
        for text in [
            "",
            "ls",
            "a#b",
            "'a # b'",
            "\"a # b\"",
            "\\#x",
            "a \\# b",
            "$#",
            "${#x}",
            "'a\n# b'",
        ] {
            assert_eq!(without(text), None, "{text}");
        }
    }
}
