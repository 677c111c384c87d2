//! How a text falls into cells: by what a person takes for one character, as wide as ratatui takes it.

use unicode_segmentation::GraphemeCursor;

use crate::safe_glyphs::{self, Piece};

/// So many bytes behind a place its character ends, or it is none.
const FARTHEST: usize = 256;

/// The characters of a text that is [`steady`], each with where it starts and how many cells it takes, which is never none.
pub(crate) fn cells(text: &str) -> Cells<'_> {
    Cells { text, at: 0 }
}

/// See [`cells`].
pub(crate) struct Cells<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Cells<'a> {
    type Item = (usize, &'a str, u16);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..)?;
        let mut letters = rest.chars();
        let letter = letters.next()?;
        // Between two plain letters there is always the end of a character, so only what is around others is looked at closely.
        let (bytes, width) = match plain(letter)
            .filter(|_| letters.next().is_none_or(|next| plain(next).is_some()))
        {
            Some(width) => (letter.len_utf8(), width),
            None => match safe_glyphs::first(rest)? {
                Piece::Letter(whole, width) => (whole.len(), width),
                Piece::Odd(_) => (letter.len_utf8(), 1),
            },
        };
        let at = self.at;
        self.at += bytes;
        Some((at, self.text.get(at..self.at).unwrap_or_default(), width))
    }
}

/// The width of a letter that never joins another one that is plain, and that has its own cells; none where it must be looked at closely.
fn plain(letter: char) -> Option<u16> {
    match letter {
        ' '..='~'
        | '\u{A1}'..='\u{AC}'
        | '\u{AE}'..='\u{2FF}'
        | '\u{370}'..='\u{377}'
        | '\u{391}'..='\u{3A1}'
        | '\u{3B1}'..='\u{3C9}' => Some(1),
        '\u{400}'..='\u{482}'
        | '\u{48A}'..='\u{52F}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2018}'..='\u{2022}'
        | '\u{2026}'
        | '\u{2039}'..='\u{203A}' => Some(1),
        '\u{2400}'..='\u{2421}' | '\u{2500}'..='\u{257F}' => Some(1),
        '\u{3001}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}'
        | '\u{30A0}'..='\u{30FF}'
        | '\u{4E00}'..='\u{9FA5}'
        | '\u{AC00}'..='\u{D7A3}' => Some(2),
        '\u{FF01}'..='\u{FF60}' => Some(2),
        _ => None,
    }
}

/// Whether every byte of a text is one cell.
pub(crate) fn is_ascii(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// A text in which something had to be spelled out.
pub(crate) struct Spelled {
    /// The text as it is shown.
    pub text: String,
    /// Where the two texts part: bytes of the one, and bytes of the other.
    moved: Vec<(usize, usize)>,
}

impl Spelled {
    /// Where a byte of the text is now.
    pub fn place(&self, at: usize) -> usize {
        let index = self.moved.partition_point(|(before, _)| *before <= at);
        let (before, after) = index
            .checked_sub(1)
            .and_then(|index| self.moved.get(index))
            .copied()
            .unwrap_or_default();
        after + (at - before)
    }
}

/// Spells out what does not surely stand in its own cells (see [`sure`]); none where nothing has to be.
///
/// A terminal would put such a mark on whatever stands before it, and ratatui leaves it out. It becomes `‹U+0301›`, as hidden characters
/// do; a `‹` that was written is spelled out itself, so that two texts never look the same.
pub(crate) fn steady(text: &str) -> Option<Spelled> {
    if is_ascii(text) || text.chars().all(|letter| plain(letter).is_some()) {
        return None;
    }
    let (odd_at, _) =
        safe_glyphs::pieces(text).find(|(_, piece)| matches!(piece, Piece::Odd(_)))?;
    let mut out = Spelled {
        text: String::with_capacity(text.len() + 16),
        moved: Vec::new(),
    };
    out.text.push_str(text.get(..odd_at).unwrap_or_default());
    for (inner, piece) in safe_glyphs::pieces(text.get(odd_at..).unwrap_or_default()) {
        match piece {
            Piece::Letter(letter, _) => out.text.push_str(letter),
            Piece::Odd(letter) => {
                out.text.push_str(&safe_glyphs::code(letter));
                out.moved
                    .push((odd_at + inner + letter.len_utf8(), out.text.len()));
            }
        }
    }
    Some(out)
}

/// The end of a piece of about `most` bytes from the start of a text, where no character is cut.
pub(crate) fn piece(text: &str, most: usize) -> usize {
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
    // A character that goes on for longer is none, and may be cut between its letters; looking for its end could take for ever.
    let mut end = text.len().min(at + FARTHEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let window = text.get(..end).unwrap_or(text);
    let mut cursor = GraphemeCursor::new(at, window.len(), true);
    if cursor.is_boundary(window, 0) == Ok(true) {
        return at;
    }
    cursor
        .next_boundary(window, 0)
        .ok()
        .flatten()
        .filter(|found| *found < end || end == text.len())
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::CellWidth as _;
    use sayso_core::text::visible::is_hidden;
    use unicode_segmentation::UnicodeSegmentation as _;

    #[test]
    fn table_of_cells() {
        for (text, expected) in [
            ("ab", &[("a", 1), ("b", 1)][..]),
            ("漢字", &[("漢", 2), ("字", 2)]),
            ("e\u{301}x", &[("e\u{301}", 1), ("x", 1)]),
            ("🦀!", &[("🦀", 2), ("!", 1)]),
        ] {
            let found: Vec<(&str, u16)> = cells(text)
                .map(|(_, cluster, width)| (cluster, width))
                .collect();
            assert_eq!(found, expected, "{text}");
            assert!(steady(text).is_none(), "{text}");
        }
    }

    #[test]
    fn plain_letters_are_as_wide_as_they_are_said_to_be_and_stand_alone() {
        let plain: Vec<char> = ('\0'..=char::MAX)
            .filter(|letter| plain(*letter).is_some())
            .collect();
        for letter in &plain {
            let text = letter.to_string();
            assert_eq!(
                Some(text.as_str().cell_width()),
                super::plain(*letter),
                "U+{:04X}",
                u32::from(*letter)
            );
            let width = super::plain(*letter).unwrap();
            assert_eq!(
                safe_glyphs::first(&text),
                Some(Piece::Letter(&text, width)),
                "U+{:04X}",
                u32::from(*letter)
            );
            assert!(
                !is_hidden(*letter) || matches!(letter, '‹' | '\u{2400}'..='\u{2421}'),
                "U+{:04X}",
                u32::from(*letter)
            );
        }
        let text: String = plain.iter().chain(plain.iter().rev()).collect();
        assert_eq!(text.graphemes(true).count(), 2 * plain.len());
        let stride: String = plain
            .iter()
            .step_by(97)
            .flat_map(|one| plain.iter().step_by(1009).flat_map(|other| [*one, *other]))
            .collect();
        assert_eq!(stride.graphemes(true).count(), stride.chars().count());
    }

    #[test]
    fn a_closer_look_gives_the_same_as_looking_at_everything() {
        for text in [
            "ae\u{301}漢\u{301}字b🦀x",
            "🇩🇪🇫🇷a🇩",
            "한\u{11A8}국",
            "\u{1100}\u{1161}한",
            "a\u{903}b",
            "ﾊﾞx",
            "é\u{1F3FB}z",
        ] {
            let text = &*safe_glyphs::spelled(text);
            let slowly: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
            let found: Vec<(usize, &str)> =
                cells(text).map(|(at, cluster, _)| (at, cluster)).collect();
            assert_eq!(found, slowly, "{text}");
        }
    }

    #[test]
    fn what_has_no_cell_is_spelled_out() {
        let spelled =
            |text: &str| steady(text).map_or_else(|| text.to_owned(), |spelled| spelled.text);
        assert_eq!(spelled("\u{301}a"), "‹U+0301›a");
        assert_eq!(spelled("a\u{301}"), "a\u{301}");
        assert_eq!(
            spelled(&format!("a{}", "\u{301}".repeat(20))),
            format!("a\u{301}\u{301}\u{301}{}", "‹U+0301›".repeat(17))
        );
        assert_eq!(spelled("a\u{1b}b\u{202e}"), "a␛b‹U+202E›");
        let chain = "क\u{94d}".repeat(12);
        assert_eq!(spelled(&chain), "क‹U+094D›".repeat(12));
        let moved = steady("\u{301}a\u{202e}b").unwrap();
        assert_eq!(moved.text.get(moved.place(2)..), Some("a‹U+202E›b"));
        assert_eq!(moved.text.get(moved.place(6)..), Some("b"));
        assert_eq!(moved.place(0), 0);
    }

    #[test]
    fn chains_without_end_are_taken_letter_by_letter() {
        for (chain, spelled) in [
            ("\u{1100}".repeat(20_000), 20_000 * 8),
            ("🇩".repeat(20_000), 20_000 * 9),
        ] {
            let shown = safe_glyphs::spelled(&chain);
            assert_eq!(
                cells(&shown)
                    .map(|(_, _, width)| usize::from(width))
                    .sum::<usize>(),
                spelled
            );
            assert!(
                cells(&shown).all(|(_, letter, width)| letter.chars().count() == 1 && width == 1)
            );
        }
        assert_eq!(piece(&"\u{1100}".repeat(20_000), 4096), 4095);
    }

    #[test]
    fn a_piece_never_ends_inside_of_a_character() {
        for text in [
            "漢".repeat(100),
            "e\u{301}".repeat(100),
            "🇩🇪".repeat(50),
            "a".repeat(100),
        ] {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let end = piece(rest, 33);
                let (before, after) = rest.split_at(end);
                assert_eq!(
                    before.graphemes(true).count() + after.graphemes(true).count(),
                    rest.graphemes(true).count()
                );
                assert!(end > 0 && end <= 45, "{end}");
                rest = after;
            }
        }
    }
}
