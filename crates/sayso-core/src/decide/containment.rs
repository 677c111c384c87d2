//! Whether a sandbox can stand in for a question: for a command that was read whole, that nothing must be asked about, and whose open
//! effects a sandbox bounds to the workspace.
//!
//! What would be asked because of a rule, a danger, a secret, a delete, a protected or an outside path is asked all the same: those are
//! questions about what the command is known to do, and a sandbox does not answer them.

use crate::analysis::effect::{Effect, EffectKind, Target};
use crate::analysis::risk::Tier;
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::call::tool::Kind;
use crate::decide::judging::Lens;
use crate::paths::{active_in, below};
use crate::policy::decision::Decision;
use crate::policy::mode::Mode;
use crate::policy::settings::AutoAllow;

use crate::decide::risk;

/// Whether everything that is still open may run without a question, bounded.
pub(super) fn bounds(lens: &Lens<'_>, open: &[(EffectKind, Reason)]) -> bool {
    let reading = lens.case.reading;
    let said_so = lens.settings.sandbox_auto_allow == AutoAllow::RunInWorkspace;
    // A mode that asks for everything, or denies what would be asked, was chosen for that.
    let mode_permits = matches!(
        lens.settings.mode,
        Mode::Balanced | Mode::AutoApproveEdits | Mode::HighRiskOnly
    );
    said_so
        && mode_permits
        && lens.case.operation.kind() == Kind::Terminal
        // Named folders have their own terms for reading and writing, which a sandbox cannot ask for.
        && lens.settings.roots.is_empty()
        && lens.case.operation.environment().is_empty()
        // Elsewhere it would find nothing of what it is to work on.
        && below(&lens.case.operation.cwd(), &reading.surroundings.workspace)
        && reading.opaque.is_none()
        && reading.unanswered.is_empty()
        && risk::tier(lens) == Tier::None
        && !open.is_empty()
        // Only what the mode or a default would ask; an own word of the policy or of the tool is a question.
        && open.iter().all(|(_, reason)| reason.decision == Decision::Ask && (reason.is(Check::Default) || reason.is(Check::Risk)))
        && !reading.effects.is_empty()
        && reading.effects.iter().enumerate().all(|(index, _)| is_bounded(lens, index))
        // Last, since finding out may mean to start a sandbox.
        && lens.case.runner.containment.is_available()
}

/// Whether a sandbox keeps one effect within the workspace, whatever the program really does.
fn is_bounded(lens: &Lens<'_>, index: usize) -> bool {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return false;
    };
    match effect.kind {
        EffectKind::Run => effect.target == Target::Command && effect.part.is_some(),
        EffectKind::Unknown => effect.target == Target::Nothing && effect.part.is_some(),
        EffectKind::Read => lens.standing(index).is_some_and(|standing| {
            standing.sink
                || (standing.in_workspace || standing.common)
                    && standing.secret.is_none()
                    && standing.own.is_none()
        }),
        // What is known to be written, and is later run or obeyed, is a question of its own: a sandbox is for what is not known.
        EffectKind::Write => lens.standing(index).is_some_and(|standing| {
            let plain = standing.in_workspace && standing.own.is_none() && !standing.own_below;
            let idle = || {
                standing.protected.is_none()
                    && !active_in(
                        &standing.fact.canonical,
                        &lens.case.reading.surroundings.workspace,
                    )
            };
            standing.sink
                || plain
                    && if effect.manner.repository {
                        is_git_alone(lens)
                    } else {
                        idle()
                    }
        }),
        // Away, or with more rights, or to somebody else: a sandbox would only make it fail.
        EffectKind::Connect
        | EffectKind::Delete
        | EffectKind::Privilege
        | EffectKind::Signal
        | EffectKind::Environment => false,
    }
}

/// Whether git changes its own data, and nothing beside it is run that could do so, too: that data is not kept for an undo.
pub(super) fn is_git_alone(lens: &Lens<'_>) -> bool {
    let effects = &lens.case.reading.effects;
    let is_gits = |effect: &&Effect| effect.kind == EffectKind::Write && effect.manner.repository;
    let parts: Vec<Option<usize>> = effects
        .iter()
        .filter(is_gits)
        .map(|effect| effect.part)
        .collect();
    let mut unknown = effects.iter().filter(|effect| match effect.kind {
        EffectKind::Run => !effect.manner.known_program,
        kind => kind == EffectKind::Unknown,
    });
    !parts.is_empty() && unknown.all(|effect| parts.contains(&effect.part))
}
