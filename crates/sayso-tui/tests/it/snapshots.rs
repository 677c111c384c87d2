//! What a prompt looks like, against files that a person can judge: the default profile in full, one screen for each other profile.
//!
//! `SAYSO_SNAPSHOTS=write cargo test -p sayso-tui --test it snapshots` writes them anew.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use sayso_core::analysis::draft::Command;
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::answer::scope::Scope;
use sayso_core::policy::command_pattern::CommandReader;
use sayso_core::prompt::keymap::{KEYMAPS, Keymap};
use sayso_core::prompt::patterns::{TypedPatternError, Unfit};
use sayso_core::prompt::{Prompt, Stores, Style};
use sayso_core::text::visible::is_hidden;
use sayso_tui::key::Key;
use sayso_tui::patterns::{Earlier, Patterns};
use sayso_tui::prompt_state::{Asking, Next};
use sayso_tui::prompt_style::Look;
use sayso_tui::theme::Theme;

use crate::prompts::{self, variants};
use crate::text::{text, tones};

const STYLES: [Style; 3] = [Style::Modal, Style::Status, Style::Inline];
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];
const SMALLEST_WIDTH: u16 = 80;
/// The profiles besides `sayso`, by their keymap, with the style that each one uses for a routine edit.
const OTHER_PROFILES: [(&str, Style); 5] = [
    ("kollabor-spec", Style::Status),
    ("llm-do", Style::Inline),
    ("forge", Style::Modal),
    ("opencode", Style::Modal),
    ("kollabor", Style::Inline),
];

/// Takes what is no wider than a program and a word, and has seen two others.
pub struct Some2;

impl Patterns for Some2 {
    fn check(&self, text: &str, prompt: &Prompt) -> Result<LearnedRule, TypedPatternError> {
        let key = prompt.rule_key().ok_or(TypedPatternError::NotHere)?;
        if key == RuleKey::Command && text.split(' ').count() < 2 {
            return Err(TypedPatternError::Unfit {
                pattern: text.to_owned(),
                why: Unfit::TooWide,
                nearest: Some("cargo test *".to_owned()),
            });
        }
        Ok(LearnedRule::parse(key, text, &Blanks)?)
    }

    fn earlier(&self, stores: &Stores, _: Scope, _: &Prompt) -> Option<Earlier> {
        let Stores::Rule(rule) = stores else {
            return None;
        };
        Some(Earlier {
            looked_at: 40,
            more: false,
            fit: if rule.pattern.contains('*') { 3 } else { 0 },
            denied: 0,
        })
    }
}

/// Words as they stand between blanks.
struct Blanks;

impl CommandReader for Blanks {
    fn commands(&self, _: &str) -> Option<Vec<Command>> {
        None
    }

    fn seen(&self, _: &str) -> Vec<Vec<String>> {
        Vec::new()
    }

    fn normal(&self, words: &[String]) -> Vec<String> {
        words.to_vec()
    }
}

pub fn look(keymap: &str, theme: Theme) -> Look {
    Look {
        keymap: Keymap::named(keymap),
        risk: true,
        rule: true,
        enter_approves: false,
        theme,
    }
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
    // Colours may come after a frame was drawn, and a frame may ask for more of them: it is whole when two in a row waited for none.
    let mut settled = 0;
    loop {
        let frame = asking.frame(width, height, now);
        settled = if asking.is_waiting() { 0 } else { settled + 1 };
        if settled > 1 {
            return frame.buffer;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/snapshots")
        .join(name)
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
    let other = wanted
        .lines()
        .zip(found.lines())
        .position(|(one, other)| one != other)
        .unwrap_or_default();
    let around = |text: &str| {
        text.lines()
            .skip(other.saturating_sub(12))
            .take(25)
            .collect::<Vec<_>>()
            .join("\n")
    };
    Err(format!(
        "{name} differs at line {}\n--- wanted\n{}\n--- found\n{}\n",
        other + 1,
        around(&wanted),
        around(found)
    ))
}

/// The default profile in full: every style and variant, at both sizes, and with its colours at the smaller one.
#[test]
fn every_style_and_variant_looks_as_it_was_looked_at() {
    let mut wrong = Vec::new();
    for style in STYLES {
        for (width, height) in SIZES {
            let (mut plain, mut coloured) = (String::new(), String::new());
            for (name, prompt) in variants() {
                let shown = |theme| {
                    frame(
                        Prompt {
                            style,
                            ..prompt.clone()
                        },
                        look("sayso", theme),
                        (width, height),
                        &[],
                    )
                };
                let (without, with) = (shown(Theme::PLAIN), shown(Theme::COLOURS));
                assert_eq!(text(&without), text(&with), "{name}: a colour is no letter");
                assert!(
                    without
                        .content
                        .iter()
                        .all(|cell| cell.fg == ratatui::style::Color::Reset),
                    "{name}"
                );
                plain.push_str(&format!("=== {name}\n{}\n", text(&without)));
                coloured.push_str(&format!("=== {name}\n{}\n", tones(&with)));
            }
            let of = format!("sayso-{}-{width}x{height}", style.word());
            wrong.extend(compare(&format!("{of}.txt"), &plain).err());
            if width == SMALLEST_WIDTH {
                wrong.extend(compare(&format!("{of}.colours.txt"), &coloured).err());
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// One screen for each other profile: the same routine edit, in the style and with the keys of that profile.
#[test]
fn each_other_profile_shows_its_own_screen() {
    let mut wrong = Vec::new();
    for (keymap, style) in OTHER_PROFILES {
        let prompt = Prompt {
            style,
            ..prompts::edit("src/greet.py")
        };
        let shown = frame(prompt, look(keymap, Theme::PLAIN), SIZES[0], &[]);
        wrong.extend(compare(&format!("{keymap}.txt"), &format!("{}\n", text(&shown))).err());
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Every other keymap still paints every variant, and a colour never changes a letter.
#[test]
fn every_keymap_paints_every_variant_the_same_with_and_without_colours() {
    for (keymap, _) in OTHER_PROFILES {
        for style in STYLES {
            for (name, prompt) in variants() {
                let shown = |theme| {
                    text(&frame(
                        Prompt {
                            style,
                            ..prompt.clone()
                        },
                        look(keymap, theme),
                        SIZES[0],
                        &[],
                    ))
                };
                assert_eq!(
                    shown(Theme::PLAIN),
                    shown(Theme::COLOURS),
                    "{keymap}, {name}"
                );
            }
        }
    }
}

#[test]
fn what_keys_open_looks_as_it_was_looked_at() {
    let open: [(&str, Vec<Key>); 9] = [
        ("a wider yes", vec![Key::Char('s')]),
        ("another wider yes", vec![Key::Char('s'), Key::Down]),
        ("a pattern", vec![Key::Char('p')]),
        ("a wider pattern", vec![Key::Char('p'), Key::Down, Key::Tab]),
        (
            "a bad pattern",
            vec![Key::Char('p'), Key::Ctrl('u'), Key::Char('*')],
        ),
        (
            "words for the agent",
            vec![
                Key::Tab,
                Key::Char('n'),
                Key::Paste("o\u{1b}[2J\nreally".to_owned()),
            ],
        ),
        ("help", vec![Key::Char('?')]),
        ("view", vec![Key::Char('v')]),
        ("no key", vec![Key::Char('x')]),
    ];
    let mut wrong = Vec::new();
    for style in STYLES {
        let mut plain = String::new();
        for (name, keys) in &open {
            let prompt = Prompt {
                style,
                ..prompts::terminal("cargo test --workspace")
            };
            let shown = frame(prompt, look("sayso", Theme::PLAIN), SIZES[0], keys);
            plain.push_str(&format!("=== {name}\n{}\n", text(&shown)));
        }
        wrong.extend(compare(&format!("keys-{}.txt", style.word()), &plain).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn u_14_nothing_hidden_and_nothing_wider_than_the_screen_at_any_size() {
    for (name, prompt) in variants() {
        for style in STYLES {
            for (width, height) in [
                (1, 1),
                (7, 3),
                (20, 5),
                (30, 6),
                (31, 9),
                (40, 12),
                (80, 24),
                (200, 60),
            ] {
                let mut asking = Asking::new(
                    Arc::new(Prompt {
                        style,
                        ..prompt.clone()
                    }),
                    look("sayso", Theme::COLOURS),
                    Arc::new(Some2),
                    Instant::now(),
                );
                let shown = asking.frame(width, height, Instant::now());
                assert!(
                    shown.buffer.area.width <= width && shown.buffer.area.height <= height,
                    "{name}"
                );
                let letters = shown
                    .buffer
                    .content
                    .iter()
                    .flat_map(|cell| cell.symbol().chars());
                assert!(
                    !letters.clone().any(is_hidden),
                    "{name} at {width}x{height}:\n{}",
                    text(&shown.buffer)
                );
                assert!(!letters.clone().any(char::is_control), "{name}");
            }
        }
    }
}

#[test]
fn no_snapshot_is_left_over() {
    let found: usize = std::fs::read_dir(file("")).unwrap().count();
    let keymaps: Vec<&str> = KEYMAPS
        .iter()
        .map(|keymap| keymap.name)
        .filter(|name| *name != "sayso")
        .collect();
    assert!(
        keymaps
            .iter()
            .all(|name| OTHER_PROFILES.iter().any(|(other, _)| other == name)),
        "{keymaps:?}"
    );
    let of_default = STYLES.len() * (SIZES.len() + 1);
    assert_eq!(found, of_default + OTHER_PROFILES.len() + STYLES.len());
}
