//! Rust text without its comments and with its literals emptied, so that a search finds only what is compiled.

/// Comments become nothing and literals become empty ones; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        let length = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['"', ..] => literal(rest, '"'),
            ['r', ..] if !follows_name(&out) => raw(rest),
            // A quote that closes at once is a character; any other starts a lifetime.
            ['\'', '\\', ..] | ['\'', _, '\'', ..] => literal(rest, '\''),
            _ => 0,
        };
        if length == 0 {
            out.push(c);
            at += 1;
            continue;
        }
        if !matches!(rest, ['/', ..]) {
            out.push_str("\"\"");
        }
        out.extend(rest.iter().take(length).filter(|c| **c == '\n'));
        at += length;
    }
    out
}

/// The lines of code, numbered from 1.
pub(crate) fn lines(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
}

/// Whether a line has a word, and not just a longer one that holds it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (
            line.get(..at).unwrap_or(""),
            line.get(at + word.len()..).unwrap_or(""),
        );
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

fn follows_name(out: &str) -> bool {
    out.chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest.get(at..) {
            Some(['/', '*', ..]) => (depth, at) = (depth + 1, at + 2),
            Some(['*', '/', ..]) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn literal(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while let Some(&c) = rest.get(at) {
        match c {
            '\\' => at += 2,
            _ if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string, or 0 if there is none.
fn raw(rest: &[char]) -> usize {
    let hashes = rest.iter().skip(1).take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let end: Vec<char> = std::iter::once('"')
        .chain(std::iter::repeat_n('#', hashes))
        .collect();
    let start = 2 + hashes;
    let body = rest.get(start..).unwrap_or_default();
    body.windows(end.len())
        .position(|window| window == end)
        .map_or(rest.len(), |at| start + at + end.len())
}

#[test]
fn only_code_is_left() {
    for (text, wanted) in [
        ("a // unsafe\nb", "a \nb"),
        ("a /* x /* y */ \n z */ b", "a \n b"),
        (r#"f("unsafe \" // x") + 1"#, "f(\"\") + 1"),
        ("r#\"un\"safe\n\"# + r\"\\\" x", "\"\"\n + \"\" x"),
        (
            "'\"' 'a' '\\'' <'a> b'x' var\"\"",
            "\"\" \"\" \"\" <'a> b\"\" var\"\"",
        ),
    ] {
        assert_eq!(code(text), wanted, "{text}");
    }
    assert!(has_word("pub unsafe fn x", "unsafe") && !has_word("unsafe_code = x", "unsafe"));
}
