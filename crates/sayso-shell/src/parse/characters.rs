//! What characters and names mean to a shell, wherever they are looked at.

/// Words that start a construct when they are the command word and not quoted.
const RESERVED: [&str; 22] = [
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "case",
    "esac",
    "for",
    "select",
    "while",
    "until",
    "do",
    "done",
    "in",
    "function",
    "coproc",
    "foreach",
    "end",
    "repeat",
    "nocorrect",
    "noglob",
    "always",
];

/// Whether this unquoted word starts a construct.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether a character means itself outside of quotes, in every shell.
pub(crate) fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_@%+=:,./^-".contains(character)
}

/// The last part of a path.
pub(crate) fn last_part(path: &str) -> &str {
    // Most words are short, and looking at each byte is quicker than starting a search.
    let slash = if path.len() < 32 {
        path.bytes().rposition(|byte| byte == b'/')
    } else {
        path.rfind('/')
    };
    slash.and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

/// Whether a text is a name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Characters that a person would not see, or not see as what they are.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(u32::from(character),
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xe000..=0xf8ff | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xffff
            | 0x1d173..=0x1d17a | 0xe0000..=0x10ffff)
}

/// Whether a text starts with another, in any case.
pub(crate) fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|first| first.eq_ignore_ascii_case(start))
}
