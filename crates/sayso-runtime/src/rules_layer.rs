//! The rules that a person added with `sayso rules`, as a layer of the policy.

use sayso_core::policy::read::{Format, Layer, Origin, read};
use sayso_core::text::diagnostic::{Diagnostic, Severity, Source};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_shell::Bash;
use sayso_store::index::journal_fallback::Remembered;
use sayso_store::index::{Index, IndexError};
use sayso_store::rules_and_grants::generation::{Generation, GenerationError, Mark};
use sayso_store::rules_and_grants::{Standing, What};
use thiserror::Error;

/// The name of the layer in messages.
pub const NAME: &str = "sayso rules";

/// Why what is remembered cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message says it")]
pub enum RulesError {
    #[error(transparent)]
    Generation(#[from] GenerationError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("{}{}", .0.message, .0.hint.as_ref().map_or_else(String::new, |hint| format!(" (hint: {hint})")))]
    Rule(Diagnostic),
    #[error("the rules cannot be read")]
    Unreadable,
}

/// Everything that is remembered in this state folder; nothing where nothing ever was.
///
/// # Errors
/// When it is there and cannot be read. A rule that denies may be among it, so this is no reason to go on without.
pub fn standing(state: &std::path::Path) -> Result<Vec<Standing>, RulesError> {
    let mut generation = Generation::open(state)?;
    let mark = generation.now(state)?;
    // The journal says what stands; the other files could be lost.
    if mark == Mark::Never && !state.join("journal").exists() {
        return Ok(Vec::new());
    }
    let standing = Index::open(state, &mut |_| {})?.standing()?;
    if mark == Mark::Unknown {
        // From now on it is counted. Where it cannot be, the journal is asked each time.
        let _ = generation.grow(state);
    }
    Ok(standing)
}

/// The same for a policy, without a long wait for the index: where there are many grants of sessions, only those of this one.
///
/// # Errors
/// As [`standing`].
pub fn for_policy(
    state: &std::path::Path,
    session: Option<&str>,
) -> Result<Remembered, RulesError> {
    let mut generation = Generation::open(state)?;
    let mark = generation.now(state)?;
    if mark == Mark::Never && !state.join("journal").exists() {
        return Ok(Remembered::default());
    }
    let remembered = Index::remembered(state, session)?;
    if mark == Mark::Unknown {
        // From now on it is counted. Where it cannot be, the journal is asked each time.
        let _ = generation.grow(state);
    }
    Ok(remembered)
}

/// The layer of the rules that count.
///
/// # Errors
/// When a rule cannot be read; says which.
pub fn layer(standing: &[Standing]) -> Result<Option<Layer>, RulesError> {
    let rules: Vec<Node> = standing
        .iter()
        .filter(|one| one.enabled)
        .filter_map(rule_of)
        .collect();
    if rules.is_empty() {
        return Ok(None);
    }
    read_rules(rules).map(Some)
}

/// A remembered rule as a policy file would have it, with its id.
pub fn rule_of(standing: &Standing) -> Option<Node> {
    match &standing.what {
        What::Rule(rule) => Some(with_id(rule, &standing.id)),
        What::Grant(_) => None,
    }
}

/// A rule with this id in place of any other.
pub fn with_id(rule: &Node, id: &str) -> Node {
    let rest = rule
        .entries()
        .iter()
        .filter(|entry| entry.key != "id")
        .map(|entry| (entry.key.clone(), entry.node.clone()));
    Node::map(std::iter::once(("id".to_owned(), Node::text(id))).chain(rest))
}

/// Rules as a layer of their own.
///
/// # Errors
/// What is wrong with them, in the words of the policy's reader.
pub fn read_rules(rules: Vec<Node>) -> Result<Layer, RulesError> {
    let text = json::write_plain(&Node::map([("rules", Value::List(rules).into())]));
    let (layer, findings) = read(
        Source {
            name: NAME,
            text: &text,
        },
        Format::Json,
        Origin::Learned,
        &Bash,
    );
    let mut wrong = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    match (layer, wrong.next()) {
        (Some(mut layer), None) => {
            for rule in &mut layer.rules {
                rule.source = format!("{NAME} ({})", rule.id);
            }
            Ok(layer)
        }
        (_, Some(finding)) => Err(RulesError::Rule(finding.clone())),
        (None, None) => Err(RulesError::Unreadable),
    }
}
