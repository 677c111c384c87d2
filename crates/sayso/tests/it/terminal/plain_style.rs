//! The plain style against files that a person can judge: every kind of prompt for the default keymap, one screen for each other one.
//!
//! `SAYSO_SNAPSHOTS=write cargo test -p sayso --test it plain_style` writes them anew.

use std::path::PathBuf;

use sayso_core::prompt::keymap::{KEYMAPS, Keymap};
use sayso_core::prompt::{Prompt, Round};
use sayso_core::text::visible::is_hidden;
use sayso_tui::lines::paint::Paint;
use sayso_tui::lines::plain::{self, Look};

#[allow(dead_code, reason = "the other crate uses all of it")]
#[path = "../../../../sayso-tui/tests/it/prompts.rs"]
mod prompts;

const WIDTHS: [usize; 2] = [80, 120];

fn shown(prompt: &Prompt, keymap: &'static Keymap, colours: bool, width: usize) -> String {
    let paint = Paint::of(colours, Some(width));
    let look = Look {
        keymap,
        risk: true,
        rule: true,
        enter_approves: false,
        paint,
    };
    plain::folded(&plain::whole(prompt, look), paint).join("\n")
}

/// The text without codes for colours, which are the only ones that may be there.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\u{1b}[") {
        let (code, after) = behind
            .split_once('m')
            .expect("a code for a colour ends with `m`");
        assert!(
            code.chars().all(|one| one.is_ascii_digit() || one == ';'),
            "{code:?} is no colour"
        );
        out.push_str(before);
        rest = after;
    }
    out + rest
}

/// Compares with the file, or writes it.
fn compare(name: &str, found: &str, wrong: &mut Vec<String>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/terminal/plain");
    let file = folder.join(format!("{name}.txt"));
    if std::env::var_os("SAYSO_SNAPSHOTS").is_some_and(|value| value == "write") {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&file, found).unwrap();
    } else if std::fs::read_to_string(&file).unwrap_or_default() != found {
        wrong.push(name.to_owned());
    }
}

/// The default keymap in full, at 80 columns; every other keymap with one screen. A colour never changes a letter, at any width.
#[test]
fn every_variant_in_the_plain_style_looks_as_it_was_looked_at() {
    let mut wrong = Vec::new();
    for keymap in KEYMAPS {
        for width in WIDTHS {
            let mut found = String::new();
            for (name, prompt) in prompts::variants() {
                let text = shown(&prompt, keymap, false, width);
                assert_eq!(
                    without_colours(&shown(&prompt, keymap, true, width)),
                    text,
                    "{name}: a colour is no letter"
                );
                assert!(
                    !text.chars().any(|one| one != '\n' && is_hidden(one)),
                    "{name}: something is hidden"
                );
                found.push_str(&format!("=== {name}\n{text}\n"));
            }
            if keymap.name == "sayso" && width == WIDTHS[0] {
                compare("sayso", &found, &mut wrong);
            }
        }
        if keymap.name != "sayso" {
            let screen = shown(&prompts::edit("src/greet.py"), keymap, false, WIDTHS[0]);
            compare(keymap.name, &format!("{screen}\n"), &mut wrong);
        }
    }
    assert!(
        wrong.is_empty(),
        "these differ, write them anew and look at what changed: {}",
        wrong.join(", ")
    );
}

#[test]
fn a_second_question_looks_different_and_names_what_would_happen() {
    for (name, prompt) in prompts::variants() {
        let first = shown(
            &Prompt {
                round: Round::First,
                ..prompt.clone()
            },
            Keymap::named("sayso"),
            false,
            80,
        );
        let second = shown(
            &Prompt {
                round: Round::Second,
                ..prompt.clone()
            },
            Keymap::named("sayso"),
            false,
            80,
        );
        assert_ne!(first, second, "{name}");
        assert!(second.contains("confirmation 2 of 2"), "{name}: {second}");
    }
}
