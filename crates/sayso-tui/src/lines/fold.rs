//! Folds a long line to the width of the screen, so that whatever it holds, no line starts with what somebody else wrote.

use std::borrow::Cow;

use crate::fold::{Break, NEAR, next_row};
use crate::safe_glyphs::spelled;

/// No screen is narrower than this; on one that is, the terminal folds.
const NARROWEST: usize = 20;

/// The line in pieces that fit into `width`, each but the first behind the mark. Colours take no room. Where a blank is near, a row ends
/// before it: at the start of the next row it can be seen, and so none is lost.
pub fn folded(line: &str, width: usize, mark: &str) -> String {
    let width = width.max(NARROWEST);
    // Most lines are short, and a byte is never wider than a place.
    if line.len() <= width && line.is_ascii() {
        return line.to_owned();
    }
    let line = &*sure(line);
    let lead = self::width(mark);
    let mut out = String::with_capacity(line.len() + line.len() / 8);
    let mut start = 0;
    let mut room = width;
    loop {
        let rest = line.get(start..).unwrap_or_default();
        let mut in_colour = false;
        let letters = rest.char_indices().map(|(at, character)| {
            // What came from outside is visible by now, so a code is one of ours: `ESC [ 3 1 m`.
            let is_code = character == '\u{1b}' || in_colour;
            in_colour = is_code && character != 'm';
            (at, character, is_code)
        });
        let letters = letters
            .filter(|(.., is_code)| !is_code)
            .map(|(at, character, _)| (at, character == ' ', places(character)));
        let Some(end) = next_row(letters, room, Break::BeforeBlank, |gap| gap.empty < NEAR) else {
            out.push_str(rest);
            return out;
        };
        out.push_str(rest.get(..end).unwrap_or_default());
        out.push('\n');
        out.push_str(mark);
        start += end;
        room = width.saturating_sub(lead);
    }
}

/// The line with everything spelled out that a terminal may hide or put elsewhere; our own colours stay.
fn sure(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let mut parts = line.split('\u{1b}');
    let mut out = spelled(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let (code, text) = part.split_at(part.find('m').map_or(part.len(), |end| end + 1));
        out.push('\u{1b}');
        out.push_str(code);
        out.push_str(&spelled(text));
    }
    Cow::Owned(out)
}

/// How many places a text takes at most.
pub fn width(text: &str) -> usize {
    text.chars().map(places).sum()
}

/// The text, or as much of it as fits into `width` together with a `…`.
pub fn cut(text: &str, width: usize) -> String {
    if self::width(text) <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += places(*character);
        used <= width
    };
    let mut out: String = text.chars().take_while(fits).collect();
    out.push('…');
    out
}

/// How many places a character takes at most. One that is thought too wide only folds its line earlier.
fn places(character: char) -> usize {
    match character {
        // Letters with marks, then punctuation, arrows and the lines of frames.
        '\0'..='\u{10FF}' | '\u{2000}'..='\u{2319}' | '\u{2400}'..='\u{25FC}' | '✓' | '✗' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_is_wider_than_the_screen_and_nothing_is_lost() {
        let texts = [
            "",
            "short",
            &"x".repeat(500),
            &"so many words ".repeat(40),
            &" ".repeat(200),
            &"a  b   c    d".repeat(30),
            &"漢".repeat(77),
            &"a漢ü…".repeat(40),
            &format!("\u{1b}[31m{}\u{1b}[0m", "y".repeat(90)),
        ];
        for text in texts {
            for width in [0, 20, 21, 80] {
                let out = folded(text, width, "  ↪ ");
                let mut pieces = out.split('\n');
                let mut whole = pieces.next().unwrap().to_owned();
                for piece in pieces {
                    whole.push_str(piece.strip_prefix("  ↪ ").unwrap());
                }
                assert_eq!(whole, text);
                let bare = out.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
                assert!(
                    bare.split('\n')
                        .all(|piece| piece.chars().map(places).sum::<usize>()
                            <= width.max(NARROWEST)),
                    "{width}: {out}"
                );
            }
        }
    }

    #[test]
    fn a_row_ends_before_a_blank_that_is_near_and_blanks_are_seen() {
        assert_eq!(
            folded("twelve words that are kept as they are", 20, "> "),
            "twelve words that\n>  are kept as they\n>  are"
        );
        assert_eq!(
            folded("twelve words that  are", 20, "> "),
            "twelve words that\n>   are"
        );
        let far = format!("a {}", "x".repeat(40));
        assert_eq!(
            folded(&far, 20, "> "),
            format!(
                "a {}\n> {}\n> {}",
                "x".repeat(18),
                "x".repeat(18),
                "x".repeat(4)
            )
        );
    }

    #[test]
    fn what_a_terminal_may_hide_is_spelled_out_and_colours_stay() {
        assert_eq!(
            folded("\u{1b}[1mrm A\u{605};B\u{1b}[0m \u{9BE}é", 80, "> "),
            "\u{1b}[1mrm A‹U+0605›;B\u{1b}[0m ‹U+09BE›é"
        );
    }

    #[test]
    fn what_is_cut_fits_and_says_so() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("漢漢漢", 5), "漢漢…");
        assert_eq!(cut("漢漢漢", 4), "漢…");
        assert_eq!(cut("abc", 1), "…");
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(folded(&"x".repeat(80), 80, "> "), "x".repeat(80));
        assert_eq!(folded(&"─".repeat(80), 80, "> "), "─".repeat(80));
        assert_eq!(
            folded(&"x".repeat(81), 80, "> "),
            format!("{}\n> x", "x".repeat(80))
        );
    }
}
