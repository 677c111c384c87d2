//! How long `sayso chat` takes to its first frame, what a frame costs while words come and with a long history, whether any is dropped while a
//! real endpoint streams, and what it costs to wait: `cargo bench -p sayso --bench chat`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a bench fails by panicking"
)]

// One way to measure for all benches.
#[path = "../judge/measure.rs"]
#[allow(dead_code, reason = "other benches need more of it")]
mod measure;
mod stream;

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use measure::Table;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use sayso_tui::chat::draw::{Bar, Chat};
use sayso_tui::chat::input::Input;
use sayso_tui::chat::item::Item;
use sayso_tui::chat::transcript::Transcript;
use sayso_tui::key::Key;
use sayso_tui::paint::Painter;
use sayso_tui::theme::Theme;

const SIZE: (u16, u16) = (120, 40);
/// The milliseconds to the first frame.
const FIRST: f64 = 50.0;
/// The nanoseconds between two frames, which one of them must not take.
const FRAME: f64 = 33e6;
const STARTS: usize = 31;
const MESSAGES: usize = 10_000;
const IDLE: Duration = Duration::from_secs(10);

fn chat(messages: usize) -> Chat {
    let mut transcript = Transcript::default();
    for at in 0..messages {
        if at % 2 == 0 {
            transcript.add(Item::person(&format!(
                "question {at}: what is in this file?"
            )));
        } else {
            let mut words = Item::words();
            words.more(&format!(
                "Answer {at} with **strong** words, `code` and a [link](https://example.org/{at}).\n\n```rust\nlet x = {at};\n```\n"
            ));
            words.whole();
            transcript.add(words);
        }
    }
    Chat {
        transcript,
        input: Input::default(),
        bar: Bar {
            mode: "balanced".to_owned(),
            profile: "sayso".to_owned(),
            ..Bar::default()
        },
        banner: None,
        activity: None,
        notice: None,
        settings: None,
        theme: Theme::COLOURS,
    }
}

fn frame(chat: &mut Chat, painter: &mut Painter) -> usize {
    let frame = chat.frame(None, SIZE.0, SIZE.1, Instant::now());
    painter.paint(frame, SIZE.1).len()
}

fn main() {
    let mut table = Table::new("a frame of an empty session", {
        let (mut chat, mut painter) = (chat(0), Painter::default());
        move || {
            frame(&mut chat, &mut painter);
        }
    });
    // At 200 tokens a second, seven come between two frames.
    let (mut long, mut painter) = (chat(MESSAGES), Painter::default());
    let live = long.transcript.add(Item::words());
    let mut count = 0u64;
    table.add(
        "seven tokens and a frame, 10,000 messages above",
        Some(FRAME),
        || {
            for _ in 0..7 {
                count += 1;
                let end = if count.is_multiple_of(12) { "\n" } else { " " };
                long.transcript
                    .item(live)
                    .unwrap()
                    .more(&format!("token{}{end}", count % 1000));
            }
            frame(&mut long, &mut painter);
        },
    );
    let (mut long, mut painter) = (chat(MESSAGES), Painter::default());
    frame(&mut long, &mut painter);
    let mut pages = 0;
    table.add("a page up or down in 10,000 messages", Some(FRAME), || {
        pages = (pages + 1) % 4000;
        long.transcript.scroll(if pages < 2000 {
            &Key::PageUp
        } else {
            &Key::PageDown
        });
        frame(&mut long, &mut painter);
    });
    let (mut long, mut painter) = (chat(MESSAGES), Painter::default());
    let mut width = 0;
    table.add("another width with 10,000 messages", Some(FRAME), || {
        width = (width + 1) % 40;
        let frame = long.frame(None, 80 + width, SIZE.1, Instant::now());
        painter.paint(frame, SIZE.1);
    });
    println!("{table}");
    processes();
}

/// Starts the program at a pseudo terminal, and lets it wait.
fn processes() {
    let scratch = tempfile::tempdir().unwrap();
    let mut times: Vec<f64> = (0..STARTS)
        .map(|_| start(scratch.path(), Duration::ZERO).0)
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[STARTS / 2];
    let met = if median <= FIRST { "met" } else { "**missed**" };
    println!(
        "start to first frame: min {:.1} ms, median {median:.1} ms, budget ≤ {FIRST} ms, {met}",
        times[0]
    );
    let streamed = stream::watch(scratch.path(), SIZE);
    let most = streamed.gaps.last().copied().unwrap_or(f64::MAX);
    let met = if most <= 2.0 * FRAME / 1e6 {
        "met"
    } else {
        "**missed**"
    };
    println!(
        "{} tokens at {} a second from an endpoint: all on the screen {:.0} ms after the last, {} changes of the screen, \
         median {:.0} ms apart, the longest pause {most:.0} ms, budget ≤ 66 ms (no frame dropped), {met}",
        stream::TOKENS,
        stream::RATE,
        streamed.late,
        streamed.gaps.len(),
        streamed.gaps[streamed.gaps.len() / 2],
    );
    let (_, ticks) = start(scratch.path(), IDLE);
    println!(
        "processor time while it waits for {} s: {} ms",
        IDLE.as_secs(),
        ticks * 10
    );
}

/// The milliseconds to the first frame, and the ticks of processor time in the time after it.
fn start(home: &Path, wait: Duration) -> (f64, u64) {
    let pair = native_pty_system()
        .openpty(PtySize {
            rows: SIZE.1,
            cols: SIZE.0,
            pixel_width: 0,
            pixel_height: 0,
        })
        .unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sayso"));
    command.arg("chat");
    command.cwd(home);
    command.env_clear();
    for (name, value) in [
        ("HOME", home.to_str().unwrap()),
        ("PATH", "/usr/bin:/bin"),
        ("TERM", "xterm-256color"),
    ] {
        command.env(name, value);
    }
    let mut reader = pair.master.try_clone_reader().unwrap();
    let begin = Instant::now();
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains("/help") {
        let count = reader.read(&mut piece).unwrap();
        seen.extend_from_slice(&piece[..count]);
    }
    let first = begin.elapsed().as_secs_f64() * 1e3;
    let id = child.process_id().unwrap();
    let ticks = || {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let fields: Vec<String> = text
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let before = ticks();
    std::thread::sleep(wait);
    let after = ticks();
    child.kill().unwrap();
    child.wait().unwrap();
    (first, after - before)
}
