//! A rule as a person types it: read from a line, told in one line, and the warning that a broad one gets.

use sayso_core::analysis::effect::EffectKind;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::rule::{Rule, Subject};
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use thiserror::Error;

use super::line::{SUBJECTS, of_rule};

/// What a rule says, in one line.
pub fn words(rule: &Node) -> String {
    let line = of_rule(rule);
    format!(
        "{} {} `{}` {}",
        line.decision, line.subject, line.pattern, line.reach
    )
}

/// Whether a pattern names less of a command than sayso itself would propose: `git *`, of a program that is many programs.
fn names_only_a_program(subject: &Subject) -> bool {
    let Subject::Command(patterns) = subject else {
        return false;
    };
    patterns.iter().any(|pattern| {
        let [program, "*"] = pattern.written.split_whitespace().collect::<Vec<_>>()[..] else {
            return false;
        };
        let draft = sayso_shell::analyse(&format!("{program} x"));
        if draft.opaque.is_none()
            && !draft.effects.is_empty()
            && draft
                .effects
                .iter()
                .all(|effect| effect.kind == EffectKind::Read)
        {
            return false;
        }
        let proposed = draft
            .commands
            .first()
            .map(sayso_shell::proposals)
            .unwrap_or_default();
        proposed.last().is_none_or(|widest| {
            widest
                .split_whitespace()
                .filter(|word| *word != "*")
                .count()
                > 1
        })
    })
}

/// The line is not a rule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{}` is no rule; such as `allow cargo test *` or `allow read docs/**`", visible(.0))]
pub struct NotARule(String);

/// The rule of a typed line, with the words of `sayso rules add`: a decision, what it is about (commands where nothing is said), the pattern.
pub fn of_line(text: &str) -> Result<Node, NotARule> {
    let word = |text: &str| -> (String, String) {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        (
            first.trim_start_matches("--").to_owned(),
            rest.trim().to_owned(),
        )
    };
    let no_rule = || NotARule(text.to_owned());
    let (decision, rest) = word(text);
    if !["allow", "ask", "deny"].contains(&decision.as_str()) {
        return Err(no_rule());
    }
    let (first, pattern) = word(&rest);
    let subject = SUBJECTS
        .iter()
        .map(|(key, _)| *key)
        .find(|key| *key == first && *key != "command_regex");
    let (subject, pattern) = match subject {
        Some(subject) => (subject, pattern),
        None => ("command", rest),
    };
    if pattern.is_empty() || ["allow", "ask", "deny"].contains(&word(&pattern).0.as_str()) {
        return Err(no_rule());
    }
    Ok(Node::map([(
        decision.as_str(),
        Node::map([(subject, Node::text(pattern))]),
    )]))
}

/// What a person should know before a rule is added; none for one that allows little, or nothing.
pub fn warning(rule: &Rule) -> Option<String> {
    let pattern = visible(&rule.matcher.in_words()).into_owned();
    let broad = rule.matcher.is_overly_broad() || names_only_a_program(&rule.matcher.subject);
    let dangerous = matches!(
        &rule.matcher.subject,
        Subject::Delete(_) | Subject::Tool(_) | Subject::Mcp(_)
    );
    match (broad, dangerous) {
        _ if rule.decision != Decision::Allow => None,
        (true, _) => Some(format!(
            "`{pattern}` allows very much: nothing of it is asked about from then on"
        )),
        (false, true) => Some(format!(
            "`{pattern}` allows something that sayso cannot look into"
        )),
        (false, false) => None,
    }
}
