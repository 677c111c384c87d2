//! Lists that the line itself may change before it uses them: what git tracks and what is ignored is only known for the time before it runs.

use sayso_core::draft::Draft;
use sayso_core::effect::{Effect, EffectKind};
use sayso_core::fact::Question;

use crate::characters::last_part;

/// Where a line may change what git tracks or what searches leave out, they are taken to look at everything.
pub(crate) fn forget_lists(draft: &mut Draft) {
    if !draft.effects.iter().any(changes_lists) {
        return;
    }
    for question in &mut draft.questions {
        if let Question::Below { search, .. } = question {
            search.tracked = false;
            search.as_git = false;
            search.ignored = true;
        }
    }
}

/// Whether an effect may change an index of git, or a file that says what is ignored.
fn changes_lists(effect: &Effect) -> bool {
    match effect.kind {
        EffectKind::Read | EffectKind::Connect | EffectKind::Environment | EffectKind::Signal => false,
        EffectKind::Run => !effect.manner.known_program,
        EffectKind::Privilege | EffectKind::Unknown => true,
        EffectKind::Write | EffectKind::Delete => {
            let named = |path: &str| {
                let name = last_part(path);
                name.is_empty() || name.starts_with("..") || name == "." || path.contains(".git") || name.contains("ignore")
            };
            effect.manner.repository || effect.manner.recursive || effect.place().is_none_or(|place| named(&place.written))
        }
    }
}
