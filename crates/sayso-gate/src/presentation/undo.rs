//! Whether a call can be taken back: what is true for this call at this door, and nothing else (Z-23, U-09).

use sayso_core::analysis::effect::{Effect, EffectKind, Target};
use sayso_core::analysis::fact::PathKind;
use sayso_core::analysis::risk::Tier;
use sayso_core::call::tool::Kind;
use sayso_core::prompt::presentation::Undo;

use super::About;

/// What to say about taking the call back; none where it changes nothing, or takes nothing away and cannot be taken back anyway.
pub(super) fn undo(about: About<'_>) -> Option<Undo> {
    // What fails changes nothing.
    if about.outlook.failure.is_some() {
        return None;
    }
    let effects = &about.reading.effects;
    let is_worth_saying = match about.outlook.undo.is_possible() {
        true => effects
            .iter()
            .any(|effect| matches!(effect.kind, EffectKind::Write | EffectKind::Delete)),
        false => {
            about.verdict.tier != Tier::None
                || !only_adds(about.operation.kind()) && effects.iter().any(takes_away)
        }
    };
    is_worth_saying.then(|| about.outlook.undo.clone())
}

/// Whether something that is there now would be gone.
fn takes_away(effect: &Effect) -> bool {
    let place = match &effect.target {
        Target::Path(place) => place,
        // Which one shows only when it runs.
        _ => return effect.kind == EffectKind::Delete,
    };
    // What only changes its place is still there.
    if effect.manner.moved_away {
        return false;
    }
    let kind = place.fact.as_ref().map(|fact| fact.kind);
    match effect.kind {
        EffectKind::Delete => kind != Some(PathKind::Missing),
        EffectKind::Write if effect.manner.makes_folder || effect.manner.repository => false,
        EffectKind::Write => match kind {
            Some(PathKind::File | PathKind::Link) => true,
            Some(PathKind::Folder) => effect.manner.recursive,
            _ => false,
        },
        _ => false,
    }
}

fn only_adds(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::FileAppend | Kind::FileInsertAfter | Kind::FileInsertBefore
    )
}
