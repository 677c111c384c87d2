//! Puts the effects of a carried command into the draft of the one that carries it.

use sayso_core::analysis::draft::{Carried, Draft, Opaque};
use sayso_core::analysis::effect::{Effect, EffectKind, Place as PathPlace, Target};
use sayso_core::analysis::fact::HOME;

use super::Command;
use super::commands::Place;

/// A carried command that was read.
pub(super) struct Inner<'a> {
    pub(super) draft: Draft,
    pub(super) place: Place,
    /// What runs it.
    pub(super) by: String,
    pub(super) text: &'a str,
    /// That it is run is known.
    pub(super) certain: bool,
}

/// Whether every effect of a draft is known.
pub(super) fn is_clear(draft: &Draft) -> bool {
    let known = |effect: &Effect| match effect.kind {
        EffectKind::Run => effect.manner.known_program,
        EffectKind::Unknown => false,
        _ => true,
    };
    draft.opaque.is_none() && draft.bound.is_empty() && draft.effects.iter().all(known)
}

/// The text holds something that could not be read.
pub(super) fn make_opaque(draft: &mut Draft, reason: String) {
    draft.opaque.get_or_insert(Opaque {
        reason,
        start: 0,
        end: 0,
        seen: Vec::new(),
    });
}

/// Puts in what is known of effects in this folder, and gives back those of which only a name is known.
pub(super) fn merge(draft: &mut Draft, outer: &Command<'_>, inner: Inner<'_>) -> Vec<Carried> {
    let Inner {
        draft: inside,
        place,
        by,
        text,
        certain,
    } = inner;
    // Where several words may start the command, only names are told, and with a doubt.
    let here = certain && place == Place::Here;
    let is_here =
        |path: &str| here || certain && place == Place::Folder && path.starts_with(['/', HOME]);
    if here {
        let searches: Vec<_> = inside
            .searches
            .iter()
            .filter_map(|at| inside.questions.get(*at))
            .cloned()
            .collect();
        for question in searches {
            let question = draft.ask(question);
            draft.searches.push(question);
        }
    }
    let mut carried = Vec::new();
    for effect in inside.effects {
        let target = match effect.target {
            Target::Path(path) if is_here(&path.written) => {
                match inside.questions.get(path.question).cloned() {
                    Some(question) => Target::Path(PathPlace {
                        question: draft.ask(question),
                        ..path
                    }),
                    None => continue,
                }
            }
            Target::UnknownPath(path) if here => Target::UnknownPath(path),
            Target::Path(PathPlace { written: path, .. }) | Target::UnknownPath(path) => {
                if matches!(
                    effect.kind,
                    EffectKind::Read | EffectKind::Write | EffectKind::Delete
                ) && !effect.manner.listing
                {
                    carried.push(Carried {
                        kind: effect.kind,
                        path,
                        command: text.to_owned(),
                        by: by.clone(),
                        certain,
                    });
                }
                continue;
            }
            other
                if certain
                    && matches!(
                        effect.kind,
                        EffectKind::Connect | EffectKind::Privilege | EffectKind::Signal
                    ) =>
            {
                other
            }
            _ => continue,
        };
        draft.effects.push(Effect {
            target,
            certain: false,
            part: Some(outer.part),
            at: Some(outer.at),
            ..effect
        });
    }
    for danger in inside.dangers {
        if !draft.dangers.iter().any(|other| other.what == danger.what) {
            draft.dangers.push(sayso_core::analysis::draft::Danger {
                part: Some(outer.part),
                shown_by_effect: false,
                ..danger
            });
        }
    }
    draft.parted |= inside.parted;
    carried.dedup();
    carried
}
