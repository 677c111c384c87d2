//! What a command gets from its surroundings: variables that are set for it, and rights by `sudo`.

use sayso_core::analysis::draft::{Danger, Draft};
use sayso_core::analysis::effect::{Effect, EffectKind, Target};
use sayso_core::analysis::risk::Tier;

use crate::expand::variables::{is_harmless_variable, is_own_name};

/// A variable that is set for the command, or for the shell. Most can make a harmless program run another one.
pub(super) fn environment(
    draft: &mut Draft,
    part: usize,
    variable: &str,
    value: &str,
    for_shell: bool,
) {
    // A variable of the shell is set for the programs that follow only if the environment has it.
    if is_harmless_variable(variable, value) || for_shell && is_own_name(variable) {
        return;
    }
    let note = format!("sets `{variable}`, which may change what runs");
    let environment = Effect::new(EffectKind::Environment, Target::Nothing);
    draft.effects.push(Effect {
        part: Some(part),
        note: Some(note.clone()),
        ..environment
    });
    draft.effects.push(Effect {
        part: Some(part),
        ..Effect::unknown(note)
    });
}

pub(super) fn privilege(draft: &mut Draft, part: usize, wrappers: &[String]) {
    for wrapper in wrappers
        .iter()
        .filter(|wrapper| matches!(wrapper.as_str(), "sudo" | "doas"))
    {
        let what = format!("gains rights by `{wrapper}`");
        let gain = Effect::new(EffectKind::Privilege, Target::Nothing);
        draft.effects.push(Effect {
            part: Some(part),
            note: Some(what.clone()),
            ..gain
        });
        draft.dangers.push(Danger {
            tier: Tier::Dangerous,
            what,
            part: Some(part),
            shown_by_effect: false,
        });
    }
}
