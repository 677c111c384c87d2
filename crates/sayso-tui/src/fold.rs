//! Lines of the screen out of lines of text: folded and never cut, so that everything of a text stands somewhere.

use ratatui::buffer::Buffer;

use crate::cells::cells;
use crate::safe_glyphs::spelled;
use crate::theme::{Theme, Tone};

/// A line of text in pieces, each with its tone.
pub type Spans = Vec<(Tone, String)>;

/// A folded line goes on behind this: whatever a text holds, no line of the screen starts with it.
pub const GOES_ON: &str = "↪ ";

/// A blank that is nearer to the end of a row than this is a good place to break.
pub(crate) const NEAR: usize = 16;

/// On which side of a blank a row may end before it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// The blank is the last letter of the row.
    BehindBlank,
    /// The blank is the first letter of the next row; only one that follows a word.
    BeforeBlank,
}

/// What of a row would be left for the next one if it ended at a blank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    /// The letters behind the break that would have fitted.
    pub letters: usize,
    /// Their cells.
    pub cells: usize,
    /// The cells of the row that would stay empty.
    pub empty: usize,
    /// The cells of the first letter that did not fit.
    pub next: usize,
}

/// Where the next row starts, for the letters from the start of a row: a place, whether it is a blank, and its cells. None where all fit.
pub(crate) fn next_row(
    letters: impl Iterator<Item = (usize, bool, usize)>,
    width: usize,
    at_blank: Break,
    is_near: impl Fn(Gap) -> bool,
) -> Option<usize> {
    let (mut used, mut count, mut behind_word) = (0, 0, false);
    // The last blank: the break at it, and the cells and letters before that.
    let mut last = None;
    for (at, blank, cells) in letters {
        if blank && behind_word && at_blank == Break::BeforeBlank {
            last = Some((at, used, count));
        }
        if used + cells > width && used > 0 {
            let near = last.filter(|(_, before, count_before)| {
                is_near(Gap {
                    letters: count - count_before,
                    cells: used - before,
                    empty: width - before,
                    next: cells,
                })
            });
            return Some(near.map_or(at, |(place, ..)| place));
        }
        used += cells;
        count += 1;
        behind_word = !blank;
        if blank && at_blank == Break::BehindBlank {
            last = Some((at + 1, used, count));
        }
    }
    None
}

/// One line in one tone.
pub fn line(tone: Tone, text: impl Into<String>) -> Spans {
    vec![(tone, text.into())]
}

/// How many cells a text takes.
pub fn width(text: &str) -> usize {
    cells(&spelled(text))
        .map(|(_, _, cells)| usize::from(cells))
        .sum()
}

/// How many cells a line takes.
pub fn width_of(spans: &Spans) -> usize {
    spans.iter().map(|(_, text)| width(text)).sum()
}

/// One letter of a line, as it is shown.
struct Letter {
    tone: Tone,
    text: String,
    cells: usize,
}

/// The line in rows of no more than `most` cells; each but the first starts with the mark. A row ends behind a blank where there is one near,
/// and no blank is dropped.
pub fn fold(spans: &Spans, most: usize, mark: &str) -> Vec<Spans> {
    let lead = width(mark);
    // A row has to take a wide letter beside the mark.
    let most = most.max(lead + 2);
    // Most lines are short, and a byte is never wider than a cell.
    if spans.iter().map(|(_, text)| text.len()).sum::<usize>() <= most
        && spans.iter().all(|(_, text)| text.is_ascii())
    {
        return vec![spans.clone()];
    }
    let mut all: Vec<Letter> = Vec::new();
    for (tone, text) in spans {
        all.extend(cells(&spelled(text)).map(|(_, letter, cells)| Letter {
            tone: *tone,
            text: letter.to_owned(),
            cells: usize::from(cells),
        }));
    }
    let mut out = Vec::new();
    let mut rest = all.as_slice();
    loop {
        let lead = if out.is_empty() { 0 } else { lead };
        let (row, behind) = rest.split_at(row_end(rest, most - lead));
        let mut spans: Spans = if out.is_empty() {
            Vec::new()
        } else {
            vec![(Tone::Faint, mark.to_owned())]
        };
        for letter in row {
            match spans.last_mut().filter(|(tone, _)| *tone == letter.tone) {
                Some((_, text)) => text.push_str(&letter.text),
                None => spans.push((letter.tone, letter.text.clone())),
            }
        }
        out.push(spans);
        rest = behind;
        if rest.is_empty() {
            return out;
        }
    }
}

/// How many letters a row takes.
fn row_end(letters: &[Letter], most: usize) -> usize {
    let letters_of = letters.iter().enumerate();
    let letters_of = letters_of.map(|(at, letter)| (at, letter.text == " ", letter.cells));
    next_row(letters_of, most, Break::BehindBlank, |gap| {
        gap.letters < NEAR
    })
    .unwrap_or(letters.len())
}

/// Rows in which our own words flow: broken at blanks, and folded where a word is longer than a row.
pub fn flow(items: &[Spans], gap: usize, most: usize) -> Vec<Spans> {
    let mut out: Vec<Spans> = Vec::new();
    let mut used = 0;
    for item in items {
        let cells = width_of(item);
        match out.last_mut() {
            Some(row) if used + gap + cells <= most => {
                row.push((Tone::Text, " ".repeat(gap)));
                row.extend(item.iter().cloned());
                used += gap + cells;
            }
            _ => {
                let rows = fold(item, most, "  ");
                used = rows.last().map_or(0, width_of);
                out.extend(rows);
            }
        }
    }
    out
}

/// Words of our own, broken at blanks.
pub fn words(tone: Tone, text: &str, most: usize) -> Vec<Spans> {
    let items: Vec<Spans> = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| line(tone, word))
        .collect();
    flow(&items, 1, most)
}

/// Writes a row. It gives the column behind the last letter.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, most: usize, row: &Spans, theme: Theme) -> u16 {
    let end = x
        .saturating_add(u16::try_from(most).unwrap_or(u16::MAX))
        .min(buffer.area.right());
    let mut at = x;
    for (tone, text) in row {
        if y >= buffer.area.bottom() || at >= end {
            break;
        }
        at = buffer
            .set_stringn(
                at,
                y,
                spelled(text),
                usize::from(end - at),
                theme.style(*tone),
            )
            .0;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::layout::Rect;
    use sayso_core::text::visible::visible;

    /// What stands in the rows of a screen, without the marks.
    fn read(rows: &[Spans], most: usize) -> String {
        let mut out = String::new();
        for (at, row) in rows.iter().enumerate() {
            let area = Rect::new(0, 0, u16::try_from(most).unwrap(), 1);
            let mut buffer = Buffer::empty(area);
            // Something that no text has, to see where the row ends.
            buffer.set_string(0, 0, "\u{10}".repeat(most), ratatui::style::Style::new());
            for cell in &mut buffer.content {
                cell.set_symbol("\u{10}");
            }
            let end = put(&mut buffer, 0, 0, most, row, Theme::PLAIN);
            let text: String = buffer
                .content
                .iter()
                .take(usize::from(end))
                .map(|cell| cell.symbol())
                .collect();
            // The second half of a wide letter is a blank cell of its own.
            let text = text.replace('\u{10}', "");
            out.push_str(if at == 0 {
                &text
            } else {
                text.strip_prefix(GOES_ON).unwrap()
            });
        }
        out
    }

    #[test]
    fn words_flow_and_nothing_is_lost() {
        let rows = words(Tone::Text, "one two three four", 9);
        let text: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        assert_eq!(text, ["one two", "three", "four"]);
    }

    proptest! {
        #[test]
        fn h_37_a_folded_text_is_on_the_screen_whole(text in any::<String>(), most in 8usize..40) {
            let text = visible(&text).into_owned();
            let rows = fold(&line(Tone::Text, &*text), most, GOES_ON);
            prop_assert!(rows.iter().all(|row| width_of(row) <= most));
            let wanted = spelled(&text).into_owned();
            // A wide letter leaves a blank cell behind it, in the text as on the screen.
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&read(&rows, most)), bare(&wanted));
        }
    }
}
