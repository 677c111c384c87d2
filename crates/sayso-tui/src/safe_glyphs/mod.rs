//! Which letters every terminal surely shows, each in its own cells; all others are spelled out.
//!
//! A terminal lets some characters swallow the letter behind them, draws others into the cells of their neighbours or not at all, and no
//! two terminals agree about the rest. So a letter is kept only if it is in a table of those that are old and well known, with no more
//! than three marks, and everything else becomes its code. Being too careful only spells out more.

mod tables;

use std::borrow::Cow;

use sayso_core::text::visible::{is_hidden, visible};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// More marks than these on one letter are spelled out: they would be painted over the lines around it.
const MOST_MARKS: usize = 3;

/// What a text starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A letter with its marks, and how many cells it takes.
    Letter(&'a str, u16),
    /// A character that has to be spelled out.
    Odd(char),
}

impl Piece<'_> {
    /// How many bytes of the text it takes.
    pub fn bytes(self) -> usize {
        match self {
            Piece::Letter(letter, _) => letter.len(),
            Piece::Odd(character) => character.len_utf8(),
        }
    }
}

/// The pieces of a text, each with where it starts.
pub fn pieces(text: &str) -> impl Iterator<Item = (usize, Piece<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let piece = first(text.get(at..)?)?;
        let start = at;
        at += piece.bytes();
        Some((start, piece))
    })
}

/// What a text starts with; none if it is empty.
pub fn first(text: &str) -> Option<Piece<'_>> {
    let letter = text.chars().next()?;
    let Some(width) = cells_of(letter) else {
        return Some(Piece::Odd(letter));
    };
    let rest = text.get(letter.len_utf8()..).unwrap_or_default();
    let alone = text.get(..letter.len_utf8()).unwrap_or_default();
    let marks: usize = rest
        .chars()
        .take(MOST_MARKS)
        .take_while(|mark| takes(letter, *mark))
        .map(char::len_utf8)
        .sum();
    let whole = text.get(..letter.len_utf8() + marks).unwrap_or(alone);
    Some(match whole.width() == usize::from(width) {
        true => Piece::Letter(whole, width),
        // A mark that makes its letter wider is none.
        false => Piece::Letter(alone, width),
    })
}

/// The code of a character, as [`sayso_core::text::visible`] writes it.
pub fn code(character: char) -> String {
    match visible(character.encode_utf8(&mut [0; 4])) {
        Cow::Owned(spelled) => spelled,
        Cow::Borrowed(_) => format!("‹U+{:04X}›", u32::from(character)),
    }
}

/// The text with everything spelled out that is not sure. It has to be one that [`sayso_core::text::visible`] gave, so that no two look the same.
pub fn spelled(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains(|one: char| one.is_ascii_control())
        || pieces(text).all(|(_, piece)| matches!(piece, Piece::Letter(..)))
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (_, piece) in pieces(text) {
        match piece {
            Piece::Letter(letter, _) => out.push_str(letter),
            Piece::Odd(character) => out.push_str(&code(character)),
        }
    }
    Cow::Owned(out)
}

/// How many cells a letter takes, if that is sure: the tables and the screen have to agree.
fn cells_of(letter: char) -> Option<u16> {
    if matches!(letter, ' '..='~') {
        return Some(1);
    }
    let width = match letter {
        _ if is_in(tables::NARROW, letter) => 1,
        _ if is_in(tables::WIDE, letter) => 2,
        _ => return None,
    };
    (letter.width() == Some(usize::from(width)) && !is_hidden(letter)).then_some(width)
}

/// Whether a letter keeps a mark. Only the marks of Latin are drawn on ASCII by every terminal, and a sign has none.
fn takes(letter: char, mark: char) -> bool {
    let fits = matches!(mark, '\u{300}'..='\u{36F}') || !letter.is_ascii();
    letter.is_alphanumeric() && fits && is_in(tables::MARKS, mark) && mark.width() == Some(0)
}

fn is_in(table: &[(u32, u32)], letter: char) -> bool {
    let code = u32::from(letter);
    let at = table.partition_point(|(_, last)| *last < code);
    table.get(at).is_some_and(|(first, _)| *first <= code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    fn all() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn tables_are_sorted_and_apart() {
        for table in [tables::NARROW, tables::WIDE, tables::MARKS] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|two| two[0].1 < two[1].0));
        }
        for letter in all() {
            let found = [tables::NARROW, tables::WIDE, tables::MARKS]
                .iter()
                .filter(|table| is_in(table, letter))
                .count();
            assert!(found <= 1, "U+{:04X}", u32::from(letter));
        }
    }

    #[test]
    fn a_sure_letter_joins_nothing_beside_it() {
        let letters: Vec<char> = all().filter(|letter| cells_of(*letter).is_some()).collect();
        assert!(letters.len() > 60_000, "{}", letters.len());
        for letter in &letters {
            assert!(!is_hidden(*letter), "U+{:04X}", u32::from(*letter));
            for text in [
                format!("A{letter};"),
                format!("{letter}{letter}"),
                format!("한{letter}क"),
                format!("🦀{letter}🦀"),
            ] {
                assert_eq!(
                    text.graphemes(true).count(),
                    text.chars().count(),
                    "U+{:04X}",
                    u32::from(*letter)
                );
            }
        }
    }

    #[test]
    fn what_swallows_or_moves_its_neighbours_is_spelled_out() {
        let prefixes = "\u{605}\u{70F}\u{890}\u{891}\u{8E2}\u{D4E}\u{111C2}\u{111C3}\u{1193F}\u{11941}\u{11A84}\u{11A89}\u{11D46}";
        let spacing =
            "\u{903}\u{9BE}\u{B3E}\u{BBE}\u{1715}\u{1B44}\u{302E}\u{16FF0}\u{1D165}\u{E33}\u{FF9E}";
        let unsure = "\u{3248}\u{324F}\u{1171E}\u{2630}\u{17D8}\u{1100}\u{1161}\u{11A8}\u{1F1E9}\u{1F3FB}\u{94D}\u{20DD}\u{1D400}";
        for odd in prefixes
            .chars()
            .chain(spacing.chars())
            .chain(unsure.chars())
        {
            let code = format!("‹U+{:04X}›", u32::from(odd));
            assert_eq!(spelled(&format!("A{odd};rm")), format!("A{code};rm"));
            assert_eq!(spelled(&format!("{odd}notes")), format!("{code}notes"));
        }
        for (text, shown) in [
            (
                "plain ünïcödé 漢字 🦀 한국 ελ Я ⚠ ✓ │ … ‹U+202E›",
                "plain ünïcödé 漢字 🦀 한국 ελ Я ⚠ ✓ │ … ‹U+202E›",
            ),
            ("e\u{301}", "e\u{301}"),
            (
                "e\u{301}\u{302}\u{303}\u{304}\u{305}",
                "e\u{301}\u{302}\u{303}‹U+0304›‹U+0305›",
            ),
            ("\u{301}a", "‹U+0301›a"),
            (";\u{301} \u{301}", ";‹U+0301› ‹U+0301›"),
            ("a\u{5B0}", "a‹U+05B0›"),
            ("\u{5D0}\u{5B0}", "\u{5D0}\u{5B0}"),
            ("\u{E01}\u{E34}", "\u{E01}\u{E34}"),
        ] {
            assert_eq!(spelled(text), shown);
        }
    }

    proptest! {
        #[test]
        fn spelling_twice_changes_nothing_and_every_piece_is_one_letter_of_the_screen(text in any::<String>()) {
            let text = visible(&text).into_owned();
            let once = spelled(&text).into_owned();
            prop_assert_eq!(spelled(&once), once.as_str());
            let found: Vec<&str> = pieces(&once).map(|(at, piece)| &once[at..at + piece.bytes()]).collect();
            prop_assert_eq!(found, once.graphemes(true).collect::<Vec<_>>());
        }

        #[test]
        fn two_texts_never_read_the_same(one in any::<String>(), two in any::<String>()) {
            prop_assert_eq!(spelled(&visible(&one)) == spelled(&visible(&two)), one == two);
        }
    }
}
