//! Keys out of the bytes of a terminal: whatever it sends, no part of a longer sequence and nothing that was pasted passes for a key.

use std::time::Duration;

use sayso_core::text::visible::visible;

/// A key, or what else a terminal tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// A letter with Ctrl, in small.
    Ctrl(char),
    /// The Enter key.
    Enter,
    /// Enter with Alt: a new line in a text of several.
    NewLine,
    /// The Tab key.
    Tab,
    /// Tab with Shift.
    BackTab,
    /// The Backspace key.
    Backspace,
    /// The Delete key.
    Delete,
    /// The Escape key.
    Esc,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// The Home key.
    Home,
    /// The End key.
    End,
    /// Something that was pasted, as it was.
    Paste(String),
    /// The window has got the keyboard, or lost it.
    Focus(bool),
    /// Anything else: it decides nothing.
    Other,
}

impl Key {
    /// The key as records and legends name it.
    pub fn name(&self) -> String {
        match self {
            Key::Char(' ') => "Space".to_owned(),
            Key::Char(character) => visible(&character.to_string()).into_owned(),
            Key::Ctrl(letter) => format!("Ctrl-{}", letter.to_ascii_uppercase()),
            Key::Paste(_) => "paste".to_owned(),
            Key::Focus(_) | Key::Other => "other".to_owned(),
            Key::NewLine => "Alt-Enter".to_owned(),
            named => format!("{named:?}"),
        }
    }
}

/// An Escape that nothing follows for so long is the key.
pub const ALONE: Duration = Duration::from_millis(50);
/// A paste that goes on no more and has no end is over after this.
const PASTE_STALLS: Duration = Duration::from_secs(5);
/// Of a paste no more is kept.
const LONGEST_PASTE: usize = 64 * 1024;
/// A sequence that is longer is none.
const LONGEST_SEQUENCE: usize = 4096;
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// Reads keys from bytes as they come.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// The start of something that is not whole.
    rest: Vec<u8>,
    /// What was pasted so far.
    paste: Option<Vec<u8>>,
}

/// What the first bytes are.
enum First {
    /// A key of so many bytes.
    Key(Key, usize),
    /// A paste starts behind so many bytes.
    Paste(usize),
    /// The start of something longer.
    More,
}

impl Keys {
    /// The keys that are whole by now.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let mut out = Vec::new();
        loop {
            if let Some(paste) = &mut self.paste {
                match self
                    .rest
                    .windows(PASTE_ENDS.len())
                    .position(|window| window == PASTE_ENDS)
                {
                    Some(end) => {
                        keep(paste, self.rest.get(..end).unwrap_or_default());
                        self.rest.drain(..end + PASTE_ENDS.len());
                        out.extend(self.pasted());
                    }
                    None => {
                        // The end may be here in part.
                        let whole = self.rest.len().saturating_sub(PASTE_ENDS.len() - 1);
                        keep(paste, self.rest.get(..whole).unwrap_or_default());
                        self.rest.drain(..whole);
                        return out;
                    }
                }
            }
            match first(&self.rest) {
                First::Key(key, length) => {
                    self.rest.drain(..length.max(1).min(self.rest.len()));
                    out.push(key);
                }
                First::Paste(length) => {
                    self.rest.drain(..length);
                    self.paste = Some(Vec::new());
                }
                First::More if self.rest.len() > LONGEST_SEQUENCE => {
                    self.rest.clear();
                    out.push(Key::Other);
                }
                First::More => return out,
            }
        }
    }

    /// Nothing came for so long: what is not whole by now never will be.
    pub fn quiet(&mut self, length: Duration) -> Option<Key> {
        if let Some(paste) = &mut self.paste {
            if length < PASTE_STALLS {
                return None;
            }
            // What could have been the start of its end belongs to it, too.
            keep(paste, &std::mem::take(&mut self.rest));
            return self.pasted();
        }
        if self.rest.is_empty() || length < ALONE {
            return None;
        }
        let rest = std::mem::take(&mut self.rest);
        Some(if rest == [0x1b] { Key::Esc } else { Key::Other })
    }

    /// Whether something is begun and not whole, and how long to wait for the rest of it.
    pub fn waits(&self) -> Option<Duration> {
        match (&self.paste, self.rest.is_empty()) {
            (Some(_), _) => Some(PASTE_STALLS),
            (None, false) => Some(ALONE),
            (None, true) => None,
        }
    }

    fn pasted(&mut self) -> Option<Key> {
        let bytes = self.paste.take()?;
        Some(Key::Paste(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn keep(paste: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST_PASTE.saturating_sub(paste.len());
    paste.extend(bytes.iter().take(room));
}

fn first(bytes: &[u8]) -> First {
    match bytes {
        [] | [0x1b] => First::More,
        [0x1b, b'[', rest @ ..] => sequence(rest),
        [0x1b, b'O', end, ..] => First::Key(letter(*end), 3),
        [0x1b, b'O'] => First::More,
        // An answer of the terminal to something: its text is no typing.
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => string(rest),
        [0x1b, b'\r' | b'\n', ..] => First::Key(Key::NewLine, 2),
        // Two in a row: the first was the key.
        [0x1b, 0x1b, ..] => First::Key(Key::Esc, 1),
        [0x1b, rest @ ..] => match character(rest) {
            Some((_, length)) => First::Key(Key::Other, 1 + length),
            None => First::More,
        },
        [b'\r' | b'\n', ..] => First::Key(Key::Enter, 1),
        [b'\t', ..] => First::Key(Key::Tab, 1),
        [0x7f | 0x08, ..] => First::Key(Key::Backspace, 1),
        [control @ 1..=26, ..] => First::Key(Key::Ctrl(char::from(b'a' + control - 1)), 1),
        [0..=31, ..] => First::Key(Key::Other, 1),
        _ => match character(bytes) {
            Some((Some(character), length)) if !character.is_control() => {
                First::Key(Key::Char(character), length)
            }
            Some((_, length)) => First::Key(Key::Other, length),
            None => First::More,
        },
    }
}

/// The first character and its length in bytes; no character where the bytes are none, nothing where more have to come.
fn character(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    let length = match bytes.first()? {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((None, 1)),
    };
    match std::str::from_utf8(bytes.get(..length.min(bytes.len()))?) {
        Ok(text) => text
            .chars()
            .next()
            .map(|character| (Some(character), length)),
        Err(error) if error.error_len().is_none() && bytes.len() < length => None,
        Err(_) => Some((None, 1)),
    }
}

/// `ESC [`, numbers, a letter.
fn sequence(rest: &[u8]) -> First {
    let Some(end) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        return First::More;
    };
    let (parameters, last) = (
        rest.get(..end).unwrap_or_default(),
        rest.get(end).copied().unwrap_or_default(),
    );
    let length = end + 3;
    if last == b'~' {
        let number = parameters
            .split(|byte| *byte == b';')
            .next()
            .unwrap_or_default();
        return match number {
            b"200" => First::Paste(length),
            b"1" | b"7" => First::Key(Key::Home, length),
            b"3" => First::Key(Key::Delete, length),
            b"4" | b"8" => First::Key(Key::End, length),
            b"5" => First::Key(Key::PageUp, length),
            b"6" => First::Key(Key::PageDown, length),
            _ => First::Key(Key::Other, length),
        };
    }
    // What is no letter ends the sequence without being part of it.
    if !(0x40..=0x7e).contains(&last) {
        return First::Key(Key::Other, end + 2);
    }
    First::Key(letter(last), length)
}

fn letter(letter: u8) -> Key {
    match letter {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'F' => Key::End,
        b'H' => Key::Home,
        b'I' => Key::Focus(true),
        b'O' => Key::Focus(false),
        b'Z' => Key::BackTab,
        _ => Key::Other,
    }
}

/// Up to `BEL` or `ESC \`.
fn string(rest: &[u8]) -> First {
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            0x07 => return First::Key(Key::Other, at + 3),
            0x1b if rest.get(at + 1) == Some(&b'\\') => return First::Key(Key::Other, at + 4),
            _ => {}
        }
    }
    First::More
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut out = keys.feed(bytes);
        out.extend(keys.quiet(Duration::from_secs(9)));
        out
    }

    #[test]
    fn bytes_are_read_as_keys() {
        for (bytes, wanted) in [
            (&b"y"[..], vec![Key::Char('y')]),
            (b"\x1b", vec![Key::Esc]),
            (b"\x1b\x1b", vec![Key::Esc, Key::Esc]),
            (b"\x1by", vec![Key::Other]),
            (
                b"\x1b[A\x1b[1;5B\x1bOC",
                vec![Key::Up, Key::Down, Key::Right],
            ),
            (
                b"\x1b[5~\x1b[6~\x1b[H\x1b[4~\x1b[Z",
                vec![
                    Key::PageUp,
                    Key::PageDown,
                    Key::Home,
                    Key::End,
                    Key::BackTab,
                ],
            ),
            (
                b"\r\n\t\x7f\x08",
                vec![
                    Key::Enter,
                    Key::Enter,
                    Key::Tab,
                    Key::Backspace,
                    Key::Backspace,
                ],
            ),
            (b"\x1b\r\r", vec![Key::NewLine, Key::Enter]),
            (b"\x03\x1a", vec![Key::Ctrl('c'), Key::Ctrl('z')]),
            ("ü漢".as_bytes(), vec![Key::Char('ü'), Key::Char('漢')]),
            (b"\xff\xc3", vec![Key::Other, Key::Other]),
            (b"\x00", vec![Key::Other]),
            (
                b"\x1b[200~y\ry\x1b[A\x1b[201~n",
                vec![Key::Paste("y\ry\u{1b}[A".to_owned()), Key::Char('n')],
            ),
            (b"\x1b]11;rgb:ffff/yyyy\x07", vec![Key::Other]),
            (b"\x1bP1$ryes\x1b\\", vec![Key::Other]),
            (b"\x1b]52;yyy", vec![Key::Other]),
            (b"\x1b[200~yyy", vec![Key::Paste("yyy".to_owned())]),
            (b"\x1b[1;2", vec![Key::Other]),
            (b"\x1b[12\x1b", vec![Key::Other, Key::Esc]),
        ] {
            assert_eq!(keys(bytes), wanted, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn h_40_a_sequence_in_parts_is_never_its_letters() {
        for whole in [
            &b"\x1b[200~y\x1b[201~"[..],
            b"\x1b]0;y\x1b\\",
            b"\x1b[1;2y",
            b"\x1bOy",
            "\u{79c0}".as_bytes(),
        ] {
            for cut in 1..whole.len() {
                let mut keys = Keys::default();
                let mut out = keys.feed(&whole[..cut]);
                out.extend(keys.feed(&whole[cut..]));
                assert!(!out.contains(&Key::Char('y')), "{out:?}");
                assert_eq!(out.len(), 1, "{out:?}");
            }
        }
    }

    #[test]
    fn a_paste_that_stalls_ends_late_and_is_still_a_paste() {
        let mut keys = Keys::default();
        assert!(keys.feed(b"\x1b[200~y").is_empty());
        assert_eq!(keys.quiet(Duration::from_secs(1)), None);
        assert_eq!(keys.quiet(PASTE_STALLS), Some(Key::Paste("y".to_owned())));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
            let mut keys = Keys::default();
            let cut = cut.min(bytes.len());
            let mut out = keys.feed(&bytes[..cut]);
            out.extend(keys.feed(&bytes[cut..]));
            out.extend(keys.quiet(Duration::from_secs(9)));
            prop_assert!(keys.rest.is_empty() && keys.paste.is_none());
            prop_assert!(out.len() <= bytes.len());
        }

        #[test]
        fn nothing_pasted_is_a_key(text in "[ -~\r\n]{0,80}") {
            let bytes = [b"\x1b[200~", text.as_bytes(), b"\x1b[201~"].concat();
            prop_assert_eq!(keys(&bytes), vec![Key::Paste(text)]);
        }
    }
}
