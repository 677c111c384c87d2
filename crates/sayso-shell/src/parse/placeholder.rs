//! Placeholders in words, called holes here: what is only known when a command runs is one character that no readable text has.
//!
//! The reader refuses private characters, so a hole can never come from the text itself. Tables of programs see words as `&str`; a hole
//! is a character like any other to them, and what must not have one asks [`is_literal`].

/// One word of any text: a quoted `"$x"`.
pub(crate) const TEXT: char = '\u{f0000}';
/// Any number of words of any text: an unquoted `$x`.
pub(crate) const LIST: char = '\u{f0001}';
/// Digits: `$?`, `$#`, `${#x}`.
pub(crate) const NUMBER: char = '\u{f0002}';
/// The person's home folder at the start of a word: `~`, `$HOME`.
pub(crate) const HOME: char = '\u{f0003}';
/// The folder the command runs in, at the start of a word: `$PWD`.
pub(crate) const HERE: char = '\u{f0004}';
/// Any characters of a file name: `*`.
pub(crate) const STAR: char = '\u{f0005}';
/// One character of a file name: `?` or a set.
pub(crate) const ANY: char = '\u{f0006}';
/// A pipe to or from another command of the line, which is judged by itself: `<(…)`.
pub(crate) const PIPE: char = '\u{f0007}';
/// Any file below the folder that stands before it: the `{}` of `find -exec`. Patterns of its name may follow, parted by `/`, up to
/// [`ENDED`]. Only [`names_below`] makes such a word and only [`below`] takes it apart: with any other text it is no name that is known.
pub(crate) const BELOW: char = '\u{f0008}';
/// At the end of a word in which a name of a file or folder stands without quotes: a blank in that name would part it.
pub(crate) const PARTED: char = '\u{f0009}';

/// The name of a commit: one word of letters, digits and what names of commits are made of, never an option.
pub(crate) const COMMIT: char = '\u{f000a}';

/// Behind a pattern of names: one of the files it stands for.
pub(crate) const SINGLE: char = '\u{f000b}';

/// Ends the patterns behind [`BELOW`]: what follows would be text behind a name.
const ENDED: char = '\u{f000c}';

/// Stands first among the patterns behind [`BELOW`]: what git ignores is not among the names.
pub(crate) const NOT_IGNORED: char = '\u{f000d}';

/// The top of the repository that the line starts in, at the start of a folder: where `cd "$(git rev-parse --show-toplevel)"` may lead.
pub(crate) const TOP: char = '\u{f000e}';

/// Stands first among the patterns behind [`BELOW`]: only what git tracks is among the names.
pub(crate) const TRACKED: char = '\u{f000f}';

/// Stands first among the patterns behind [`BELOW`]: the list does not go through links to folders.
pub(crate) const WALKED: char = '\u{f0010}';

/// Lines of digits, or nothing: the numbers of lines that a search found.
pub(crate) const DIGITS: char = '\u{f0011}';

/// The name of a file or folder that `mktemp` has just made.
pub(crate) const FRESH: char = '\u{f0012}';

/// Digits, perhaps behind a `-`.
pub(crate) const SIGNED: char = '\u{f0013}';

/// Whether a character is a hole.
fn is_hole(character: char) -> bool {
    (TEXT..=SIGNED).contains(&character)
}

/// Whether a word is nothing but text.
pub(crate) fn is_literal(word: &str) -> bool {
    // All holes are characters of four bytes that start with this one.
    !word.as_bytes().contains(&0xf3) || !word.chars().any(is_hole)
}

/// Whether a word may turn out to be an option.
pub(crate) fn may_be_option(word: &str) -> bool {
    word.starts_with(['-', TEXT, LIST, STAR, ANY, SIGNED])
}

/// Whether every program takes a word for an operand: it starts with neither `-` nor `+`, and what it starts with is known.
pub(crate) fn is_operand(word: &str) -> bool {
    let mut letters = word.chars();
    match letters.next() {
        Some(first)
            if first.is_ascii_alphanumeric() || matches!(first, '.' | '/' | '_' | HOME | TOP) =>
        {
            true
        }
        Some(HERE) => letters.next() == Some('/'),
        Some(PIPE) => letters.next().is_none(),
        _ => false,
    }
}

/// Whether a word may turn out to be several words, or none.
pub(crate) fn may_be_several(word: &str) -> bool {
    if is_literal(word) {
        return false;
    }
    let names = word.contains([STAR, ANY]) && !word.contains([BELOW, SINGLE]);
    word.contains(LIST)
        || names
        || word.contains([BELOW, NUMBER, COMMIT, FRESH]) && word.ends_with(PARTED)
}

/// Whether a word that is only known when it runs may turn out to be `;` or `+`, which end the command of `find -exec` and `fd -x`.
pub(crate) fn may_end_command(word: &str) -> bool {
    if is_literal(word) {
        return false;
    }
    let (place, names) = word
        .split_once(BELOW)
        .map_or((word, false), |(place, _)| (place, true));
    let bare_names = place.starts_with(HERE) && names;
    let rest = place.replace([TEXT, STAR, ANY, SINGLE, PARTED, DIGITS, FRESH], "");
    word.contains(LIST) || bare_names || matches!(rest.as_str(), "" | ";" | "+")
}

/// Whether a word stands for the names of files that are there.
pub(crate) fn is_glob(word: &str) -> bool {
    !is_literal(word)
        && word.contains([STAR, ANY])
        && !word.contains([
            TEXT, LIST, NUMBER, PIPE, BELOW, ENDED, COMMIT, DIGITS, FRESH, SIGNED,
        ])
}

/// The names of files below a folder, those of them that fit one of the patterns.
pub(crate) fn names_below(folder: &str, patterns: &[String]) -> String {
    format!("{folder}{BELOW}{}{ENDED}", patterns.join("/"))
}

/// Takes a word apart that is names below a folder and nothing else: the folder and the patterns.
pub(crate) fn below(word: &str) -> Option<(&str, &str)> {
    if is_literal(word) {
        return None;
    }
    let (folder, patterns) = word
        .trim_end_matches(PARTED)
        .strip_suffix(ENDED)?
        .split_once(BELOW)?;
    (!patterns.contains([BELOW, ENDED]) && !folder.contains(ENDED)).then_some((folder, patterns))
}

/// Whether there are names below a folder in a word, or what is left of them.
pub(crate) fn has_names_below(word: &str) -> bool {
    !is_literal(word) && word.contains([BELOW, ENDED])
}

/// Where a path starts that is not just text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// The person's home.
    Home,
    /// The folder the command runs in.
    Here,
}

/// The folder at the start of a path, and the rest with its `/`; none if the path starts otherwise.
pub(crate) fn rooted(path: &str) -> Option<(Root, &str)> {
    let (root, rest) = match path.strip_prefix(HOME) {
        Some(rest) => (Root::Home, rest),
        None => (Root::Here, path.strip_prefix(HERE)?),
    };
    // `${HOME}x` is another folder beside it.
    (rest.is_empty() || rest.starts_with('/')).then_some((root, rest))
}

/// The rest of a path that starts at the top of the repository, with its `/`; none if it starts elsewhere.
pub(crate) fn below_top(path: &str) -> Option<&str> {
    path.strip_prefix(TOP)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A word as a person reads it, or a sentence with such words in it.
pub(crate) fn shown(word: &str) -> String {
    if is_literal(word) {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    let mut characters = word.chars();
    while let Some(character) = characters.next() {
        match character {
            TEXT | LIST => out.push_str("$…"),
            NUMBER | SIGNED => out.push_str("$#"),
            HOME => out.push('~'),
            HERE => out.push_str("$PWD"),
            STAR => out.push('*'),
            ANY => out.push('?'),
            PIPE => out.push_str("<(…)"),
            BELOW => {
                out.push_str("/…");
                // The patterns of the names.
                characters.find(|character| *character == ENDED);
            }
            PARTED | SINGLE | ENDED | NOT_IGNORED | TRACKED | WALKED => {}
            COMMIT | TOP | DIGITS | FRESH => out.push_str("$(…)"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_holes_are_holes() {
        for word in ["", "a", "漢", "🎉", "\u{e0041}", "\u{f0014}x", "\u{c0000}"] {
            assert!(is_literal(word), "{word:?}");
            assert_eq!(shown(word), word);
        }
        for hole in [
            TEXT,
            LIST,
            NUMBER,
            HOME,
            HERE,
            STAR,
            ANY,
            PIPE,
            BELOW,
            PARTED,
            COMMIT,
            SINGLE,
            ENDED,
            NOT_IGNORED,
            TOP,
            TRACKED,
            WALKED,
        ] {
            assert!(!is_literal(&format!("a{hole}b")), "{hole:?}");
            assert!(is_literal(&shown(&format!("a{hole}b"))), "{hole:?}");
        }
    }

    #[test]
    fn what_may_be_several_words_is_known() {
        let below = names_below("d", &[]);
        for word in [
            format!("a{LIST}"),
            format!("{STAR}.md"),
            format!("a{ANY}"),
            format!("{below}{PARTED}"),
            format!("{NUMBER}{PARTED}"),
            format!("{COMMIT}{PARTED}"),
        ] {
            assert!(may_be_several(&word), "{}", shown(&word));
        }
        for word in [
            "a".to_owned(),
            format!("a{TEXT}"),
            format!("{STAR}.md{SINGLE}"),
            below,
            NUMBER.to_string(),
            COMMIT.to_string(),
            format!("{TEXT}{PARTED}"),
            names_below("d", &[format!("{STAR}.md")]),
        ] {
            assert!(!may_be_several(&word), "{}", shown(&word));
        }
    }

    #[test]
    fn what_may_end_a_command_of_find_is_known() {
        for word in [
            TEXT.to_string(),
            LIST.to_string(),
            format!("a{LIST}"),
            STAR.to_string(),
            format!("{ANY}{PARTED}"),
            format!("{TEXT};"),
            format!("+{STAR}"),
            names_below(&HERE.to_string(), &[]),
            names_below("", &[]),
        ] {
            assert!(may_end_command(&word), "{}", shown(&word));
        }
        for word in [
            ";".to_owned(),
            format!("a{TEXT}"),
            format!("{HERE}/a"),
            names_below("d", &[]),
            format!("{STAR}.md"),
            NUMBER.to_string(),
        ] {
            assert!(!may_end_command(&word), "{}", shown(&word));
        }
    }

    #[test]
    fn names_below_a_folder_are_taken_apart_again() {
        let patterns = [format!("{STAR}.md"), "a".to_owned()];
        let word = names_below("d", &patterns);
        assert!(
            has_names_below(&word)
                && has_names_below(&format!("x{ENDED}"))
                && !has_names_below("d")
                && !has_names_below(&TEXT.to_string())
        );
        assert_eq!(below(&word), Some(("d", patterns.join("/").as_str())));
        assert_eq!(
            below(&format!("{word}{PARTED}")),
            Some(("d", patterns.join("/").as_str()))
        );
        for other in [
            "d".to_owned(),
            format!("{word}x"),
            format!("{word}{word}"),
            format!("{ENDED}{word}"),
            format!("d{BELOW}{BELOW}{ENDED}"),
        ] {
            assert_eq!(below(&other), None, "{other:?}");
        }
        assert_eq!(shown(&format!("{word}.bak")), "d/….bak");
    }

    #[test]
    fn holes_are_shown_as_they_are_written() {
        for (hole, written) in [
            (TEXT, "$…"),
            (LIST, "$…"),
            (NUMBER, "$#"),
            (HOME, "~"),
            (HERE, "$PWD"),
            (STAR, "*"),
            (ANY, "?"),
            (PIPE, "<(…)"),
        ] {
            assert_eq!(shown(&format!("a{hole}b")), format!("a{written}b"));
        }
        for (hole, written) in [
            (COMMIT, "$(…)"),
            (TOP, "$(…)"),
            (PARTED, ""),
            (SINGLE, ""),
            (NOT_IGNORED, ""),
        ] {
            assert_eq!(shown(&format!("a{hole}b")), format!("a{written}b"));
        }
    }

    #[test]
    fn a_root_is_a_whole_name() {
        assert_eq!(rooted(&format!("{HOME}/x")), Some((Root::Home, "/x")));
        assert_eq!(rooted(&HERE.to_string()), Some((Root::Here, "")));
        assert_eq!(
            (
                rooted(&format!("{HOME}x")),
                rooted("x"),
                below_top(&format!("{TOP}x"))
            ),
            (None, None, None)
        );
        assert_eq!(below_top(&format!("{TOP}/x")), Some("/x"));
    }
}
