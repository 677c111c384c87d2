//! How a text falls into cells: by what a person takes for one character, as wide as ratatui takes it.

use std::borrow::Cow;

use ratatui::buffer::CellWidth as _;
use sayso_core::visible::{is_hidden, visible};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};
use unicode_width::UnicodeWidthChar as _;

/// A character with more codes than this is one that was made to reach into other lines.
const MOST_CODES: usize = 16;
/// A character wider than this is a chain of letters, and is broken between them.
const WIDEST: u16 = 4;

/// The characters of a text that is [`steady`], each with where it starts and how many cells it takes, which is never none.
pub(super) fn cells(text: &str) -> impl Iterator<Item = (usize, &str, u16)> {
    text.grapheme_indices(true).flat_map(|(at, cluster)| {
        let width = if cluster.len() == 1 { 1 } else { cluster.cell_width() };
        let whole = is_sound(cluster, width);
        let parts = if whole { None } else { Some(cluster.char_indices()) };
        let parts = parts.into_iter().flatten().map(move |(inner, letter)| {
            let part = cluster.get(inner..inner + letter.len_utf8()).unwrap_or_default();
            (at + inner, part, part.cell_width().max(1))
        });
        whole.then_some((at, cluster, width)).into_iter().chain(parts)
    })
}

/// How many cells a text takes.
pub(super) fn width(text: &str) -> usize {
    if is_ascii(text) { text.len() } else { cells(text).map(|(_, _, width)| usize::from(width)).sum() }
}

/// Whether every byte of a text is one cell.
pub(super) fn is_ascii(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn is_sound(cluster: &str, width: u16) -> bool {
    (1..=WIDEST).contains(&width) && (cluster.len() <= MOST_CODES || cluster.chars().count() <= MOST_CODES)
}

/// A text in which something had to be spelled out.
pub(super) struct Spelled {
    /// The text as it is shown.
    pub text: String,
    /// Where the two texts part: bytes of the one, and bytes of the other.
    moved: Vec<(usize, usize)>,
}

impl Spelled {
    /// Where a byte of the text is now.
    pub fn place(&self, at: usize) -> usize {
        let index = self.moved.partition_point(|(before, _)| *before <= at);
        let (before, after) = index.checked_sub(1).and_then(|index| self.moved.get(index)).copied().unwrap_or_default();
        after + (at - before)
    }
}

/// Spells out what takes no cell of its own: a mark without a letter, or more marks than a letter has; none where nothing has to be.
///
/// A terminal would put such a mark on whatever stands before it, and ratatui leaves it out. It becomes `‹U+0301›`, as hidden characters
/// do; a `‹` that was written is spelled out itself, so that two texts never look the same.
pub(super) fn steady(text: &str) -> Option<Spelled> {
    let odd = |letter: char| !letter.is_ascii() && letter.width() == Some(0) || letter.is_control() || is_hidden(letter);
    // A mark may be where it belongs; then nothing is done below, but most texts have none at all.
    if is_ascii(text) || !text.chars().any(odd) {
        return None;
    }
    let mut out = Spelled { text: String::with_capacity(text.len() + 16), moved: Vec::new() };
    let mut changed = false;
    for (at, cluster) in text.grapheme_indices(true) {
        let hidden = cluster.contains(|letter: char| letter.is_control() || is_hidden(letter));
        if !hidden && is_sound(cluster, if cluster.len() == 1 { 1 } else { cluster.cell_width() }) {
            out.text.push_str(cluster);
            continue;
        }
        for (inner, letter) in cluster.char_indices() {
            if !odd(letter) {
                out.text.push(letter);
                continue;
            }
            changed = true;
            match visible(letter.encode_utf8(&mut [0; 4])) {
                Cow::Owned(spelled) => out.text.push_str(&spelled),
                Cow::Borrowed(_) => out.text.push_str(&format!("‹U+{:04X}›", u32::from(letter))),
            }
            out.moved.push((at + inner + letter.len_utf8(), out.text.len()));
        }
    }
    changed.then_some(out)
}

/// The text alone, so that what it starts with cannot join what is put before it.
pub(super) fn alone(text: &str) -> Cow<'_, str> {
    steady(text).map_or(Cow::Borrowed(text), |spelled| Cow::Owned(spelled.text))
}

/// The end of a piece of about `most` bytes from the start of a text, where no character is cut.
pub(super) fn piece(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let mut at = most;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if text.get(at.saturating_sub(1)..at + 1).is_some_and(is_ascii) {
        return at;
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    if cursor.is_boundary(text, 0) == Ok(true) {
        return at;
    }
    cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_of_cells() {
        for (text, expected) in [
            ("ab", &[("a", 1), ("b", 1)][..]),
            ("漢字", &[("漢", 2), ("字", 2)]),
            ("e\u{301}x", &[("e\u{301}", 1), ("x", 1)]),
            ("🦀!", &[("🦀", 2), ("!", 1)]),
            ("🇩🇪🇫🇷", &[("🇩🇪", 2), ("🇫🇷", 2)]),
        ] {
            let found: Vec<(&str, u16)> = cells(text).map(|(_, cluster, width)| (cluster, width)).collect();
            assert_eq!(found, expected, "{text}");
            assert!(steady(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_has_no_cell_is_spelled_out() {
        let spelled = |text: &str| steady(text).map_or_else(|| text.to_owned(), |spelled| spelled.text);
        assert_eq!(spelled("\u{301}a"), "‹U+0301›a");
        assert_eq!(spelled("a\u{301}"), "a\u{301}");
        assert_eq!(spelled(&format!("a{}", "\u{301}".repeat(20))), format!("a{}", "‹U+0301›".repeat(20)));
        assert_eq!(spelled("a\u{1b}b\u{202e}"), "a␛b‹U+202E›");
        let chain = "क\u{94d}".repeat(12);
        assert_eq!(spelled(&chain), "क‹U+094D›".repeat(12));
        let moved = steady("\u{301}a\u{202e}b").unwrap();
        assert_eq!(moved.text.get(moved.place(2)..), Some("a‹U+202E›b"));
        assert_eq!(moved.text.get(moved.place(6)..), Some("b"));
        assert_eq!(moved.place(0), 0);
    }

    #[test]
    fn a_piece_never_ends_inside_of_a_character() {
        for text in ["漢".repeat(100), "e\u{301}".repeat(100), "🇩🇪".repeat(50), "a".repeat(100)] {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let end = piece(rest, 33);
                let (before, after) = rest.split_at(end);
                assert_eq!(before.graphemes(true).count() + after.graphemes(true).count(), rest.graphemes(true).count());
                assert!(end > 0 && end <= 45);
                rest = after;
            }
        }
    }
}
