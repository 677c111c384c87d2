//! Every character on a terminal that reads it: it hides nothing beside it, and no two texts give the same screen.

use std::collections::HashMap;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::text::visible::visible;
use sayso_tui::draw::{Frame, Surface};
use sayso_tui::fold::{self, GOES_ON, fold, line};
use sayso_tui::paint::Painter;
use sayso_tui::safe_glyphs::spelled;
use sayso_tui::theme::{Theme, Tone};
use vt100::Parser;

const WIDTH: u16 = 24;

/// A terminal on which these texts were painted, one a row, over others.
fn painted(texts: &[String]) -> Parser {
    painted_as(texts, |text| text)
}

/// The same on one that takes some letters for others.
fn painted_as(texts: &[String], taken: impl Fn(String) -> String) -> Parser {
    let height = u16::try_from(texts.len()).unwrap();
    let area = Rect::new(0, 0, WIDTH, height);
    let mut terminal = Parser::new(height.try_into().unwrap(), WIDTH.try_into().unwrap(), 0);
    let mut painter = Painter::default();
    let filled = vec!["X".repeat(usize::from(WIDTH)); texts.len()];
    for texts in [&filled[..], texts] {
        let mut buffer = Buffer::empty(area);
        for (y, text) in (0..).zip(texts) {
            fold::put(
                &mut buffer,
                0,
                y,
                usize::from(WIDTH),
                &line(Tone::Text, &**text),
                Theme::PLAIN,
            );
        }
        let bytes = painter.paint(
            Frame {
                surface: Surface::Whole,
                buffer,
            },
            height,
        );
        terminal.process(taken(String::from_utf8(bytes).unwrap()).as_bytes());
    }
    terminal
}

fn cell(terminal: &Parser, y: u16, x: usize) -> String {
    terminal
        .screen()
        .cell(y, u16::try_from(x).unwrap())
        .map(|cell| cell.contents().to_owned())
        .unwrap_or_default()
}

/// All characters of the planes that have letters, and some of those that have none.
fn characters() -> impl Iterator<Item = char> {
    let far = (0x3_2000u32..0x11_0000)
        .filter(|code| code % 251 == 0 || (0xE_0000..0xE_0200).contains(code));
    (0..0x3_2000u32).chain(far).filter_map(char::from_u32)
}

#[test]
fn no_character_hides_its_neighbours_and_no_two_look_the_same() {
    let all: Vec<char> = characters().collect();
    let mut seen: HashMap<String, char> = HashMap::new();
    for some in all.chunks(500) {
        let texts: Vec<String> = some
            .iter()
            .map(|one| visible(&format!("A{one};B")).into_owned())
            .collect();
        let terminal = painted(&texts);
        let rows = terminal.screen().rows(0, WIDTH);
        for (((y, one), text), row) in (0u16..).zip(some).zip(&texts).zip(rows) {
            let shown = spelled(text);
            let width = fold::width(&shown);
            let code = u32::from(*one);
            assert!(
                cell(&terminal, y, 0).starts_with('A'),
                "U+{code:04X}: {row}"
            );
            assert_eq!(cell(&terminal, y, width - 2), ";", "U+{code:04X}: {row}");
            assert_eq!(cell(&terminal, y, width - 1), "B", "U+{code:04X}: {row}");
            assert_eq!(row.replace(' ', ""), shown.replace(' ', ""), "U+{code:04X}");
            if let Some(other) = seen.insert(row, *one) {
                panic!("U+{code:04X} looks like U+{:04X}", u32::from(other));
            }
        }
    }
    assert_eq!(seen.len(), all.len());
}

#[test]
fn what_an_attacker_wrote_is_told_from_what_it_resembles() {
    let row = |text: &str| {
        painted(&[visible(text).into_owned()])
            .screen()
            .rows(0, WIDTH)
            .next()
            .unwrap()
    };
    assert_eq!(row("test A\u{605};rm B"), "test A‹U+0605›;rm B");
    assert_eq!(row("rm notes\u{9BE}"), "rm notes‹U+09BE›");
    assert_eq!(row("rm \u{302E}notes"), "rm ‹U+302E›notes");
    assert_eq!(row("a\u{3248}b\u{17D8}c"), "a‹U+3248›b‹U+17D8›c");
}

#[test]
fn nothing_shows_through_where_a_terminal_takes_fewer_cells_than_we_do() {
    for narrower in ["k", ""] {
        let terminal = painted_as(&["A漢;B".to_owned()], |text| text.replace('漢', narrower));
        let row = terminal.screen().rows(0, WIDTH).next().unwrap();
        assert_eq!(row, format!("A{narrower:<2};B"));
    }
}

/// Letters that join, swallow, or have no width, among others.
fn hostile() -> impl Strategy<Value = String> {
    let odd = "a;B \u{605}\u{8E2}\u{111C2}\u{9BE}\u{302E}\u{94D}\u{915}\u{937}\u{1F1E9}\u{1F1EA}\u{1F3FB}🦀\u{200D}\u{1100}\u{1161}\u{11A8}한漢\u{301}\u{5B0}\u{5D0}\u{E33}\u{FE0F}⚠‹›U+";
    let letter = prop_oneof![
        any::<char>(),
        prop::sample::select(odd.chars().collect::<Vec<_>>())
    ];
    prop::collection::vec(letter, 0..12).prop_map(|letters| letters.into_iter().collect())
}

proptest! {
    #[test]
    fn two_texts_never_give_the_same_screen(one in hostile(), two in hostile(), at in any::<prop::sample::Index>(), odd in any::<char>()) {
        // One that differs from the first in a single place only.
        let mut near: Vec<char> = one.chars().collect();
        near.insert(at.index(near.len() + 1), odd);
        let near: String = near.into_iter().collect();
        let screen = |text: &str| {
            // The end is marked, since blanks there are not seen.
            let text = format!("{}|", visible(text));
            let rows = fold(&line(Tone::Text, text), usize::from(WIDTH), GOES_ON);
            let rows: Vec<String> = rows.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect()).collect();
            painted(&rows).screen().contents()
        };
        let first = screen(&one);
        prop_assert_eq!(first == screen(&two), one == two);
        prop_assert_ne!(first, screen(&near));
    }
}
