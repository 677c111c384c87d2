//! What the tables of these tests say about a command, in short words.
#![allow(dead_code, reason = "every test file uses its own part")]

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind, Target};
use sayso_core::analysis::risk::Tier;
use sayso_shell::{analyse, doubt_about_script, quote};

/// Fully accounted for, and does nothing but read: the only thing that may ever be allowed by itself.
pub fn is_read_only(draft: &Draft) -> bool {
    draft.opaque.is_none()
        && draft.dangers.is_empty()
        && draft.bound.is_empty()
        && draft.effects.iter().all(|effect| match effect.kind {
            EffectKind::Read => !matches!(effect.target, Target::UnknownPath(_)),
            EffectKind::Run => effect.manner.known_program,
            _ => false,
        })
}

/// The worst danger.
pub fn tier(draft: &Draft) -> Tier {
    draft
        .dangers
        .iter()
        .map(|danger| danger.tier)
        .max()
        .unwrap_or_default()
}

/// The effects on paths: `r` read, `w` write, `d` delete, a capital for everything below, `m` moved away, `f` makes a folder, `g` in the repository.
pub fn paths(draft: &Draft) -> Vec<String> {
    draft.effects.iter().filter_map(short).collect()
}

fn short(effect: &Effect) -> Option<String> {
    let Target::Path(place) = &effect.target else {
        return None;
    };
    // A word that may name a path is no effect that is known.
    if effect.manner.named {
        return None;
    }
    let manner = effect.manner;
    let letter = match effect.kind {
        EffectKind::Read => "r",
        EffectKind::Write if manner.moved_away => "m",
        EffectKind::Write if manner.makes_folder => "f",
        EffectKind::Write if manner.repository => "g",
        EffectKind::Write => "w",
        EffectKind::Delete => "d",
        _ => "?",
    };
    let letter = if manner.recursive {
        letter.to_uppercase()
    } else {
        letter.to_owned()
    };
    let doubt = if effect.certain { "" } else { "?" };
    Some(format!("{letter}{doubt} {}", place.written))
}

/// Words from a text without quotes.
pub fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// A command with a script and a file.
pub fn command(program: &str, script: &str) -> String {
    quote(&[program.to_owned(), script.to_owned(), "f".to_owned()])
}

/// Every script is silent, or every one asks.
pub fn check(program: &str, scripts: &[&str], silent: bool) {
    let least = if program == "jq" { 25 } else { 40 };
    assert!(scripts.len() >= least, "{program}: only {}", scripts.len());
    let mut wrong = Vec::new();
    for script in scripts {
        let doubt = doubt_about_script(program, script);
        let draft = analyse(&command(program, script));
        // The shell's own reader refuses a backslash at the end of a line in most places.
        let silent_line = is_read_only(&draft) || (silent && script.contains("\\\n"));
        if doubt.is_none() != silent || silent_line != silent {
            wrong.push((script, doubt, draft.effects));
        }
    }
    assert!(wrong.is_empty(), "{program}: {wrong:#?}");
}

/// Does nothing but read, where no file of the project says otherwise.
pub fn looks(draft: &Draft) -> bool {
    is_read_only(&Draft {
        bound: Vec::new(),
        ..draft.clone()
    })
}
