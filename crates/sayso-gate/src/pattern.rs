//! Whether a pattern that somebody typed into a prompt may be kept: it must fit the call it was typed for, and not allow far more.

use sayso_core::draft::Command;
use sayso_core::operation::Operation;
use sayso_core::policy::command::{CommandPattern, Form, Reach};
use sayso_core::redact::redact_text;
use sayso_shell::Bash;

/// Says why not.
pub fn check(text: &str, operation: &Operation) -> Result<CommandPattern, String> {
    let Some(command) = operation.command() else {
        return Err("only a command has a pattern".to_owned());
    };
    let pattern = CommandPattern::parse(text, Form::Words, &Bash).map_err(|problem| problem.to_string())?;
    if redact_text(text) != text {
        return Err("the pattern holds a secret, which would stay in the record; put `*` in its place".to_owned());
    }
    if pattern.is_overly_broad() {
        return Err(format!("`{text}` allows far more than this call"));
    }
    let draft = sayso_shell::analyse(command);
    if draft.opaque.is_some() || draft.commands.iter().any(|one| one.interprets) {
        return Err("what this command runs is not in its words".to_owned());
    }
    let fits = !draft.commands.is_empty() && draft.commands.iter().all(|one| pattern.matches(one, Reach::Narrow));
    if !fits {
        return Err(format!("`{text}` does not fit this call"));
    }
    if draft.commands.iter().any(|one| is_wider_than_proposed(text, one)) {
        return Err(format!("`{text}` allows far more than this call"));
    }
    Ok(pattern)
}

/// Whether it names less of a command than the widest pattern that sayso itself would propose: `git *` for `git status`.
fn is_wider_than_proposed(text: &str, command: &Command) -> bool {
    let words = |pattern: &str| pattern.split_whitespace().filter(|word| *word != "*").count();
    let widest = sayso_shell::proposals(command).last().map(|pattern| words(pattern));
    widest.is_none_or(|widest| words(text) < widest)
}
