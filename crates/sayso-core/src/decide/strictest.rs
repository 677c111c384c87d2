//! Joins two verdicts on the same operation into one that is at least as strict as both.

use crate::decide::lens::dedupe;
use crate::verdict::{Decision, Verdict};

pub(super) fn strictest(one: Verdict, other: Verdict) -> Verdict {
    let (mut first, second) = if one.decision >= other.decision { (one, other) } else { (other, one) };
    first.risk = first.risk.max(second.risk);
    first.tier = first.tier.max(second.tier);
    if first.decision == second.decision {
        first.reasons.extend(second.reasons);
        first.reasons = dedupe(std::mem::take(&mut first.reasons));
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
    terms.read_only.retain(|folder| other.read_only.contains(folder) || other.write.contains(folder));
    terms.endings.retain(|folder| other.endings.contains(folder));
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
