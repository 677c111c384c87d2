//! How long it takes until a prompt stands on a terminal, and until a key shows, as a Markdown table: `cargo bench -p sayso-tui --bench prompt`.
//!
//! Frames are written to a pseudo terminal that somebody reads. Every time stands beside its ratio to a baseline of the same run, since
//! absolute times tell more of the machine than of the code.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement that cannot be made has nothing better to do than to stop"
)]

// One way to measure for all benches.
#[path = "../../../sayso/benches/judge/measure.rs"]
#[allow(dead_code, reason = "other benches need more of it")]
mod measure;
// And the same prompts as in the tests.
#[path = "../../tests/it/prompts.rs"]
#[allow(dead_code, reason = "the tests need more of them")]
mod prompts;

use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::Table;
use portable_pty::{PtySize, native_pty_system};
use sayso_core::prompt::keymap::Keymap;
use sayso_core::prompt::presentation::{Body, Change, Diff, DiffLine, Hunk, Piece};
use sayso_core::prompt::{Prompt, Style};
use sayso_tui::key::Key;
use sayso_tui::paint::Painter;
use sayso_tui::patterns::NoPatterns;
use sayso_tui::prompt_state::Asking;
use sayso_tui::prompt_style::Look;
use sayso_tui::theme::Theme;

const SIZE: (u16, u16) = (120, 40);
/// Nanoseconds in which a prompt is painted and a key shows.
const FRAME: f64 = 16e6;

fn look() -> Look {
    Look {
        keymap: Keymap::named("sayso"),
        risk: true,
        rule: true,
        enter_approves: false,
        theme: Theme::COLOURS,
    }
}

/// A change of so many lines, with one in ten changed.
fn change(lines: usize) -> Prompt {
    let piece = |text: String| {
        vec![Piece {
            text,
            emphasised: false,
        }]
    };
    let line = |at: usize| {
        let change = if at % 10 == 5 {
            Change::Added
        } else {
            Change::Same
        };
        let old = (change == Change::Same).then_some(at + 1);
        DiffLine {
            change,
            old,
            new: Some(at + 1),
            pieces: piece(format!("    let value_{at} = compute({at}, \"text\");")),
        }
    };
    let hunk = Hunk {
        old_start: 1,
        new_start: 1,
        before: Vec::new(),
        lines: (0..lines).map(line).collect(),
    };
    let diff = Diff {
        path: "src/large.rs".to_owned(),
        language: Some("rust"),
        hunks: vec![hunk],
        added: lines / 10,
        removed: 0,
        notes: Vec::new(),
        rest: Vec::new(),
    };
    let operation = prompts::operation(
        "file_edit",
        r#"{"path": "src/large.rs", "find": "a", "replace": "b"}"#,
    );
    Prompt {
        style: Style::Modal,
        ..prompts::prompt(operation, Body::Diff(diff))
    }
}

/// From the request to the flushed frame; the prompt then stands there.
fn paint(prompt: &Arc<Prompt>, terminal: &mut File) -> Asking {
    let now = Instant::now();
    let mut asking = Asking::new(Arc::clone(prompt), look(), Arc::new(NoPatterns), now);
    let mut painter = Painter::default();
    let bytes = painter.paint(asking.frame(SIZE.0, SIZE.1, now), SIZE.1);
    terminal.write_all(&bytes).unwrap();
    terminal.write_all(&painter.clear()).unwrap();
    terminal.flush().unwrap();
    asking
}

/// A prompt that stands there, to press keys at.
struct Standing {
    asking: Asking,
    painter: Painter,
    now: Instant,
}

impl Standing {
    fn at(prompt: &Arc<Prompt>) -> Standing {
        let now = Instant::now();
        let asking = Asking::new(Arc::clone(prompt), look(), Arc::new(NoPatterns), now);
        Standing {
            asking,
            painter: Painter::default(),
            now,
        }
    }

    fn press(&mut self, key: Key, terminal: &mut File) {
        self.now += Duration::from_secs(1);
        self.asking.keys(vec![key], self.now);
        let bytes = self
            .painter
            .paint(self.asking.frame(SIZE.0, SIZE.1, self.now), SIZE.1);
        self.asking.painted(self.now);
        terminal.write_all(&bytes).unwrap();
        terminal.flush().unwrap();
    }
}

fn main() {
    let size = PtySize {
        rows: SIZE.1,
        cols: SIZE.0,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let name = pair.master.tty_name().unwrap();
    let mut terminal = File::options().write(true).open(name).unwrap();
    let mut reader = pair.master.try_clone_reader().unwrap();
    std::thread::spawn(move || while reader.read(&mut [0; 65536]).is_ok_and(|count| count > 0) {});

    let mut table = Table::new("4 KiB to the terminal", || {
        terminal.write_all(&[b'x'; 4096]).unwrap()
    });
    for (name, style, prompt) in [
        (
            "inline, a command",
            Style::Inline,
            prompts::terminal("cargo test --workspace"),
        ),
        (
            "modal, a command of 10,000 characters",
            Style::Modal,
            prompts::terminal(&"x".repeat(10_000)),
        ),
        (
            "status, a hostile command",
            Style::Status,
            prompts::terminal(prompts::HOSTILE),
        ),
    ] {
        let prompt = Arc::new(Prompt { style, ..prompt });
        table.add(
            &format!("request → flushed frame: {name}"),
            Some(FRAME),
            || paint(&prompt, &mut terminal),
        );
    }
    for lines in [1000, 10_000, 100_000] {
        let prompt = Arc::new(change(lines));
        table.add(
            &format!("request → flushed frame: a change of {lines} lines"),
            Some(FRAME),
            || paint(&prompt, &mut terminal),
        );
    }
    let small = Arc::new(prompts::terminal("cargo test --workspace"));
    let mut standing = Standing::at(&small);
    standing.press(Key::Other, &mut terminal);
    table.add("key → flushed frame: a command", Some(FRAME), || {
        standing.press(Key::Char('x'), &mut terminal)
    });
    let large = Arc::new(change(100_000));
    let mut standing = Standing::at(&large);
    standing.press(Key::Other, &mut terminal);
    for key in [Key::Down, Key::PageDown, Key::End, Key::Home] {
        table.add(
            &format!("key → flushed frame: {key:?}, 100,000 lines"),
            Some(FRAME),
            || standing.press(key.clone(), &mut terminal),
        );
    }
    standing.press(Key::Char('v'), &mut terminal);
    for key in [Key::Down, Key::PageDown, Key::End, Key::Home] {
        let name = format!("key → flushed frame: {key:?} in the view, 100,000 lines");
        table.add(&name, Some(FRAME), || {
            standing.press(key.clone(), &mut terminal)
        });
    }
    print!("{table}");
}
