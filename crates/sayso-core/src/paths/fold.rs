//! The form in which names are compared, so that no file system's idea of "the same name" slips past a list.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The name as the most forgiving file system would read it: NFKC, case folded, without characters that cannot be seen (HFS+), trailing dots
/// and spaces, and anything from the first `:` (NTFS).
///
/// It is for comparing with names that must be guarded. Two names with the same fold may well be two files.
pub fn fold(component: &str) -> Cow<'_, str> {
    // One pass without branches, as nearly every name is already in this form.
    let is_other = |byte: u8| !byte.is_ascii() | byte.is_ascii_uppercase() | (byte == b':');
    if !component
        .bytes()
        .fold(false, |found, byte| found | is_other(byte))
        && !component.ends_with(['.', ' '])
    {
        return Cow::Borrowed(component);
    }
    trimmed(without_stream(fold_letters(component)))
}

/// Whether [`fold_whole()`] may differ from [`fold()`]. Other signs than `:` can become one, so this looks no closer than it must.
pub(super) fn has_two_forms(component: &str) -> bool {
    component.bytes().fold(false, |found, byte| {
        found | !byte.is_ascii() | (byte == b':')
    })
}

/// [`fold()`], but with what follows a `:`. On Linux `x:key.pem` is a name that ends in `.pem`, so a name with a colon is compared in both forms.
pub(super) fn fold_whole(component: &str) -> Cow<'_, str> {
    trimmed(fold_letters(component))
}

fn fold_letters(component: &str) -> Cow<'_, str> {
    if component.is_ascii() {
        return match component.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(component.to_ascii_lowercase()),
            false => Cow::Borrowed(component),
        };
    }
    // Folding can make room for a composition, and the other way round, so both are done twice.
    let once: String = component
        .nfkc()
        .filter(|character| !is_ignorable(*character))
        .flat_map(fold_character)
        .collect();
    let twice: String = once
        .nfkc()
        .filter(|character| !is_ignorable(*character))
        .flat_map(fold_character)
        .nfkc()
        .collect();
    // What `İ` becomes: an i with its dot written apart.
    // Without it, the i may go together with a mark behind it.
    Cow::Owned(if twice.contains("i\u{307}") {
        without_extra_dots(&twice).nfkc().collect()
    } else {
        twice
    })
}

/// Full case folding, near enough: going up and down again makes `ß` into `ss`, `ſ` into `s`, `ı` into `i` and `ς` into `σ`.
fn fold_character(character: char) -> impl Iterator<Item = char> {
    character
        .to_lowercase()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
}

fn without_extra_dots(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        if !(character == '\u{307}' && kept.ends_with('i')) {
            kept.push(character);
        }
    }
    kept
}

fn without_stream(name: Cow<'_, str>) -> Cow<'_, str> {
    keep(name, |text| text.find(':').unwrap_or(text.len()))
}

fn trimmed(name: Cow<'_, str>) -> Cow<'_, str> {
    keep(name, |text| text.trim_end_matches(['.', ' ']).len())
}

/// The first bytes of a name, as many as `length` says.
fn keep<'a>(name: Cow<'a, str>, length: impl Fn(&str) -> usize) -> Cow<'a, str> {
    match name {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..length(text)).unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(length(&text));
            Cow::Owned(text)
        }
    }
}

/// Characters that Unicode calls default-ignorable: they take no room, and HFS+ and people overlook them.
pub(super) fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `component` could be the short name (`GIT~1`, `ID_RSA~2`, `GI7EBA~1`, `SERVER~1.PEM`) that Windows made for a name which fits `name`.
///
/// `name` may hold `*`. The answer is yes too often, as short names with a number are rare elsewhere.
pub fn is_short_name_of(component: &str, name: &str) -> bool {
    is_folded_short_name_of(&fold(component), &fold(name))
}

/// [`is_short_name_of()`] for names in their folded form.
pub(super) fn is_folded_short_name_of(short: &str, name: &str) -> bool {
    let Some((stem, short_ending)) = parts_of_short_name(short) else {
        return false;
    };
    let (base, ending) = name
        .trim_start_matches(['.', ' '])
        .rsplit_once('.')
        .unwrap_or((name.trim_start_matches(['.', ' ']), ""));
    // `*.pem` is told by its ending, but `.*rc` would be any short name at all.
    if base.starts_with('*') && (ending.is_empty() || ending.contains('*')) {
        return false;
    }
    stem_fits(stem, base) && ending_fits(short_ending, ending, base)
}

/// The stem before the number, and the ending, where a folded name has the form of a short name at all: hardly any has.
pub(super) fn parts_of_short_name(folded: &str) -> Option<(&str, &str)> {
    let (base, ending) = folded.rsplit_once('.').unwrap_or((folded, ""));
    let (stem, number) = base.rsplit_once('~')?;
    let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_numbered && base.len() <= 8 && ending.len() <= 3).then_some((stem, ending))
}

/// The stem is the start of the name, or its first two characters and four hexadecimal digits of a checksum.
fn stem_fits(stem: &str, base: &str) -> bool {
    let mut letters = stem.chars();
    let mut signs = base
        .chars()
        .filter(|character| !matches!(character, '.' | ' '));
    let mut taken = 0;
    loop {
        match (letters.clone().next(), signs.next()) {
            (_, Some('*')) => return true,
            (None, None) => return taken > 0,
            (None, Some(_)) => return taken + 2 >= 6,
            // Letters and digits stay; what such a name cannot hold becomes `_`.
            (Some(letter), Some(sign))
                if sign == '?' || letter == sign || letter == '_' && !sign.is_alphanumeric() =>
            {
                letters.next();
                taken += 1;
            }
            _ => return taken >= 2 && is_checksum(stem, taken),
        }
    }
}

fn is_checksum(stem: &str, taken: usize) -> bool {
    taken <= 6
        && stem.chars().count() == 6
        && stem
            .chars()
            .skip(2)
            .all(|character| character.is_ascii_hexdigit())
}

/// The ending is cut to three characters. A pattern such as `.env*` leaves it open.
fn ending_fits(short: &str, ending: &str, base: &str) -> bool {
    let is_open = base.ends_with('*') && ending.is_empty();
    let mut signs = ending.chars();
    is_open
        || (short.chars().all(|letter| {
            signs
                .next()
                .is_some_and(|sign| matches!(sign, '*' | '?') || sign == letter)
        }) && (short.chars().count() == 3 || signs.next().is_none_or(|sign| sign == '*')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_names_are_borrowed() {
        for name in ["src", "main.rs", "a-b_c+d", ".git", "node_modules", "x~"] {
            assert!(
                matches!(fold(name), Cow::Borrowed(kept) if kept == name),
                "{name}"
            );
        }
    }

    #[test]
    fn h_76_spellings_of_one_name_fold_to_it() {
        for spelling in [
            ".git",
            ".GIT",
            ".Git",
            ".git.",
            ".git ",
            ".git. . ",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
            ".GIT :$i30",
            ".g\u{200c}it",
            ".gi\u{feff}t",
            ".g\u{130}t",
            ".gI\u{307}t",
            ".g\u{131}t",
            ".\u{ff47}\u{ff49}\u{ff54}",
            "\u{2024}git",
            ".g\u{ad}it",
            ".\u{24d6}it",
            ".g\u{e0069}it",
        ] {
            assert_eq!(fold(spelling), ".git", "{spelling:?}");
        }
        assert_eq!(fold(".\u{df}h"), ".ssh");
        assert_eq!(fold(".\u{1e9e}h"), ".ssh");
        assert_eq!(fold(".\u{17f}sh"), ".ssh");
        assert_eq!(fold(".\u{212a}ube"), ".kube");
        assert_eq!(fold("cafe\u{301}"), "caf\u{e9}");
        assert_eq!(fold("\u{3a3}\u{3c2}"), "\u{3c3}\u{3c3}");
        assert_eq!(fold("漢字"), "漢字");
    }

    #[test]
    fn a_mark_behind_a_dot_that_goes_is_folded_at_once() {
        for name in [
            "wi\u{307}\u{30f}",
            "\u{130}\u{30f}",
            "i\u{307}\u{307}\u{301}",
        ] {
            let once = fold(name).into_owned();
            assert_eq!(fold(&once), once, "{name:?}");
        }
    }

    #[test]
    fn other_names_stay_other() {
        for name in [".gitignore", "git", "..git", "-git", " .git", ".g it"] {
            assert_ne!(fold(name), ".git", "{name:?}");
        }
    }

    #[test]
    fn only_some_names_have_two_forms() {
        for name in ["a:b", ":", "\u{e9}", "\u{ff1a}x"] {
            assert!(has_two_forms(name), "{name:?}");
        }
        assert!(!has_two_forms("abc") && !has_two_forms(""));
        assert_eq!(
            (fold(":"), fold("a:B"), fold_whole("a:B")),
            ("".into(), "a".into(), "a:b".into())
        );
    }

    #[test]
    fn h_76_short_names_are_recognised() {
        for (short, name) in [
            ("GIT~1", ".git"),
            ("git~2", ".git"),
            ("ENV~1", ".env"),
            ("ENV~1", ".env*"),
            ("ENV~1.LOC", ".env*"),
            ("ENVIRO~1", ".env*"),
            ("SSH~1", ".ssh"),
            ("GITMOD~1", ".gitmodules"),
            ("GI7EBA~1", ".gitmodules"),
            ("ID_RSA~1", "id_rsa*"),
            ("SERVER~1.PEM", "*.pem"),
            ("STATE~1.TFS", "*.tfstate"),
            ("NPMRC~1", ".npmrc"),
            ("BASH_P~1", ".bash_profile"),
            ("GIT~1:x", ".git"),
            ("G_T~1", ".g+t"),
            ("GXT~1", ".g?t"),
            ("ENV~1.LO", "env.lo*"),
        ] {
            assert!(is_short_name_of(short, name), "{short} {name}");
        }
        for (short, name) in [
            ("GIT", ".git"),
            ("GIT~", ".git"),
            ("~1", ".git"),
            ("GIT~1", ".github"),
            ("a.txt~1", "*.pem"),
            ("SERVER~1.TXT", "*.pem"),
            ("file.~1~", ".git"),
            ("GIT~1", ".*_history"),
            ("~1", ""),
            ("GAT~1", ".git"),
            ("G_T~1", ".git"),
            ("GAT~1", ".g+t"),
            ("GIXXXX~1", ".gitmodules"),
            ("GI7EB~1", ".gitmodules"),
            ("SERVER~1.PE", "*.pem"),
        ] {
            assert!(!is_short_name_of(short, name), "{short} {name}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(name in "\\PC{0,12}") {
            let once = fold(&name).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once.clone());
        }
    }
}
