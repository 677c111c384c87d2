//! Every style and variant at two sizes, for all six keymaps, with colours and without, against files that were looked at.
//!
//! `SAYSO_SNAPSHOTS=write cargo test -p sayso-tui --test it snapshots` writes them anew.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use sayso_core::digest::Digest;
use sayso_core::keymap::{KEYMAPS, Keymap};
use sayso_core::prompt::{Prompt, Style};
use sayso_core::visible::is_hidden;
use sayso_tui::asking::{Asking, Next};
use sayso_tui::key::Key;
use sayso_tui::look::Look;
use sayso_tui::patterns::{Earlier, Patterns};
use sayso_tui::theme::Theme;

use crate::prompts::{self, variants};
use crate::text::{text, tones};

const STYLES: [Style; 3] = [Style::Modal, Style::Status, Style::Inline];
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// Takes what is no wider than a program and a word, and has seen two others.
pub struct Some2;

impl Patterns for Some2 {
    fn check(&self, text: &str, _: &Prompt) -> Result<(), String> {
        if text.split(' ').count() < 2 { Err(format!("`{text}` allows far more than this call")) } else { Ok(()) }
    }

    fn earlier(&self, text: &str, _: &Prompt) -> Option<Earlier> {
        Some(Earlier { looked_at: 40, more: false, fit: if text.contains('*') { 3 } else { 0 }, denied: 0 })
    }
}

pub fn look(keymap: &str, theme: Theme) -> Look {
    Look { keymap: Keymap::named(keymap), risk: true, rule: true, enter_approves: matches!(keymap, "forge" | "kollabor-spec"), theme }
}

fn frame(prompt: Prompt, look: Look, (width, height): (u16, u16), keys: &[Key]) -> Buffer {
    let start = Instant::now();
    let mut asking = Asking::new(Arc::new(prompt), look, Arc::new(Some2), start);
    asking.frame(width, height, start);
    asking.painted(start);
    let mut now = start;
    for key in keys {
        now += Duration::from_secs(1);
        assert_eq!(asking.keys(vec![key.clone()], now), Next::Wait, "{key:?}");
        asking.frame(width, height, now);
        asking.painted(now);
    }
    while asking.is_waiting() {
        std::thread::sleep(Duration::from_millis(1));
        asking.frame(width, height, now);
    }
    asking.frame(width, height, now).buffer
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name)
}

/// Compares with the file, or writes it.
fn compare(name: &str, found: &str) -> Result<(), String> {
    let file = file(name);
    if std::env::var_os("SAYSO_SNAPSHOTS").is_some_and(|value| value == "write") {
        std::fs::write(&file, found).unwrap();
        return Ok(());
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    if wanted == found {
        return Ok(());
    }
    let other = wanted.lines().zip(found.lines()).position(|(one, other)| one != other).unwrap_or_default();
    let around = |text: &str| text.lines().skip(other.saturating_sub(12)).take(25).collect::<Vec<_>>().join("\n");
    Err(format!("{name} differs at line {}\n--- wanted\n{}\n--- found\n{}\n", other + 1, around(&wanted), around(found)))
}

#[test]
fn every_style_and_variant_looks_as_it_was_looked_at() {
    let mut wrong = Vec::new();
    for keymap in KEYMAPS {
        for style in STYLES {
            for (width, height) in SIZES {
                let (mut plain, mut coloured) = (String::new(), String::new());
                for (name, prompt) in variants() {
                    let shown = |theme| frame(Prompt { style, ..prompt.clone() }, look(keymap.name, theme), (width, height), &[]);
                    let (without, with) = (shown(Theme::PLAIN), shown(Theme::COLOURS));
                    assert_eq!(text(&without), text(&with), "{name}: a colour is no letter");
                    assert!(without.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset), "{name}");
                    plain.push_str(&format!("=== {name}\n{}\n", text(&without)));
                    // The other keymaps have other letters in the last rows; a digest is enough to see that nothing else moved.
                    match keymap.name {
                        "sayso" => coloured.push_str(&format!("=== {name}\n{}\n", tones(&with))),
                        _ => coloured.push_str(&format!("{name}: {}\n", Digest::of_bytes(tones(&with).as_bytes()))),
                    }
                }
                let of = format!("{}-{}-{width}x{height}", keymap.name, style.word());
                wrong.extend(compare(&format!("{of}.txt"), &plain).err());
                wrong.extend(compare(&format!("{of}.colours.txt"), &coloured).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_keys_open_looks_as_it_was_looked_at() {
    let open: [(&str, Vec<Key>); 9] = [
        ("a wider yes", vec![Key::Char('s')]),
        ("another wider yes", vec![Key::Char('s'), Key::Down]),
        ("a pattern", vec![Key::Char('p')]),
        ("a wider pattern", vec![Key::Char('p'), Key::Down, Key::Tab]),
        ("a bad pattern", vec![Key::Char('p'), Key::Ctrl('u'), Key::Char('*')]),
        ("words for the agent", vec![Key::Tab, Key::Char('n'), Key::Paste("o\u{1b}[2J\nreally".to_owned())]),
        ("help", vec![Key::Char('?')]),
        ("view", vec![Key::Char('v')]),
        ("no key", vec![Key::Char('x')]),
    ];
    let mut wrong = Vec::new();
    for style in STYLES {
        for (width, height) in SIZES {
            let mut plain = String::new();
            for (name, keys) in &open {
                let prompt = Prompt { style, ..prompts::terminal("cargo test --workspace") };
                let shown = frame(prompt, look("sayso", Theme::PLAIN), (width, height), keys);
                plain.push_str(&format!("=== {name}\n{}\n", text(&shown)));
            }
            wrong.extend(compare(&format!("keys-{}-{width}x{height}.txt", style.word()), &plain).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn u_14_nothing_hidden_and_nothing_wider_than_the_screen_at_any_size() {
    for (name, prompt) in variants() {
        for style in STYLES {
            for (width, height) in [(1, 1), (7, 3), (20, 5), (30, 6), (31, 9), (40, 12), (80, 24), (200, 60)] {
                let mut asking = Asking::new(
                    Arc::new(Prompt { style, ..prompt.clone() }),
                    look("sayso", Theme::COLOURS),
                    Arc::new(Some2),
                    Instant::now(),
                );
                let shown = asking.frame(width, height, Instant::now());
                assert!(shown.buffer.area.width <= width && shown.buffer.area.height <= height, "{name}");
                let letters = shown.buffer.content.iter().flat_map(|cell| cell.symbol().chars());
                assert!(!letters.clone().any(is_hidden), "{name} at {width}x{height}:\n{}", text(&shown.buffer));
                assert!(!letters.clone().any(char::is_control), "{name}");
            }
        }
    }
}

#[test]
fn no_snapshot_is_left_over() {
    let known: usize = std::fs::read_dir(file("")).unwrap().count();
    assert_eq!(known, KEYMAPS.len() * STYLES.len() * SIZES.len() * 2 + STYLES.len() * SIZES.len());
}
