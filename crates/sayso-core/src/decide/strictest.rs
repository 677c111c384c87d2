//! Joins two verdicts on the same operation into one that is at least as strict as both.

use crate::answer::verdict::{Reason, Verdict};
use crate::decide::judging::dedupe;
use crate::policy::decision::Decision;

pub(super) fn strictest(one: Verdict, other: Verdict) -> Verdict {
    let (mut first, second) = if one.decision >= other.decision {
        (one, other)
    } else {
        (other, one)
    };
    first.risk = first.risk.max(second.risk);
    first.tier = first.tier.max(second.tier);
    if first.decision == second.decision {
        first.reasons.extend(second.reasons);
        first.reasons = dedupe(std::mem::take(&mut first.reasons), Reason::text);
    }
    if first.decision == Decision::Ask {
        first.confirm = first.confirm.max(second.confirm);
    }
    let (terms, other) = (&mut first.terms, second.terms);
    terms.sandbox_required |= other.sandbox_required;
    terms.contained |= other.contained;
    terms.repository &= other.repository;
    terms.network = terms.network.meet(&other.network);
    terms.write.retain(|folder| other.write.contains(folder));
    terms
        .read_only
        .retain(|folder| other.read_only.contains(folder) || other.write.contains(folder));
    terms
        .endings
        .retain(|folder| other.endings.contains(folder));
    terms.reads.retain(|path| other.reads.contains(path));
    terms.changes.retain(|path| other.changes.contains(path));
    terms.bounds.extend(other.bounds);
    terms.memory_limit = least(terms.memory_limit, other.memory_limit);
    terms.process_limit = least(terms.process_limit, other.process_limit);
    terms.time_limit = least(terms.time_limit, other.time_limit);
    first.trace.extend(second.trace);
    first
}

/// The smaller limit; none is no limit.
fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::risk::{Risk, Tier};
    use crate::answer::verdict::Confirm;
    use crate::policy::terms::Terms;
    use crate::text::digest::Digest;
    use crate::text::node::Node;

    fn verdict(decision: Decision, confirm: Confirm, terms: Terms) -> Verdict {
        let digest = Digest::of_node(&Node::text("x"));
        let (risk, tier) = (Risk::Low, Tier::None);
        Verdict {
            decision,
            risk,
            tier,
            confirm,
            reasons: vec![],
            effects: vec![],
            terms,
            digest,
            trace: vec![],
            evidence: None,
        }
    }

    #[test]
    fn the_stricter_answer_and_the_stricter_terms_are_kept() {
        let lists = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let bounded = Terms {
            sandbox_required: true,
            contained: true,
            repository: true,
            write: lists(&["/a", "/b"]),
            read_only: lists(&["/c", "/d"]),
            time_limit: Some(5),
            ..Terms::default()
        };
        let open = Terms {
            write: lists(&["/b", "/c"]),
            read_only: lists(&["/e"]),
            time_limit: None,
            memory_limit: Some(1),
            ..Terms::default()
        };
        for (one, other) in [(&bounded, &open), (&open, &bounded)] {
            let terms = strictest(
                verdict(Decision::Allow, Confirm::None, one.clone()),
                verdict(Decision::Allow, Confirm::None, other.clone()),
            )
            .terms;
            assert!(terms.sandbox_required && terms.contained && !terms.repository);
            assert_eq!(
                (terms.write, terms.time_limit, terms.memory_limit),
                (lists(&["/b"]), Some(5), Some(1))
            );
        }
        let both = strictest(
            verdict(Decision::Allow, Confirm::None, bounded),
            verdict(Decision::Allow, Confirm::None, open),
        );
        assert_eq!(
            both.terms.read_only,
            lists(&["/c"]),
            "what the other may write, it may read"
        );
    }

    #[test]
    fn the_most_confirmations_are_kept_where_somebody_is_asked() {
        let joined = |one: (Decision, Confirm), other: (Decision, Confirm)| {
            let both = strictest(
                verdict(one.0, one.1, Terms::default()),
                verdict(other.0, other.1, Terms::default()),
            );
            (both.decision, both.confirm)
        };
        let (single, double) = (
            (Decision::Ask, Confirm::Single),
            (Decision::Ask, Confirm::Double),
        );
        assert_eq!(joined(single, double), double);
        assert_eq!(joined(double, single), double);
        assert_eq!(
            joined(double, (Decision::Deny, Confirm::None)),
            (Decision::Deny, Confirm::None)
        );
        assert_eq!(joined((Decision::Allow, Confirm::None), single), single);
    }
}
