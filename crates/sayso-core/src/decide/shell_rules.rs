//! What the ordered shell rules say of a command.

use crate::analysis::draft::Command;
use crate::analysis::effect::{EffectKind, Target};
use crate::answer::cause::{Cause, Overridden, Unmet};
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::decide::judging::{Lens, of_setting, reason};
use crate::decide::near_miss::lead_word;
use crate::decide::rule_match::runs_where_it_says;
use crate::paths;
use crate::policy::command_pattern::Reach;
use crate::policy::decision::Decision;
use crate::policy::rule::ShellRule;
use crate::policy::settings::ShellDefault;

/// What the ordered shell rules say of a command: in each list the first match, over all lists the strictest, else the default.
///
/// A rule whose constraint fails does not apply: the next rules count, and then the default. What they say is never less than a question,
/// since a constraint that fails must not lead into something looser (H-59).
pub(super) fn shell_opinion(
    lens: &Lens<'_>,
    part: usize,
    command: &Command,
) -> Option<(Decision, Reason)> {
    let mut worst: Option<(Decision, Reason)> = None;
    let mut unmet: Option<(&ShellRule, Unmet)> = None;
    for list in &lens.shell {
        for rule in list.iter().filter(|rule| {
            rule.pattern.matches(
                command,
                if rule.allowed {
                    Reach::Narrow
                } else {
                    Reach::Wide
                },
            )
        }) {
            if let Some(why) = unmet_constraint(lens, part, command, rule) {
                unmet.get_or_insert((rule, why));
                continue;
            }
            let next = opinion(rule);
            worst = Some(match worst {
                Some(before) if before.0 >= next.0 => before,
                _ => next,
            });
            break;
        }
    }
    let named = worst.or_else(|| lens.settings.shell_default.map(default_opinion));
    let Some((rule, unmet)) = unmet else {
        return named;
    };
    let overridden = |next: Option<Cause>| {
        Cause::ShellUnmet(Box::new(Overridden {
            pattern: rule.pattern.written.clone(),
            unmet,
            next,
        }))
    };
    Some(match named {
        Some((Decision::Deny, next)) => {
            let cause = overridden(Some(next.cause));
            (Decision::Deny, Reason { cause, ..next })
        }
        next => {
            let asks = next.filter(|(decision, _)| *decision == Decision::Ask);
            let cause = overridden(asks.map(|(_, next)| next.cause));
            // A question of the rule, and not of the default, which can be switched off.
            (Decision::Ask, of_rule(Decision::Ask, rule, cause))
        }
    })
}

/// Why an ordered rule that matches a command does not apply to it.
fn unmet_constraint(
    lens: &Lens<'_>,
    part: usize,
    command: &Command,
    rule: &ShellRule,
) -> Option<Unmet> {
    if !rule.allowed {
        return None;
    }
    if !runs_where_it_says(
        lens,
        Some(part),
        command,
        std::slice::from_ref(&rule.pattern),
    ) {
        return Some(Unmet::OtherFolder);
    }
    if let Some(lead) = command
        .leads
        .first()
        .filter(|_| !rule.pattern.covers(command))
    {
        return Some(Unmet::NotWritten {
            word: lead_word(command, lead),
            does: lead.does.clone(),
        });
    }
    (!rule.sandbox_paths.is_empty() && !paths_in_roots(lens, part, rule))
        .then(|| Unmet::NotInRoots(rule.sandbox_paths.clone()))
}

/// What holds for commands that no shell rule names.
fn default_opinion(default: ShellDefault) -> (Decision, Reason) {
    let decision = decision(default.allowed, default.approval);
    let cause = Cause::ShellDefault(decision);
    (decision, reason(decision, Check::ShellDefault, cause))
}

pub(super) fn opinion(rule: &ShellRule) -> (Decision, Reason) {
    let decision = decision(rule.allowed, rule.approval);
    let pattern = rule.pattern.written.clone();
    let cause = match (decision, &rule.description) {
        (Decision::Deny, _) => Cause::ShellBlocks(pattern),
        (Decision::Ask, Some(description)) => Cause::Said(description.clone()),
        (Decision::Ask, None) => Cause::ShellAsks(pattern),
        (Decision::Allow, _) => Cause::ShellAllows(pattern),
    };
    (decision, of_rule(decision, rule, cause))
}

fn decision(allowed: bool, approval: bool) -> Decision {
    match (allowed, approval) {
        (false, _) => Decision::Deny,
        (true, true) => Decision::Ask,
        (true, false) => Decision::Allow,
    }
}

fn of_rule(decision: Decision, rule: &ShellRule, cause: Cause) -> Reason {
    of_setting(decision, Check::ShellRule, &rule.source, cause)
}

fn paths_in_roots(lens: &Lens<'_>, part: usize, rule: &ShellRule) -> bool {
    let names = &rule.sandbox_paths;
    lens.case
        .reading
        .effects
        .iter()
        .enumerate()
        .filter(|(_, effect)| effect.part == Some(part))
        .all(|(index, effect)| {
            match &effect.target {
                Target::Path(_) => lens
                    .standing(index)
                    .and_then(|standing| standing.root)
                    .is_some_and(|root| names.contains(&root.name)),
                Target::UnknownPath(_) => false,
                // Of a program that does more than is known, any word may be a path.
                _ if matches!(effect.kind, EffectKind::Run | EffectKind::Unknown) => {
                    words_in_roots(lens, part, rule)
                }
                _ => true,
            }
        })
}

/// Whether every word of a command that could be a path lies in these roots, as it is written.
fn words_in_roots(lens: &Lens<'_>, part: usize, rule: &ShellRule) -> bool {
    let Some(command) = lens.case.reading.commands.get(part) else {
        return false;
    };
    let around = &lens.case.reading.surroundings;
    let roots: Vec<String> = lens
        .settings
        .roots
        .iter()
        .filter(|root| rule.sandbox_paths.contains(&root.name))
        .map(|root| paths::join(&around.workspace, &root.root))
        .collect();
    let is_inside = |word: &str| {
        let path = paths::join(lens.case.operation.cwd().as_str(), word);
        roots.iter().any(|root| {
            path == *root
                || path
                    .strip_prefix(root.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
    };
    let could_be = |word: &'_ str| match word.strip_prefix('-') {
        None => Some(word.to_owned()),
        Some(option) => option.split_once('=').map(|(_, value)| value.to_owned()),
    };
    // What the rule itself names is no path.
    let named = rule.pattern.written.split_whitespace().count();
    let words = command.words.iter().skip(named);
    command.stays()
        && command.literal
        && words
            .filter_map(|word| could_be(word))
            .all(|word| is_inside(&word))
}
