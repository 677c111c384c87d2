//! Spellings of a path that may open something else than what the text says.

use super::fold::is_ignorable;

/// What is wrong with a path as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// No tool should take it, with the reason.
    Refuse(&'static str),
    /// It may be meant, so a person should look, with the reason.
    Ask(&'static str),
}

/// What is odd about a path in the call of a file tool, which must take it literally. The worst thing found is told.
///
/// A leading `//` is a plain `/` here, as on Linux and macOS.
pub fn odd(written: &str) -> Option<Odd> {
    if is_plain(written) {
        return None;
    }
    let refused = refused(written).map(Odd::Refuse);
    refused.or_else(|| asked(written).map(Odd::Ask))
}

/// Nothing here but letters, digits and a few harmless signs; nearly every path is like this, and needs no closer look.
fn is_plain(written: &str) -> bool {
    let mut before = b'/';
    for byte in written.bytes() {
        let is_harmless = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b'+' | b'=');
        if !is_harmless || (byte == b'/' && before == b'.') {
            return false;
        }
        before = byte;
    }
    !written.is_empty() && written.len() <= 255 && before != b'.'
}

fn refused(written: &str) -> Option<&'static str> {
    if written.is_empty() {
        return Some("the path is empty");
    }
    if written.contains('\0') {
        return Some("the path holds a NUL character");
    }
    if written.chars().any(char::is_control) {
        return Some("the path holds a control character");
    }
    if written.starts_with("\\\\") {
        return Some("the path names another machine or a device (Windows)");
    }
    let Some(colon) = written.find(':') else {
        return is_variable(written);
    };
    let (before, after) = written.split_at(colon);
    let is_scheme = before.starts_with(|first: char| first.is_ascii_alphabetic())
        && before
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if is_scheme
        && before.len() == 1
        && (after.len() == 1 || after.starts_with(":/") || after.starts_with(":\\"))
    {
        return Some("the path starts with a drive letter (Windows)");
    }
    if is_scheme && (after.starts_with("://") || before.eq_ignore_ascii_case("file")) {
        return Some("this is a URL and not a path");
    }
    if after.contains(":$") {
        return Some("the path names a hidden stream of a file (Windows)");
    }
    is_variable(written)
}

/// `%NAME%`, which Windows replaces. Two hexadecimal digits between two signs are percent-encoding instead: `%E6%BC`.
fn is_variable(written: &str) -> Option<&'static str> {
    let mut pieces = written.split('%').skip(1).peekable();
    while let Some(piece) = pieces.next() {
        let is_name = piece.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && piece
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'(' | b')'));
        let is_encoding = piece.len() == 2 && piece.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_name && !is_encoding && pieces.peek().is_some() {
            return Some("the path holds a %VARIABLE% (Windows)");
        }
    }
    None
}

fn asked(written: &str) -> Option<&'static str> {
    let mut characters = written.chars();
    match characters.next() {
        Some('~') => return Some("a leading ~ may mean a home folder"),
        Some(' ') => return Some("the path starts with a space"),
        Some(first) if first.is_ascii_alphabetic() && written.get(1..2) == Some(":") => {
            return Some("a letter and a colon may mean a drive");
        }
        _ => {}
    }
    if let Some(why) = odd_name(written) {
        return Some(why);
    }
    let mut before = '/';
    for (place, character) in written.char_indices() {
        let why = match character {
            _ if character.is_ascii_alphanumeric() => None,
            '\\' => Some("a backslash may part folders, or not"),
            '`' => Some("the path holds a shell substitution"),
            '$' => dollar(written.get(place + 1..).unwrap_or_default()),
            '%' => encoded(written.get(place + 1..).unwrap_or_default()),
            '{' => braces(written.get(place + 1..).unwrap_or_default()),
            _ if character.is_ascii() => None,
            // One selector after a symbol only asks for its coloured form; anywhere else it hides.
            '\u{fe0e}' | '\u{fe0f}' if before >= '\u{203c}' && !is_ignorable(before) => None,
            _ => hidden(character),
        };
        if why.is_some() {
            return why;
        }
        before = character;
    }
    None
}

fn dollar(after: &str) -> Option<&'static str> {
    let is_variable = after
        .starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '_' | '{' | '('));
    is_variable.then_some("the path holds a shell variable or substitution")
}

fn encoded(after: &str) -> Option<&'static str> {
    let is_sign = after.get(..2).is_some_and(|code| {
        ["2e", "2f", "5c", "00"]
            .iter()
            .any(|sign| code.eq_ignore_ascii_case(sign))
    });
    is_sign.then_some("the path holds an encoded dot or slash")
}

/// `{a,b}` or `{1..3}`. Looks no further than a name can be long, so that many braces do not cost more than few.
fn braces(after: &str) -> Option<&'static str> {
    let inside = after
        .char_indices()
        .take(255)
        .find(|(_, character)| matches!(character, '{' | '}'));
    let (end, _) = inside.filter(|(_, character)| *character == '}')?;
    let list = after.get(..end)?;
    (list.contains(',') || list.contains("..")).then_some("braces may mean several paths")
}

fn hidden(character: char) -> Option<&'static str> {
    match character {
        '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}'
        | '\u{2800}' => Some("the path holds an unusual space"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            Some("the path turns the reading direction")
        }
        '\u{2024}' | '\u{2025}' | '\u{2044}' | '\u{2215}' | '\u{29f5}' | '\u{29f8}'
        | '\u{fe52}' | '\u{ff0e}' | '\u{ff0f}' | '\u{ff3c}' => {
            Some("the path holds a character that looks like a dot or a slash")
        }
        '\u{fffd}' => Some("part of the path could not be read as text"),
        _ if is_ignorable(character) => Some("the path holds an invisible character"),
        _ => None,
    }
}

fn odd_name(written: &str) -> Option<&'static str> {
    if written.len() > 4096 {
        return Some("the path is longer than a system takes");
    }
    written.split('/').find_map(|name| match name {
        "." | ".." => None,
        _ if name.len() > 255 => Some("a name in the path is longer than a system takes"),
        _ if name.ends_with('.') => Some("a name in the path ends with a dot, which Windows drops"),
        _ if name.ends_with(' ') => {
            Some("a name in the path ends with a space, which Windows drops")
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h_76_platform_spellings_are_refused() {
        for written in [
            "",
            "a\0b",
            "a\nb",
            "a\tb",
            "\u{1b}[2J",
            "a\u{85}b",
            "a\u{7f}",
            "C:\\proj\\.env",
            "c:/x",
            "C:",
            "\\\\host\\share",
            "\\\\?\\C:\\x",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "https://x.example/y",
            "git+ssh://h/r",
            ".git::$INDEX_ALLOCATION",
            "a/b.md::$DATA",
            "x:$i30",
            "%USERPROFILE%",
            "%_X%",
            "%ABCDEF%",
            "%zz%",
            "%APPDATA%/x",
            "a/%ProgramFiles(x86)%/b",
            "~/a\0",
        ] {
            assert!(
                matches!(odd(written), Some(Odd::Refuse(_))),
                "{written:?} {:?}",
                odd(written)
            );
        }
    }

    #[test]
    fn h_76_what_may_be_meant_is_asked() {
        let long = "x".repeat(256);
        for written in [
            "~/x",
            "~root/x",
            "$HOME/x",
            "a/${B}/c",
            "$(id)/x",
            "a`id`b",
            "a\\b",
            "..\\..\\x",
            "a\u{200b}b",
            "\u{202e}cod.exe",
            "a\u{a0}b",
            "a\u{3000}b",
            ".git ",
            ".git.",
            "a./b",
            "a /b",
            ".git /config",
            "...",
            "c:x",
            " /etc/x",
            " a/b",
            "a\u{ff0f}b",
            "a%2e%2e%2fb",
            "\u{feff}a",
            "a\u{3164}b",
            "{a,b}/c",
            "x{1..3}",
            "a\u{fe0f}b",
            "👩\u{200d}💻",
            "a\u{fffd}b",
            "\u{e0041}x",
            &long,
            "x/\u{2024}\u{2024}/y",
        ] {
            assert!(
                matches!(odd(written), Some(Odd::Ask(_))),
                "{written:?} {:?}",
                odd(written)
            );
        }
    }

    #[test]
    fn ordinary_paths_are_not_odd() {
        let long = "x".repeat(255);
        for written in [
            "a",
            "/a/b.c",
            "./x",
            "../x",
            "..",
            ".",
            "a/../b",
            "-rf",
            "@types/node",
            "café/漢字.md",
            "🎉.md",
            "❤\u{fe0f}.md",
            "a b/c d.txt",
            "x~",
            "GIT~1",
            "//host/share",
            "12:30.log",
            "100%",
            "a%20b",
            "a b://c",
            "1a://c",
            "%a b%c",
            "%1a%x",
            "%E6%BC%A2.md",
            "[slug].tsx",
            "{{cookiecutter.name}}/x",
            "cost$.txt",
            "a$1",
            "x..y",
            "Ünï",
            &long,
            "node_modules/.pnpm/a@1.0.0_b@2/x",
            "src/(group)/page.tsx",
            "C",
            "#x#",
            "a+b=c,d;e!f&g'h\"i",
        ] {
            assert_eq!(odd(written), None, "{written:?}");
        }
    }

    #[test]
    fn the_reason_is_the_right_one() {
        for written in ["\u{202e}cod.exe", "a\u{200f}b", "a\u{61c}b"] {
            assert_eq!(
                odd(written),
                Some(Odd::Ask("the path turns the reading direction")),
                "{written:?}"
            );
        }
        assert_eq!(odd(" a"), Some(Odd::Ask("the path starts with a space")));
        assert_eq!(odd(" a :"), Some(Odd::Ask("the path starts with a space")));
    }

    #[test]
    fn lengths_have_a_bound() {
        assert_eq!(odd(&"a/".repeat(2048)), None);
        assert!(odd(&("a/".repeat(2048) + "a")).is_some());
        assert_eq!(odd(&format!("a b{}", "x".repeat(252))), None);
        assert!(odd(&format!("a b{}", "x".repeat(253))).is_some());
    }
}
