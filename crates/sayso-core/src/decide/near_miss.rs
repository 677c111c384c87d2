//! Why an allow rule that names a command does not cover it: sentences for the person, beside what asks.

use crate::analysis::draft::{Command, Lead};
use crate::answer::cause::Cause;
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::decide::judging::{Lens, of_setting};
use crate::policy::command_pattern::{CommandPattern, Reach};
use crate::policy::decision::Decision;
use crate::policy::rule::{Rule, Subject};

/// For each command that an allow rule matches: the first word that the rule would have to write out, or the command inside that it is not
/// about, where that must be asked.
pub(super) fn reasons(lens: &Lens<'_>, must: bool) -> Vec<Reason> {
    let commands = lens.case.reading.commands.iter().enumerate();
    commands
        .filter_map(|(part, command)| uncovered(lens, part, command, must))
        .collect()
}

fn uncovered(lens: &Lens<'_>, part: usize, command: &Command, must: bool) -> Option<Reason> {
    let run = command.runs.first().filter(|_| must);
    if command.leads.is_empty() && run.is_none() {
        return None;
    }
    let (rule, pattern) = matching(lens, part, command)?;
    let cause = match (
        command.leads.first().filter(|_| !pattern.covers(command)),
        run,
    ) {
        (_, Some((by, inner))) => Cause::NotCoveredInside {
            pattern: pattern.written.clone(),
            inner: inner.clone(),
            by: by.clone(),
        },
        (Some(lead), None) => Cause::NotCovered {
            pattern: pattern.written.clone(),
            word: lead_word(command, lead),
            does: lead.does.clone(),
        },
        (None, None) => return None,
    };
    let check = Check::NotCovered;
    Some(of_setting(Decision::Ask, check, &rule.source, cause))
}

/// An allow rule with a pattern that matches the command; one that covers it counts first.
fn matching<'a>(
    lens: &Lens<'a>,
    part: usize,
    command: &Command,
) -> Option<(&'a Rule, &'a CommandPattern)> {
    let index = lens
        .case
        .reading
        .effects
        .iter()
        .position(|effect| effect.part == Some(part))?;
    let mut found = None;
    for (_, candidates) in lens.candidates(index) {
        for rule in candidates
            .iter()
            .copied()
            .filter(|rule| rule.decision == Decision::Allow && lens.counts(rule))
        {
            let Subject::Command(patterns) = &rule.matcher.subject else {
                continue;
            };
            if let Some(pattern) = patterns.iter().find(|pattern| pattern.covers(command)) {
                return Some((rule, pattern));
            }
            found = found.or_else(|| {
                Some((
                    rule,
                    patterns
                        .iter()
                        .find(|pattern| pattern.matches(command, Reach::Narrow))?,
                ))
            });
        }
    }
    found
}

/// The word of a lead, and the next one where it is the value of an option.
pub(super) fn lead_word(command: &Command, lead: &Lead) -> String {
    let word = command.words.get(lead.word).map_or("", String::as_str);
    let whole = word.len() == lead.name && word.starts_with('-') && !word.contains('=');
    match command.words.get(lead.word + 1).filter(|_| whole) {
        Some(value) => format!("{word} {value}"),
        None => word.to_owned(),
    }
}
