//! Which effects the allow rules cover: under-approximated.

use crate::analysis::effect::{Effect, EffectKind};
use crate::answer::cause::{Cause, RootCause};
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::call::operation::ToolSays;
use crate::decide::judging::{Lens, of_root, reason};
use crate::decide::pre_approved;
use crate::decide::rule_match::{
    command_effect, matches_rule, path_hits, rule_reason, tool_excepted, tool_matches,
};
use crate::decide::shell_rules::shell_opinion;
use crate::policy::command_pattern::{CommandPattern, Reach};
use crate::policy::decision::Decision;
use crate::policy::glob::PathGlob;
use crate::policy::rule::{Rule, Subject};

/// Allow rules that name an effect itself or the command or tool that does it.
pub(super) fn allow_rules<'a>(lens: &Lens<'a>, index: usize) -> Vec<&'a Rule> {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for (set, candidates) in lens.candidates(index) {
        out.extend(candidates.iter().copied().filter(|rule| {
            rule.decision == Decision::Allow
                && lens.counts(rule)
                && matches_rule(lens, rule, index, effect)
        }));
        out.extend(set.tools().filter(|rule| {
            rule.decision == Decision::Allow
                && lens.counts(rule)
                && tool_matches(lens, &rule.matcher, Reach::Narrow)
                && !tool_excepted(lens, rule)
        }));
    }
    out
}

/// Whether an allow rule with an absolute pattern names the path of an effect.
pub(super) fn absolute_rule_covers(lens: &Lens<'_>, index: usize) -> bool {
    let Some(effect) = lens.case.reading.effects.get(index) else {
        return false;
    };
    allow_rules(lens, index).iter().any(|rule| {
        let globs = match &rule.matcher.subject {
            Subject::Read(globs) | Subject::Write(globs) | Subject::Delete(globs) => globs,
            _ => return false,
        };
        let absolute: Vec<PathGlob> = globs
            .iter()
            .filter(|glob| glob.is_absolute())
            .cloned()
            .collect();
        !rule.learned && path_hits(lens, &absolute, index, effect, Reach::Narrow)
    })
}

/// The reason why an effect is allowed by something that somebody said: a rule, a root, a shell rule, or the tool itself.
pub(super) fn covers(lens: &Lens<'_>, index: usize) -> Option<Reason> {
    let effect = lens.case.reading.effects.get(index)?;
    let listed = allow_rules(lens, index);
    // An environment change is its own matter: a rule for the command does not know of it.
    let fits = |rule: &&&Rule| match &rule.matcher.subject {
        Subject::Command(patterns) => {
            command_effect(effect)
                && spelled_out(lens, effect, patterns.iter())
                && leads_written(lens, effect, patterns)
        }
        Subject::Write(_) => !effect.manner.overwrite || rule.matcher.overwrite,
        _ => true,
    };
    if let Some(rule) = listed.iter().find(fits) {
        return Some(rule_reason(rule, Decision::Allow));
    }
    let says = lens.case.operation.says();
    if pre_approved(lens) {
        return Some(reason(
            Decision::Allow,
            Check::PreApproved,
            Cause::ToolPreApproved,
        ));
    }
    if matches!(says, ToolSays::NeedsApproval { .. }) {
        return None;
    }
    if let Some(root) = lens.standing(index).and_then(|standing| standing.root) {
        let free = match effect.kind {
            EffectKind::Read => !root.read_approval,
            EffectKind::Write => {
                root.writable
                    && !root.write_approval
                    && effect.manner.file_tool
                    && !effect.manner.overwrite
            }
            _ => false,
        };
        if free {
            return Some(of_root(Decision::Allow, root, RootCause::NeedsNoApproval));
        }
    }
    let command = lens.case.reading.commands.get(effect.part?)?;
    match shell_opinion(lens, effect.part?, command) {
        Some((Decision::Allow, reason)) if command_effect(effect) => {
            let patterns = lens
                .shell
                .iter()
                .copied()
                .flatten()
                .filter(|rule| rule.allowed && !rule.approval)
                .map(|rule| &rule.pattern);
            spelled_out(lens, effect, patterns).then_some(reason)
        }
        _ => None,
    }
}

/// An option that the table of programs does not list may do anything (`git diff --output`), so `git diff *` does not let it in (H-62).
pub(super) fn spelled_out<'a>(
    lens: &Lens<'_>,
    effect: &Effect,
    patterns: impl Iterator<Item = &'a CommandPattern>,
) -> bool {
    let Some(command) = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))
    else {
        return true;
    };
    if !effect.manner.unlisted {
        return true;
    }
    let mut patterns = patterns;
    patterns
        .any(|pattern| pattern.matches(command, Reach::Narrow) && pattern.names_options(command))
}

/// Whether one of the patterns writes out every word that leads the command to other code, another project or another configuration.
fn leads_written(lens: &Lens<'_>, effect: &Effect, patterns: &[CommandPattern]) -> bool {
    let command = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part));
    command.is_none_or(|command| {
        command.leads.is_empty() || patterns.iter().any(|pattern| pattern.covers(command))
    })
}
