//! Whether a pattern that somebody typed into a prompt may be kept: it must fit the call it was typed for, and not allow far more. Where it
//! may not, the nearest pattern that would do is named.

use sayso_core::analysis::draft::Command;
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::call::operation::Operation;
use sayso_core::call::url::Url;
use sayso_core::paths::{active_in, join};
use sayso_core::policy::command_pattern::{CommandPattern, Reach};
use sayso_core::policy::glob::{PathGlob, Subject};
use sayso_core::prompt::Prompt;
use sayso_core::text::redact::redact_text;
use sayso_shell::Bash;

use crate::error::{Misfit, PatternError, port_error};

/// The rule of a pattern, or why there is none.
pub fn check(text: &str, prompt: &Prompt) -> Result<LearnedRule, PatternError> {
    let Some(key) = prompt.rule_key().filter(|_| prompt.takes_pattern()) else {
        return Err(PatternError::NotTaken);
    };
    let rule = parse(key, text)?;
    if redact_text(text) != text {
        return Err(PatternError::HoldsSecret);
    }
    let misfit = match &rule {
        _ if rule.is_overly_broad() => Some(Misfit::TooBroad),
        LearnedRule::Command(pattern) => command_misfit(text, pattern, &prompt.operation)?,
        LearnedRule::Read(glob) | LearnedRule::Write(glob) => {
            let target = target(prompt).ok_or(PatternError::Unnamed)?;
            path_misfit(glob, &target, key, prompt.operation.workspace())
        }
        LearnedRule::Fetch(pattern) => {
            let url = prompt
                .operation
                .text(sayso_core::call::tool::Role::Url)
                .and_then(|url| Url::parse(url).ok());
            let fits = url.is_some_and(|url| pattern.matches(&url, Reach::Narrow));
            (!fits).then_some(Misfit::OtherCall)
        }
        LearnedRule::Tool(_) => None,
    };
    match misfit {
        None => Ok(rule),
        Some(why) => Err(PatternError::Refused {
            pattern: text.to_owned(),
            why,
            nearest: nearest(prompt)
                .filter(|nearest| *nearest != text)
                .map(str::to_owned),
        }),
    }
}

/// The rule of a pattern for a kind of rule.
pub(crate) fn parse(key: RuleKey, text: &str) -> Result<LearnedRule, PatternError> {
    LearnedRule::parse(key, text, &Bash).map_err(|error| PatternError::NoRule(port_error(error)))
}

/// The widest pattern that sayso itself proposes.
fn nearest(prompt: &Prompt) -> Option<&str> {
    prompt.proposed().last().copied()
}

/// A file or a folder that a rule is asked for.
struct Asked {
    path: String,
    is_folder: bool,
}

/// What the narrowest rule of the prompt names: it was made of what the call really reads or writes.
fn target(prompt: &Prompt) -> Option<Asked> {
    let narrowest = prompt.offers.iter().find_map(|offer| offer.rule())?;
    let (path, is_folder) = match narrowest.pattern.strip_suffix("/**") {
        Some(folder) => (folder, true),
        None => (&*narrowest.pattern, false),
    };
    Some(Asked {
        path: join(prompt.operation.workspace(), path),
        is_folder,
    })
}

fn path_misfit(glob: &PathGlob, target: &Asked, key: RuleKey, workspace: &str) -> Option<Misfit> {
    let subject = Subject {
        path: &target.path,
        workspace,
        home: None,
    };
    let fits = if target.is_folder {
        glob.covers_below(subject)
    } else {
        glob.matches(subject)
    };
    if !fits {
        return Some(Misfit::OtherCall);
    }
    let is_active =
        key == RuleKey::Write && !glob.is_literal() && active_in(&target.path, workspace);
    is_active.then_some(Misfit::ActiveFile)
}

/// Whether the words of a command fit, and are not far fewer than the command has.
fn command_misfit(
    text: &str,
    pattern: &CommandPattern,
    operation: &Operation,
) -> Result<Option<Misfit>, PatternError> {
    let draft = sayso_shell::analyse(operation.command().unwrap_or_default());
    if draft.opaque.is_some() || draft.commands.iter().any(|one| one.interprets) {
        return Err(PatternError::NotInWords);
    }
    let fits = !draft.commands.is_empty()
        && draft
            .commands
            .iter()
            .all(|one| pattern.matches(one, Reach::Narrow));
    let is_wider = |one| is_wider_than_proposed(text, one);
    Ok(match fits {
        false => Some(Misfit::OtherCall),
        true if draft.commands.iter().any(is_wider) => Some(Misfit::TooBroad),
        true => None,
    })
}

/// Whether it names less of a command than the widest pattern that sayso itself would propose: `git *` for `git status`.
fn is_wider_than_proposed(text: &str, command: &Command) -> bool {
    let words = |pattern: &str| {
        pattern
            .split_whitespace()
            .filter(|word| *word != "*")
            .count()
    };
    let widest = sayso_shell::proposals(command)
        .last()
        .map(|pattern| words(pattern));
    widest.is_none_or(|widest| words(text) < widest)
}
