//! The names and texts of a program in any common language: enough to tell what is called, and with which texts.

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name in small letters, with the dots, colons and arrows inside of it: `os.path.join`.
    Name(String),
    /// What stands in quotes.
    Text(String),
    /// What stands in backticks, or behind `%x` and `qx`: in some languages a command, in others a text.
    Ticked(String),
    /// Any other sign.
    Sign(u8),
}

/// So much of a program is looked at.
const MOST_BYTES: usize = 64 * 1024;

/// The parts of a program. Texts that do not end take the rest.
pub(crate) fn tokens(code: &str) -> Vec<Token> {
    let code = code
        .get(..code.floor_char_boundary(MOST_BYTES))
        .unwrap_or(code);
    let bytes = code.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' | b'\'' | b'`' => {
                let (text, next) = quoted(code, at, byte);
                out.push(if byte == b'`' {
                    Token::Ticked(text)
                } else {
                    Token::Text(text)
                });
                at = next;
            }
            _ if is_part_of_name(byte) => {
                let length = name_length(bytes.get(at..).unwrap_or(&[]));
                let name = code.get(at..at + length).unwrap_or("").to_ascii_lowercase();
                at += length;
                let opens = bytes
                    .get(at)
                    .copied()
                    .filter(|byte| b"({[|/!".contains(byte));
                match opens {
                    Some(open) if matches!(name.as_str(), "%x" | "qx") => {
                        let (text, next) = quoted(code, at, closing(open));
                        out.push(Token::Ticked(text));
                        at = next;
                    }
                    _ => out.push(Token::Name(name)),
                }
            }
            _ => {
                if !byte.is_ascii_whitespace() {
                    out.push(Token::Sign(byte));
                }
                at += 1;
            }
        }
    }
    out
}

fn is_part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$%".contains(&byte) || byte >= 0x80
}

/// How long a name is, with dots and double colons inside of it.
fn name_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(byte) if is_part_of_name(*byte) || *byte == b'.' => at += 1,
            Some(b':') if bytes.get(at + 1) == Some(&b':') => at += 2,
            _ => return at,
        }
    }
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        other => other,
    }
}

/// The text behind a quote, and where it goes on behind the closing one.
fn quoted(code: &str, open: usize, close: u8) -> (String, usize) {
    let bytes = code.as_bytes();
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        if byte == close {
            return (code.get(open + 1..at).unwrap_or("").to_owned(), at + 1);
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    (code.get(open + 1..).unwrap_or("").to_owned(), bytes.len())
}

/// The last part of a name: `run` of `subprocess.run`.
pub(crate) fn last_name(name: &str) -> &str {
    name.rsplit(['.', ':', '>'])
        .next()
        .unwrap_or(name)
        .trim_start_matches(['$', '%'])
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn names_and_texts() {
        let name = |text: &str| Token::Name(text.to_owned());
        let text = |text: &str| Token::Text(text.to_owned());
        assert_eq!(
            tokens("os.system('rm -rf ~')"),
            [
                name("os.system"),
                Token::Sign(b'('),
                text("rm -rf ~"),
                Token::Sign(b')')
            ]
        );
        assert_eq!(
            tokens("`ls`;%x(ls)"),
            [
                Token::Ticked("ls".into()),
                Token::Sign(b';'),
                Token::Ticked("ls".into())
            ]
        );
        assert_eq!(
            tokens("f(\"a\\\"b\""),
            [name("f"), Token::Sign(b'('), text("a\\\"b")]
        );
        assert_eq!(tokens("'open"), [text("open")]);
    }
}
