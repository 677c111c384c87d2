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
    first.terms.sandbox_required |= second.terms.sandbox_required;
    first.terms.network &= second.terms.network;
    first.terms.write.retain(|folder| second.terms.write.contains(folder));
    first.trace.extend(second.trace);
    first
}
