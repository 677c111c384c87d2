//! Deletions of names that are not there: `rm -rf build` before the first build takes nothing away.

use crate::analysis::draft::Danger;
use crate::analysis::effect::{Effect, EffectKind};
use crate::analysis::fact::{Facts, PathKind, Question};
use crate::paths::below;

/// Marks deletions that find nothing, and takes their dangers off. What an earlier part of the line may have made is not among them.
pub(crate) fn mark(
    effects: &mut [Effect],
    dangers: &mut Vec<Danger>,
    questions: &[Question],
    facts: &Facts,
    ordered: bool,
) {
    if !effects
        .iter()
        .any(|effect| effect.kind == EffectKind::Delete)
    {
        return;
    }
    let makers: Vec<Option<usize>> = effects
        .iter()
        .filter(|effect| may_make(effect))
        .map(|effect| effect.part)
        .collect();
    let made_before = |part: usize| {
        makers.iter().any(|maker| {
            maker.is_none_or(|maker| if ordered { maker < part } else { maker != part })
        })
    };
    for effect in effects
        .iter_mut()
        .filter(|effect| effect.kind == EffectKind::Delete)
    {
        let Some(part) = effect.part.filter(|part| !made_before(*part)) else {
            continue;
        };
        effect.manner.absent = finds_nothing(effect, questions, &facts.surroundings.workspace)
            && effect.part == Some(part);
    }
    let takes_nothing = |part: usize| {
        let mut deletions = effects
            .iter()
            .filter(|effect| effect.kind == EffectKind::Delete && effect.part == Some(part))
            .peekable();
        deletions.peek().is_some() && deletions.all(|effect| effect.manner.absent)
    };
    dangers.retain(|danger| !(danger.shown_by_effect && danger.part.is_some_and(takes_nothing)));
}

/// Whether nothing stands under a name that is written out, inside of the workspace.
fn finds_nothing(effect: &Effect, questions: &[Question], workspace: &str) -> bool {
    effect.place().is_some_and(|place| {
        let whole = matches!(questions.get(place.question), Some(Question::Path { .. }));
        let missing = |fact: &crate::analysis::fact::PathFact| {
            fact.kind == PathKind::Missing
                && fact.links.is_empty()
                && below(&fact.canonical, workspace)
                && fact.canonical != workspace
        };
        whole && place.fact.as_ref().is_some_and(missing)
    })
}

/// Whether an effect may put something where nothing was.
fn may_make(effect: &Effect) -> bool {
    match effect.kind {
        EffectKind::Read | EffectKind::Delete | EffectKind::Connect | EffectKind::Signal => false,
        EffectKind::Run => !effect.manner.known_program,
        EffectKind::Write => effect
            .place()
            .is_none_or(|place| place.written != "/dev/null"),
        EffectKind::Privilege | EffectKind::Environment | EffectKind::Unknown => true,
    }
}
