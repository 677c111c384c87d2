//! What the ordered shell rules say of a command.

use crate::analysis::draft::Command;
use crate::analysis::effect::{EffectKind, Target};
use crate::answer::verdict::Reason;
use crate::decide::judging::{Lens, reason};
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
    let mut unmet: Option<(&ShellRule, String)> = None;
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
    let Some((rule, why)) = unmet else {
        return named;
    };
    let text = format!(
        "the shell rule `{}` does not apply, since {why}",
        rule.pattern.written
    );
    Some(match named {
        Some((Decision::Deny, next)) => (
            Decision::Deny,
            Reason {
                text: format!("{text}; {}", next.text),
                ..next
            },
        ),
        next => {
            let rest = next
                .filter(|(decision, _)| *decision == Decision::Ask)
                .map_or(String::new(), |(_, next)| format!("; {}", next.text));
            // A question of the rule, and not of the default, which can be switched off.
            (
                Decision::Ask,
                Reason {
                    source: rule.source.clone(),
                    ..reason(Decision::Ask, "shell-rule", &format!("{text}{rest}"))
                },
            )
        }
    })
}

/// Why an ordered rule that matches a command does not apply to it.
fn unmet_constraint(
    lens: &Lens<'_>,
    part: usize,
    command: &Command,
    rule: &ShellRule,
) -> Option<String> {
    if !rule.allowed {
        return None;
    }
    if !runs_where_it_says(
        lens,
        Some(part),
        command,
        std::slice::from_ref(&rule.pattern),
    ) {
        return Some("the command runs in another folder".to_owned());
    }
    if let Some(lead) = command
        .leads
        .first()
        .filter(|_| !rule.pattern.covers(command))
    {
        return Some(format!(
            "it does not write out `{}`, which {}",
            lead_word(command, lead),
            lead.does
        ));
    }
    (!rule.sandbox_paths.is_empty() && !paths_in_roots(lens, part, rule)).then(|| {
        format!(
            "not all of its paths are in `{}`",
            rule.sandbox_paths.join("`, `")
        )
    })
}

/// What holds for commands that no shell rule names.
fn default_opinion(default: ShellDefault) -> (Decision, Reason) {
    let (decision, text) = match (default.allowed, default.approval) {
        (false, _) => (
            Decision::Deny,
            "commands that no shell rule names are blocked",
        ),
        (true, true) => (
            Decision::Ask,
            "commands that no shell rule names need approval",
        ),
        (true, false) => (
            Decision::Allow,
            "commands that no shell rule names are free",
        ),
    };
    (decision, reason(decision, "shell-default", text))
}

fn opinion(rule: &ShellRule) -> (Decision, Reason) {
    let (decision, text) = match (rule.allowed, rule.approval) {
        (false, _) => (
            Decision::Deny,
            format!("command blocked: {}", rule.pattern.written),
        ),
        (true, true) => (
            Decision::Ask,
            rule.description
                .clone()
                .unwrap_or_else(|| format!("`{}` needs approval", rule.pattern.written)),
        ),
        (true, false) => (
            Decision::Allow,
            format!("`{}` is pre-approved", rule.pattern.written),
        ),
    };
    (
        decision,
        Reason {
            source: rule.source.clone(),
            ..reason(decision, "shell-rule", &text)
        },
    )
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
