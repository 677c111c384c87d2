//! Who decided a call that is in the record.

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::text::node::Node;
use sayso_core::text::visible::visible;
use sayso_store::index::calls::Listed;

/// Who decided, for people; none where an entry is no decision.
pub fn words(
    outcome: Option<&str>,
    by: Option<&str>,
    rule: Option<&str>,
    source: Option<&str>,
) -> Option<String> {
    let outcome = Outcome::from_word(outcome?)?;
    let rule = RuleId::from_recorded(rule.unwrap_or_default(), source.unwrap_or_default());
    let decided = DecidedBy::new(outcome, by.map(DecidedBy::from_text), Some(&rule));
    // The outcome says already that there was no one.
    (decided != DecidedBy::Nobody).then(|| visible(&decided.words()).into_owned())
}

/// The same of a call in the index.
pub fn of_call(listed: &Listed) -> Option<String> {
    words(
        listed.outcome.as_deref(),
        listed.by.as_deref(),
        listed.rule.as_deref(),
        listed.source.as_deref(),
    )
}

/// The same of an entry.
pub fn of_entry(node: &Node) -> Option<String> {
    let text = |key: &str| node.get(key).and_then(Node::as_text);
    words(text("outcome"), text("by"), text("rule"), text("source"))
}
