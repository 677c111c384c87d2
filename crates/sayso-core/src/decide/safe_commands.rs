//! Commands on a list of safe ones.
//!
//! The lists of profiles let through what only looks. An entry that somebody wrote into a file of theirs is taken like a rule for that
//! command: it covers what the command does, and nothing that must be asked. Both are about one simple command and nothing around it.

use crate::analysis::draft::Command;
use crate::analysis::effect::{Effect, EffectKind};
use crate::analysis::risk::Risk;
use crate::answer::cause::Cause;
use crate::answer::rule_id::Check;
use crate::answer::verdict::Reason;
use crate::decide::allow_rules::spelled_out;
use crate::decide::judging::{Lens, of_setting, reason};
use crate::decide::risk::effect_risk;
use crate::decide::rule_match::command_effect;
use crate::policy::command_pattern::Reach;
use crate::policy::decision::Decision;
use crate::policy::safe_command::{Caution, SafeCommand};

/// Why an effect is allowed by an entry of `safe_commands`, or by one of somebody's own only.
pub(super) fn allows(lens: &Lens<'_>, effect: &Effect, only_own: bool) -> Option<Reason> {
    let command = effect
        .part
        .and_then(|part| lens.case.reading.commands.get(part))?;
    if !lens.settings.auto_approve_safe_commands
        || why_not_simple(lens, command).is_some()
        || effect.manner.redirect
    {
        return None;
    }
    let counts = |entry: &&SafeCommand| {
        (entry.own || !only_own) && entry.caution.and_then(Caution::never_counts).is_none()
    };
    let mut entries = lens
        .settings
        .safe_commands
        .iter()
        .filter(counts)
        .filter(|entry| entry.pattern.matches(command, Reach::Narrow));
    if only_looks(lens, command) && entries.clone().next().is_some() {
        let cause = Cause::SafeCommandListed;
        return Some(reason(Decision::Allow, Check::SafeCommand, cause));
    }
    let entry = entries.find(|entry| {
        is_like_a_rule(entry) && why_not_covered(lens, command, entry, effect).is_none()
    })?;
    let cause = Cause::SafeCommand(entry.pattern.written.clone());
    Some(of_entry(Decision::Allow, entry, cause))
}

/// For a command that is asked about or denied although somebody listed it as safe: why.
pub(super) fn why_not(lens: &Lens<'_>, reasons: &[Reason]) -> Option<Reason> {
    let commands = &lens.case.reading.commands;
    let (command, entry) = commands
        .iter()
        .find_map(|command| Some((command, own_entry(lens, command)?)))?;
    let must = || {
        reasons
            .iter()
            .any(|reason| reason.must_ask)
            .then_some("it covers nothing that must be asked")
    };
    let uncovered = || {
        let mut effects = lens.case.reading.effects.iter();
        effects.find_map(|effect| why_not_covered(lens, command, entry, effect))
    };
    let why = entry
        .why_it_never_counts(lens.settings)
        .or_else(|| why_not_simple(lens, command))
        .or_else(must)
        .or_else(uncovered)?;
    let pattern = entry.pattern.written.clone();
    let cause = Cause::SafeCommandNotHere { pattern, why };
    Some(of_entry(Decision::Ask, entry, cause))
}

fn of_entry(decision: Decision, entry: &SafeCommand, cause: Cause) -> Reason {
    of_setting(decision, Check::SafeCommand, &entry.source, cause)
}

/// The entry of somebody's own that is about a command, or about what stands before it.
fn own_entry<'a>(lens: &Lens<'a>, command: &Command) -> Option<&'a SafeCommand> {
    let names_wrapper = |entry: &SafeCommand| {
        entry.caution == Some(Caution::StartsOthers)
            && command
                .wrappers
                .iter()
                .any(|wrapper| entry.pattern.names(wrapper))
    };
    let is_about = |entry: &&SafeCommand| {
        entry.own && (entry.pattern.matches(command, Reach::Narrow) || names_wrapper(entry))
    };
    // Of several, one that counts elsewhere says more.
    let never_counts =
        |entry: &&SafeCommand| entry.caution.and_then(Caution::never_counts).is_some();
    lens.settings
        .safe_commands
        .iter()
        .filter(is_about)
        .min_by_key(never_counts)
}

/// Whether an entry covers more than looking.
fn is_like_a_rule(entry: &SafeCommand) -> bool {
    entry.own && entry.caution != Some(Caution::OnlyLooks)
}

/// Whether all that a command does is look, or it is one whose arguments nobody knows.
fn only_looks(lens: &Lens<'_>, command: &Command) -> bool {
    let effects = &lens.case.reading.effects;
    let low = effects
        .iter()
        .enumerate()
        .all(|(index, effect)| effect_risk(lens, index, effect) == Risk::Low);
    let only_runs = effects.iter().all(|effect| {
        matches!(
            effect.kind,
            EffectKind::Run | EffectKind::Unknown | EffectKind::Read
        )
    });
    low || only_runs && !command.modelled
}

/// Why a line is not one simple command with nothing around it.
fn why_not_simple(lens: &Lens<'_>, command: &Command) -> Option<&'static str> {
    let reading = lens.case.reading;
    if reading.commands.len() > 1 || !lens.case.operation.command().is_some_and(stands_alone) {
        return Some("the line holds more than this one command");
    }
    if reading.opaque.is_some() || reading.commands.is_empty() {
        return Some("it could not be analysed whole");
    }
    if !command.wrappers.is_empty() {
        return Some("another command starts it");
    }
    if !command.literal {
        return Some("which words it gets shows only when it runs");
    }
    None
}

/// Why an entry of somebody's own does not cover an effect of a simple command.
fn why_not_covered(
    lens: &Lens<'_>,
    command: &Command,
    entry: &SafeCommand,
    effect: &Effect,
) -> Option<&'static str> {
    if !command.assignments.is_empty() || effect.kind == EffectKind::Environment {
        return Some("it changes the environment");
    }
    if effect.manner.redirect {
        return Some("the line holds more than this one command");
    }
    if entry.caution == Some(Caution::OnlyLooks) {
        return (!only_looks(lens, command)).then_some("it does more than look");
    }
    if !command_effect(effect) {
        return Some("it gains rights");
    }
    if !command.leads.is_empty() && !entry.pattern.covers(command) {
        return Some(
            "it has a word that leads to other code, another project or another configuration, which the entry does not write out",
        );
    }
    (!spelled_out(lens, effect, std::iter::once(&entry.pattern)))
        .then_some("it has an option that sayso does not know")
}

/// Whether a text has no sign outside of quotes that makes it more than one simple command in the foreground.
fn stands_alone(text: &str) -> bool {
    let mut quote: Option<char> = None;
    let mut characters = text.trim().chars();
    if text.trim_start().starts_with('!') {
        return false;
    }
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                characters.next();
            }
            (_, '`') => return false,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '\n') => return false,
            (None, _) => {}
        }
    }
    quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_simple_command_stands_alone() {
        for text in [
            "touch a",
            " touch 'a;b' ",
            "touch \"a & b\"",
            "git commit -m 'x > y'",
            "touch a\\;b",
        ] {
            assert!(stands_alone(text), "{text}");
        }
        for text in [
            "make &",
            "(make)",
            "make; ls",
            "make\nls",
            "make > x",
            "make < x",
            "! make",
            "touch `ls`",
            "touch \"`ls`\"",
            "touch 'a",
        ] {
            assert!(!stands_alone(text), "{text}");
        }
    }
}
