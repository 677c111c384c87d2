//! Frames on a terminal that reads them: what stands there is what was drawn, whatever stood there before, and nothing is left behind.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::prompt::{Prompt, Style};
use sayso_tui::draw::Surface;
use sayso_tui::key::Key;
use sayso_tui::paint::Painter;
use sayso_tui::prompt_state::Asking;
use sayso_tui::theme::Theme;
use vt100::Parser;

use crate::prompts::variants;
use crate::snapshots::{Some2, look};
use crate::text::text;

const BEFORE: &str = "first line\r\nsecond line\r\nthird line\r\n";

/// The rows of the screen that end with these of a frame.
fn is_shown(terminal: &Parser, surface: Surface, frame: &str) -> bool {
    let screen = terminal.screen().contents();
    let shown: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let wanted: Vec<&str> = frame.trim_end_matches('\n').lines().collect();
    match surface {
        Surface::Whole => shown == wanted,
        Surface::Here | Surface::Bottom => shown.ends_with(&wanted),
    }
}

#[test]
fn what_was_drawn_stands_on_the_terminal() {
    for (name, prompt) in variants() {
        // Terminals differ in how wide such letters are, and so does the one of the tests; their places are set one by one.
        if name.starts_with("hostile") {
            continue;
        }
        for style in [Style::Modal, Style::Status, Style::Inline] {
            for full in [false, true] {
                let mut terminal = Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
                terminal.process(BEFORE.as_bytes());
                if full {
                    (0..40).for_each(|number| {
                        terminal.process(format!("output {number}\r\n").as_bytes())
                    });
                }
                let start = Instant::now();
                let prompt = Arc::new(Prompt {
                    style,
                    ..prompt.clone()
                });
                let mut asking = Asking::new(
                    prompt,
                    look("sayso", Theme::COLOURS),
                    Arc::new(Some2),
                    start,
                );
                let mut painter = Painter::default();
                let mut now = start;
                for key in [
                    Key::Other,
                    Key::Char('x'),
                    Key::PageDown,
                    Key::Char('?'),
                    Key::Up,
                    Key::Esc,
                    Key::Char('v'),
                    Key::Esc,
                    Key::Home,
                ] {
                    now += Duration::from_secs(1);
                    asking.keys(vec![key.clone()], now);
                    let frame = asking.frame(80, 24, now);
                    let (wanted, surface) = (text(&frame.buffer), frame.surface);
                    terminal.process(&painter.paint(frame, 24));
                    asking.painted(now);
                    let found = terminal.screen().contents();
                    assert!(
                        is_shown(&terminal, surface, &wanted),
                        "{name} {style:?} after {key:?}\n{wanted}\n--- shows\n{found}"
                    );
                    if surface != Surface::Whole && !full {
                        assert!(
                            found.starts_with("first line\n"),
                            "what was printed before stays:\n{found}"
                        );
                    }
                }
                terminal.process(&painter.clear());
                terminal.process(b"goes on\r\n");
                let (last, rows) = (
                    terminal.screen().contents(),
                    terminal.screen().contents().lines().count(),
                );
                assert!(
                    last.trim_end().ends_with("goes on"),
                    "{name} {style:?}\n{last}"
                );
                assert!(
                    !last.contains('│') && !last.contains('┃') && !last.contains('║'),
                    "{name} {style:?}\n{last}"
                );
                assert!(
                    !terminal.screen().alternate_screen() && !terminal.screen().hide_cursor(),
                    "{name} {style:?}"
                );
                assert!(
                    full || rows == 4,
                    "{name} {style:?}: no empty rows are left\n{last}"
                );
            }
        }
    }
}

#[test]
fn only_what_is_different_is_painted() {
    let start = Instant::now();
    let (_, prompt) = variants().swap_remove(0);
    let mut asking = Asking::new(
        Arc::new(prompt),
        look("sayso", Theme::COLOURS),
        Arc::new(Some2),
        start,
    );
    let mut painter = Painter::default();
    let first = painter.paint(asking.frame(80, 24, start), 24).len();
    let second = painter
        .paint(asking.frame(80, 24, start + Duration::from_secs(1)), 24)
        .len();
    assert!(
        second * 4 < first,
        "a countdown is one row: {second} of {first} bytes"
    );
}

#[test]
fn h_36_no_byte_of_a_text_is_a_code() {
    for (name, prompt) in variants() {
        for style in [Style::Modal, Style::Status, Style::Inline] {
            let start = Instant::now();
            let prompt = Arc::new(Prompt {
                style,
                ..prompt.clone()
            });
            let mut asking = Asking::new(
                prompt,
                look("sayso", Theme::COLOURS),
                Arc::new(Some2),
                start,
            );
            let bytes = Painter::default().paint(asking.frame(80, 24, start), 24);
            let text = String::from_utf8(bytes).unwrap();
            // Our own codes move, colour and clear; nothing else starts with an Escape.
            let mut rest = text.as_str();
            while let Some(at) = rest.find('\u{1b}') {
                rest = &rest[at + 1..];
                let end = rest.find(|letter: char| {
                    letter.is_ascii_alphabetic()
                        || matches!(letter, '7' | '8') && rest.starts_with(letter)
                });
                let code = &rest[..=end.unwrap()];
                let known = code == "7"
                    || code == "8"
                    || code.starts_with('[')
                        && code.ends_with(['m', 'H', 'G', 'K', 'J', 'A', 'B', 'h', 'l']);
                assert!(known, "{name} {style:?}: {code:?}");
            }
            assert!(
                !text
                    .chars()
                    .any(|letter| letter.is_control() && !matches!(letter, '\u{1b}' | '\r' | '\n')),
                "{name} {style:?}"
            );
        }
    }
}
