//! What the tables of these tests say about a command, in short words.
#![allow(dead_code, reason = "every test file uses its own part")]

use sayso_core::draft::Draft;
use sayso_core::effect::{Effect, EffectKind, Target};
use sayso_core::verdict::Tier;

/// Fully accounted for, and does nothing but read: the only thing that may ever be allowed by itself.
pub fn is_read_only(draft: &Draft) -> bool {
    draft.opaque.is_none()
        && draft.dangers.is_empty()
        && draft.effects.iter().all(|effect| match effect.kind {
            EffectKind::Read => !matches!(effect.target, Target::UnknownPath(_)),
            EffectKind::Run => effect.manner.known_program,
            _ => false,
        })
}

/// The worst danger.
pub fn tier(draft: &Draft) -> Tier {
    draft.dangers.iter().map(|danger| danger.tier).max().unwrap_or_default()
}

/// The effects on paths: `r` read, `w` write, `d` delete, a capital for everything below, `m` moved away, `f` makes a folder, `g` in the repository.
pub fn paths(draft: &Draft) -> Vec<String> {
    draft.effects.iter().filter_map(short).collect()
}

fn short(effect: &Effect) -> Option<String> {
    let Target::Path(place) = &effect.target else { return None };
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
    let letter = if manner.recursive { letter.to_uppercase() } else { letter.to_owned() };
    let doubt = if effect.certain { "" } else { "?" };
    Some(format!("{letter}{doubt} {}", place.written))
}

/// Words from a text without quotes.
pub fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
