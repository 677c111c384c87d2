//! Commands whose name is put together by the line itself: `$(echo rm) -rf /`, `` `printf rm` -rf ~ ``, `/bin/r? -rf ~`.

/// Rounds of putting in what is printed, for one inside of another.
const ROUNDS: usize = 4;
/// So many are put in at each round.
const MOST: usize = 64;

/// The text with what `echo` and `printf` print put in where they stand in a substitution; none if there is none.
pub(crate) fn printed_in(text: &str) -> Option<String> {
    let mut current: Option<String> = None;
    for _ in 0..ROUNDS {
        match once(current.as_deref().unwrap_or(text)) {
            Some(next) => current = Some(next),
            None => break,
        }
    }
    current
}

fn once(text: &str) -> Option<String> {
    // Nothing else is put in.
    if !text.contains("echo") && !text.contains("printf") {
        return None;
    }
    let mut out = String::new();
    let mut rest = text;
    let mut any = false;
    // Where there is no such sign to the end of the text, it is not looked for again.
    let mut closed = true;
    for _ in 0..MOST {
        let Some((at, open, close)) = next_opening(rest) else {
            break;
        };
        let (before, after) = rest.split_at_checked(at)?;
        let inner = after.get(open..)?;
        out.push_str(before);
        let end = if close == ')' && !closed {
            None
        } else {
            inner.find(close)
        };
        closed &= close != ')' || end.is_some();
        match end.and_then(|end| Some((printed(inner.get(..end)?)?, inner.get(end + 1..)?))) {
            Some((plain, behind)) => {
                any = true;
                out.push_str(&plain);
                rest = behind;
            }
            None => {
                out.push_str(after.get(..open)?);
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    any.then_some(out)
}

/// Where a substitution opens, how long its opening is, and what closes it.
fn next_opening(text: &str) -> Option<(usize, usize, char)> {
    let bytes = text.as_bytes();
    let opens = |at: usize| bytes.get(at) == Some(&b'`') || bytes.get(at + 1) == Some(&b'(');
    let at = bytes
        .iter()
        .enumerate()
        .find(|(at, byte)| matches!(byte, b'`' | b'$') && opens(*at))
        .map(|(at, _)| at)?;
    Some(if bytes.get(at) == Some(&b'`') {
        (at, 1, '`')
    } else {
        (at, 2, ')')
    })
}

/// What `echo` or `printf` prints, where its words are plain.
fn printed(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let name = words.next()?;
    let mut words: Vec<&str> = words
        .filter(|word| !matches!(*word, "-n" | "-e" | "--"))
        .collect();
    match name {
        "echo" => {}
        "printf"
            if words.first().is_some_and(|format| {
                matches!(format.trim_matches(['\'', '"']), "%s" | "%s\\n" | "%b")
            }) =>
        {
            words.remove(0);
        }
        "printf" => {}
        _ => return None,
    }
    let plain = words.join(" ");
    let plain: String = plain
        .chars()
        .filter(|letter| !matches!(letter, '\'' | '"'))
        .collect();
    (!plain.is_empty() && !plain.contains(['$', '`', '|', ';', '&', '<', '>', '(']))
        .then_some(plain)
}

/// The longest pattern that is looked at: comparing costs more with each star.
const MAX_GLOB: usize = 32;

/// The program that a name with wild signs may stand for, of those that destroy.
pub(crate) fn globbed(name: &str) -> Option<&'static str> {
    const DESTROY: [&str; 9] = [
        "rm", "dd", "shred", "mkfs", "chmod", "chown", "mv", "wipefs", "find",
    ];
    // A name that fits everything tells nothing, and a long one is not written to hide two letters.
    if name.len() > MAX_GLOB
        || !name.contains(['?', '[', '*'])
        || !name.bytes().any(|byte| byte.is_ascii_alphabetic())
    {
        return None;
    }
    DESTROY
        .into_iter()
        .find(|known| fits(known.as_bytes(), name.as_bytes()))
}

fn fits(text: &[u8], pattern: &[u8]) -> bool {
    match (text.split_first(), pattern.split_first()) {
        (None, None) => true,
        (_, Some((b'*', rest))) => {
            fits(text, rest)
                || text
                    .split_first()
                    .is_some_and(|(_, text)| fits(text, pattern))
        }
        (Some((_, text)), Some((b'?', rest))) => fits(text, rest),
        (Some((letter, text)), Some((b'[', rest))) => {
            let Some(end) = rest.iter().position(|byte| *byte == b']') else {
                return false;
            };
            rest.get(..end).is_some_and(|set| set.contains(letter))
                && fits(text, rest.get(end + 1..).unwrap_or(&[]))
        }
        (Some((letter, text)), Some((sign, rest))) => letter == sign && fits(text, rest),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{globbed, printed_in};

    #[test]
    fn what_is_printed_is_put_in() {
        assert_eq!(printed_in("$(echo rm) -rf /").as_deref(), Some("rm -rf /"));
        assert_eq!(printed_in("`printf rm` -rf ~").as_deref(), Some("rm -rf ~"));
        assert_eq!(
            printed_in("$(printf '%s' rm) -r $(ls)").as_deref(),
            Some("rm -r $(ls)")
        );
        assert_eq!(printed_in("$(echo $(echo rm)) x").as_deref(), Some("rm x"));
        for text in [
            "ls",
            "$(ls) x",
            "echo $(date)",
            "$(echo $x)",
            "$(echo",
            "`echo a|sh`",
        ] {
            assert_eq!(printed_in(text), None, "{text}");
        }
    }

    #[test]
    fn names_with_wild_signs() {
        assert_eq!(globbed("r?"), Some("rm"));
        assert_eq!(globbed("r[m]"), Some("rm"));
        assert_eq!(globbed("r*"), Some("rm"));
        for name in ["rm", "*", "??", "ls*", "node?"] {
            assert_eq!(globbed(name), None, "{name}");
        }
    }
}
