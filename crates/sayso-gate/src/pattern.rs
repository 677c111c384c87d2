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
use sayso_core::prompt::patterns::{TypedPatternError, Unfit};
use sayso_core::text::redact::redact_text;
use sayso_core::text::visible::visible;
use sayso_shell::Bash;

/// The rule of a pattern, or why there is none.
pub fn check(text: &str, prompt: &Prompt) -> Result<LearnedRule, TypedPatternError> {
    let Some(key) = prompt.rule_key().filter(|_| prompt.takes_pattern()) else {
        return Err(TypedPatternError::CannotBeKept);
    };
    let rule = LearnedRule::parse(key, text, &Bash)?;
    if redact_text(text) != text {
        return Err(TypedPatternError::HoldsSecret);
    }
    let refused = |why: Unfit| TypedPatternError::Unfit {
        pattern: visible(text).into_owned(),
        why,
        nearest: nearest(prompt)
            .filter(|nearest| *nearest != text)
            .map(|nearest| visible(nearest).into_owned()),
    };
    if rule.is_overly_broad() {
        return Err(refused(Unfit::TooWide));
    }
    match &rule {
        LearnedRule::Command(pattern) => {
            let fit = command_fits(text, pattern, &prompt.operation)?;
            fit.map_err(refused)?;
        }
        LearnedRule::Read(glob) | LearnedRule::Write(glob) => {
            let target = target(prompt).ok_or(TypedPatternError::NoExactTarget)?;
            path_fits(glob, &target, key, prompt.operation.workspace()).map_err(refused)?;
        }
        LearnedRule::Fetch(pattern) => {
            let url = prompt
                .operation
                .text(sayso_core::call::tool::Role::Url)
                .and_then(|url| Url::parse(url).ok());
            if !url.is_some_and(|url| pattern.matches(&url, Reach::Narrow)) {
                return Err(refused(Unfit::Other));
            }
        }
        LearnedRule::Tool(_) => {}
    }
    Ok(rule)
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

fn path_fits(glob: &PathGlob, target: &Asked, key: RuleKey, workspace: &str) -> Result<(), Unfit> {
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
        return Err(Unfit::Other);
    }
    if key == RuleKey::Write && !glob.is_literal() && active_in(&target.path, workspace) {
        return Err(Unfit::WildcardsOverActiveFile);
    }
    Ok(())
}

/// Whether the words of a command fit, and are not far fewer than the command has.
fn command_fits(
    text: &str,
    pattern: &CommandPattern,
    operation: &Operation,
) -> Result<Result<(), Unfit>, TypedPatternError> {
    let draft = sayso_shell::analyse(operation.command().unwrap_or_default());
    if draft.opaque.is_some() || draft.commands.iter().any(|one| one.interprets) {
        return Err(TypedPatternError::NotInItsWords);
    }
    let fits = !draft.commands.is_empty()
        && draft
            .commands
            .iter()
            .all(|one| pattern.matches(one, Reach::Narrow));
    Ok(match fits {
        false => Err(Unfit::Other),
        true if draft
            .commands
            .iter()
            .any(|one| is_wider_than_proposed(text, one)) =>
        {
            Err(Unfit::TooWide)
        }
        true => Ok(()),
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
