//! Commands whose name is put together by the line itself: `$(echo rm) -rf /`, `` `printf rm` -rf ~ ``, `/bin/r? -rf ~`.

use super::program_names::is_destroyer;

/// Rounds of putting in what is printed, for one inside of another.
const ROUNDS: usize = 4;
/// So many are put in at each round.
const MOST: usize = 64;

/// The text with what `echo` and `printf` print put in where they stand in a substitution, with the program that `which` finds, with
/// the program that a variable stands for when it is empty, and with blanks where the line has words parted elsewhere; none if there is
/// nothing of that.
pub(crate) fn printed_in(text: &str) -> Option<String> {
    let mut current: Option<String> = parted_at_blanks(text);
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
    if ![
        "echo",
        "printf",
        "${",
        "which",
        "command -v",
        "type -",
        "whence",
    ]
    .iter()
    .any(|sign| text.contains(sign))
    {
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
        if close == '}' {
            let end = inner.find(close);
            match end.and_then(|end| Some((default(inner.get(..end)?)?, inner.get(end + 1..)?))) {
                Some((plain, behind)) => {
                    any = true;
                    out.push_str(plain);
                    rest = behind;
                }
                None => {
                    out.push_str(after.get(..open)?);
                    rest = inner;
                }
            }
            continue;
        }
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
    let opens =
        |at: usize| bytes.get(at) == Some(&b'`') || matches!(bytes.get(at + 1), Some(b'(' | b'{'));
    let at = bytes
        .iter()
        .enumerate()
        .find(|(at, byte)| matches!(byte, b'`' | b'$') && opens(*at))
        .map(|(at, _)| at)?;
    Some(match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'`'), _) => (at, 1, '`'),
        (_, Some(b'{')) => (at, 2, '}'),
        _ => (at, 2, ')'),
    })
}

/// The program that a variable stands for when it is empty: `rm -rf` of `${x:-rm -rf}`.
fn default(inner: &str) -> Option<&str> {
    let length = inner
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (name, rest) = inner.split_at_checked(length)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let plain = rest
        .strip_prefix(['-', '='])?
        .trim_matches(['\'', '"', ' ']);
    let program = plain.split(' ').next().unwrap_or(plain);
    (!name.is_empty() && is_destroyer(program) && !plain.contains(['$', '`', '|', ';', '&']))
        .then_some(plain)
}

/// The text with blanks in the place of the sign that `IFS=,` has words parted at.
fn parted_at_blanks(text: &str) -> Option<String> {
    let (_, behind) = text.split_once("IFS=")?;
    let value = behind.trim_start_matches(['$', '\'', '"']);
    let sign = value.chars().next()?;
    // Before a command, it is for that alone.
    let ends = value
        .get(sign.len_utf8()..)?
        .trim_start_matches(['\'', '"'])
        .starts_with([';', '\n', '&']);
    (ends && ",:;|/_-.+@%^~#".contains(sign)).then(|| text.replace(sign, " "))
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
        // The program itself, by the path that it is found at.
        "which" | "whence" => return found(words.last()?),
        "command" if words.first() == Some(&"-v") => return found(words.last()?),
        "type" if matches!(words.first(), Some(&("-P" | "-p"))) => return found(words.last()?),
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

/// A program that destroys, found by its name.
fn found(name: &str) -> Option<String> {
    let name = name.trim_matches(['\'', '"']);
    is_destroyer(name).then(|| name.to_owned())
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
        assert_eq!(printed_in("${x:-rm -rf} ~").as_deref(), Some("rm -rf ~"));
        assert_eq!(
            printed_in("\"$(command -v git)\" reset").as_deref(),
            Some("\"git\" reset")
        );
        assert_eq!(
            printed_in("IFS=,; c='rm,-rf,/'; $c").as_deref(),
            Some("IFS= ; c='rm -rf /'; $c")
        );
        for text in [
            "ls",
            "${x:-y} z",
            "$(which hello) x",
            "IFS=, read -r a b",
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
