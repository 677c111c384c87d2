//! How long a view takes to be there and to move, as a Markdown table: `cargo bench -p sayso-tui --bench views`.
//!
//! A frame is the drawing into cells and the bytes that a terminal gets of what has changed since the last frame.

#![expect(
    clippy::expect_used,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

// One way to measure for all benches.
#[path = "../../../sayso/benches/judge/measure.rs"]
mod measure;

use std::hint::black_box;

use measure::Table;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso_core::prompt::presentation::{Body, Change, Diff, DiffLine, Hunk, Piece};
use sayso_core::text::digest::Digest;
use sayso_gate::presentation::diff::diff;
use sayso_tui::draw::{Frame, Surface};
use sayso_tui::key::Key;
use sayso_tui::paint::Painter;
use sayso_tui::theme::Theme;
use sayso_tui::views::BodyView;

const FRAME: Option<f64> = Some(16e6);

/// A screen that nobody reads, with a view in it.
struct Screen {
    painter: Painter,
    size: (u16, u16),
    view: BodyView,
    theme: Theme,
}

impl Screen {
    /// Colours are worked out beside the first frame and come with a later one. Without them, no work of the screen before disturbs this one.
    fn first(body: &Body, width: u16, height: u16) -> Screen {
        Screen::new(body, width, height, Theme::PLAIN)
    }

    fn new(body: &Body, width: u16, height: u16, theme: Theme) -> Screen {
        let mut out = Screen {
            painter: Painter::default(),
            size: (width, height),
            view: BodyView::new(body),
            theme,
        };
        out.frame();
        out
    }

    fn frame(&mut self) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        self.view.draw(area, &mut buffer, self.theme);
        black_box(self.painter.paint(
            Frame {
                surface: Surface::Whole,
                buffer,
            },
            self.size.1,
        ));
    }

    fn press(&mut self, key: &Key) {
        self.view.key(key);
        self.frame();
    }
}

fn main() {
    let old: String = (0..10_000).map(line).collect();
    let new: String = (0..10_000)
        .map(|index| {
            if index % 33 == 7 {
                line(index).replace("some", "another")
            } else {
                line(index)
            }
        })
        .collect();
    let bytes = old.clone().into_bytes();
    let mut table = Table::new("SHA-256 of a file of 10,000 lines", move || {
        black_box(Digest::of_bytes(black_box(&bytes)));
    });
    let few = Body::Diff(diff("src/main.rs", &old, &new).expect("a diff"));
    for (width, height) in [(80, 24), (160, 50)] {
        table.add(
            &format!("first screen of a diff of 10,000 lines with 300 edits, compared and drawn, {width}×{height}"),
            Some(20e6),
            || {
                drop(Screen::first(&Body::Diff(diff("src/main.rs", &old, &new).expect("a diff")), width, height));
            },
        );
        table.add(
            &format!("the same, only drawn, {width}×{height}"),
            None,
            || drop(Screen::first(&few, width, height)),
        );
    }
    let many = changed(100_000);
    table.add(
        "a diff of 100,000 lines, all of them changed, opened",
        None,
        || drop(Screen::first(&many, 160, 50)),
    );
    moves(&mut table, "100,000 changed lines", &many, 160, 50);
    let foreign = Body::Content {
        path: "book.txt".to_owned(),
        language: None,
        lines: (0..100_000)
            .map(|index| format!("{index} {}", "漢字かな交じり文、e\u{301}も。".repeat(3)))
            .collect(),
        size: 0,
        notes: Vec::new(),
        over: None,
    };
    moves(
        &mut table,
        "100,000 lines of wide letters",
        &foreign,
        80,
        24,
    );
    table.add("100,000 lines of wide letters, opened", None, || {
        drop(Screen::first(&foreign, 80, 24))
    });
    let text = |piece: &str| Body::Text(vec![piece.repeat(16 * 1024 * 1024 / piece.len())]);
    moves(&mut table, "one line of 16 MB", &text("x"), 80, 24);
    moves(
        &mut table,
        "one line of 16 MB of flags",
        &text("🇩🇪"),
        80,
        24,
    );
    println!("{table}");
    if table.is_whole() {
        println!("A budget of 32 ms is one of two frames.");
    }
}

/// Keys that move a little and far, each with the frame that follows.
fn moves(table: &mut Table, name: &str, body: &Body, width: u16, height: u16) {
    let mut screen = Screen::new(body, width, height, Theme::COLOURS);
    for (words, keys) in [
        ("a row down", &[Key::Down][..]),
        ("a page down", &[Key::PageDown]),
        ("to the end and back", &[Key::End, Key::Home]),
        ("a page up from the end", &[Key::End, Key::PageUp]),
        (
            "to the next place and back",
            &[Key::Char(']'), Key::Char('[')],
        ),
        ("side by side and back", &[Key::Char('s'), Key::Char('s')]),
        (
            "a search that finds nothing",
            &[Key::Char('/'), Key::Char('~'), Key::Char('q'), Key::Enter],
        ),
    ] {
        // A pair of keys is two frames.
        let frames = if words.contains("search") {
            1
        } else {
            keys.len()
        };
        let budget = FRAME.map(|most| most * frames as f64);
        table.add(&format!("{name}: {words}"), budget, || {
            keys.iter().for_each(|key| screen.press(key))
        });
    }
}

fn line(index: usize) -> String {
    format!(
        "    let value_{index} = compute({}, \"some text\", {});\n",
        index % 97,
        index * 31 % 1009
    )
}

fn changed(lines: usize) -> Body {
    let one = |change, number: usize, word: &str| DiffLine {
        change,
        old: (change == Change::Removed).then_some(number),
        new: (change == Change::Added).then_some(number),
        pieces: vec![
            Piece {
                text: "    let value = ".to_owned(),
                emphasised: false,
            },
            Piece {
                text: format!("{word}_{number}"),
                emphasised: true,
            },
            Piece {
                text: "(1, \"some text\");".to_owned(),
                emphasised: false,
            },
        ],
    };
    let hunk = |start: usize| Hunk {
        old_start: start,
        new_start: start,
        before: Vec::new(),
        lines: (start..start + 100)
            .flat_map(|number| {
                [
                    one(Change::Removed, number, "old"),
                    one(Change::Added, number, "new"),
                ]
            })
            .collect(),
    };
    let hunks = (1..=lines).step_by(100).map(hunk).collect();
    let path = "src/main.rs".to_owned();
    Body::Diff(Diff {
        path,
        language: Some("rust"),
        hunks,
        added: lines,
        removed: lines,
        notes: Vec::new(),
        rest: Vec::new(),
    })
}
