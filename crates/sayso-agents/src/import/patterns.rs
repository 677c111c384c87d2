//! Patterns of other systems in sayso's words.

use super::About;

/// Characters that a pattern of commands cannot hold outside of quotes.
const SPECIAL: [char; 9] = [';', '|', '&', '<', '>', '`', '\\', '{', '}'];

/// Whether a text can stand in a pattern of commands as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.contains(SPECIAL)
        && !text.contains(['\'', '"'])
        && !text.chars().any(char::is_control)
}

/// Exactly these words, or these and any further ones.
pub(crate) fn words(text: &str, open: bool) -> Option<About> {
    let plain = is_plain(text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (plain && !text.contains(['*', '?'])).then(|| About::Command {
        pattern: if open { format!("{text} *") } else { text },
        glob: false,
    })
}

/// A text in which `*` spans anything.
pub(crate) fn glob(text: &str) -> Option<About> {
    is_plain(text).then(|| About::Command {
        pattern: text.to_owned(),
        glob: true,
    })
}

/// Everything there is of commands.
pub(crate) fn any_command() -> About {
    About::Command {
        pattern: "*".to_owned(),
        glob: false,
    }
}

/// What the usual expressions for commands mean in words: `^git\s+(log|show)(\s|$)`. None for all others.
pub(crate) fn of_regex(expression: &str) -> Option<Vec<About>> {
    let text = expression.strip_prefix('^')?;
    let (text, open) = [
        ("(\\s|$)", true),
        ("(?:\\s|$)", true),
        ("(\\s+|$)", true),
        ("\\b", true),
        ("(\\s.*)?$", true),
        ("$", false),
    ]
    .into_iter()
    .find_map(|(end, open)| Some((text.strip_suffix(end)?, open)))?;
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for word in text
        .replace("\\s+", " ")
        .replace("\\s", " ")
        .replace("\\ ", " ")
        .split(' ')
        .filter(|word| !word.is_empty())
    {
        let group = word
            .strip_prefix("(?:")
            .or_else(|| word.strip_prefix('('))
            .and_then(|word| word.strip_suffix(')'));
        let choices: Vec<String> = match group {
            Some(choices) => choices.split('|').map(literal).collect::<Option<_>>()?,
            None => vec![literal(word)?],
        };
        all = all
            .iter()
            .flat_map(|words| {
                choices
                    .iter()
                    .map(|choice| words.iter().chain([choice]).cloned().collect())
            })
            .collect();
        if all.len() > 64 {
            return None;
        }
    }
    all.iter()
        .map(|list| words(&list.join(" "), open))
        .collect()
}

/// A part of an expression that stands for itself.
fn literal(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(
                letters
                    .next()
                    .filter(|next| !next.is_alphanumeric())
                    .map(Some)?,
            ),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' => {
                return None;
            }
            letter => out.push(letter),
        }
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::About;
    use super::glob;
    use super::of_regex;
    use super::words;

    fn shown(list: Option<Vec<About>>) -> Option<Vec<String>> {
        let one = |about| match about {
            About::Command { pattern, .. } => pattern,
            other => panic!("{other:?}"),
        };
        list.map(|list| list.into_iter().map(one).collect())
    }

    #[test]
    fn usual_expressions_are_words_and_others_are_not() {
        let list = |patterns: &[&str]| {
            Some(
                patterns
                    .iter()
                    .map(|pattern| (*pattern).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            shown(of_regex(r"^cargo\s+(check|test)(\s|$)")),
            list(&["cargo check *", "cargo test *"])
        );
        assert_eq!(shown(of_regex(r"^git\b")), list(&["git *"]));
        assert_eq!(shown(of_regex(r"^git log$")), list(&["git log"]));
        assert_eq!(
            shown(of_regex(r"^npm run build\-all$")),
            list(&["npm run build-all"])
        );
        for other in [
            "git",
            "^git",
            r"^git.*$",
            r"^git (a|b.c)$",
            r"^\w+$",
            "^$",
            r"^(git|hg$",
            r"^a;b$",
            r"^git\d$",
        ] {
            assert_eq!(of_regex(other), None, "{other}");
        }
    }

    #[test]
    fn what_has_no_place_in_a_pattern_is_not_put_there() {
        assert!(words("git  status", true).is_some() && glob("* --version").is_some());
        for text in ["a | b", "a && b", "", "  ", "a 'b'", "a\nb", "a {b,c}"] {
            assert!(
                words(text, true).is_none() && glob(text).is_none(),
                "{text}"
            );
        }
        assert!(words("a *", false).is_none());
    }
}
