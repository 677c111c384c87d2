//! The files and connections of the redirects of a command, as effects.

use sayso_core::analysis::draft::Draft;
use sayso_core::analysis::effect::{Effect, EffectKind, Manner, Target};

use crate::expand::commands::Step;
use crate::expand::directories::in_folder;
use crate::parse::placeholder;
use crate::programs::effect_builder::{self, PLAIN};

/// Each file of a redirect is read or written, whatever the command does with it.
pub(super) fn redirects(draft: &mut Draft, part: usize, step: &Step) {
    let reads = step.reads.iter().map(|path| (EffectKind::Read, path));
    for (kind, field) in reads.chain(step.writes.iter().map(|path| (EffectKind::Write, path))) {
        let at = Some((field.start, field.end));
        let path = field.value.as_str();
        if is_network_file(path) {
            draft.effects.push(Effect {
                part: Some(part),
                at,
                ..Effect::new(EffectKind::Connect, Target::Host(placeholder::shown(path)))
            });
            draft.effects.push(Effect {
                part: Some(part),
                at,
                ..Effect::unknown("bash opens a connection for such a path")
            });
            continue;
        }
        // What goes to another command of the line is judged there.
        if path.starts_with(placeholder::PIPE) && path.chars().count() == 1 {
            continue;
        }
        for folder in step.folders.list() {
            let (path, only) = placeholder::below(path)
                .map_or((path, None), |(folder, only)| (folder, Some(only)));
            let target = effect_builder::target(draft, &in_folder(folder, path), false, false);
            if let (Some(only), Target::Path(place)) = (only, &target) {
                effect_builder::search(
                    draft,
                    place.question,
                    effect_builder::as_listed(only),
                    effect_builder::names(only),
                );
            }
            let manner = Manner {
                redirect: true,
                recursive: only.is_some(),
                ..PLAIN
            };
            draft.effects.push(Effect {
                manner,
                part: Some(part),
                at,
                ..Effect::new(kind, target)
            });
        }
    }
}

fn is_network_file(path: &str) -> bool {
    ["/dev/tcp/", "/dev/udp/", "/inet/"]
        .iter()
        .any(|start| path.starts_with(start))
}
