//! What becomes of the calls that remain in a batch after an answer for all of them: each is judged as it will be on its turn.

use sayso_core::answer::rest_of_batch::RestOfBatch;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::text::count::{agreed, count};

use super::batch_context::Turn;
use super::gate::Gate;

/// More calls than these are not judged ahead of their turn.
const MAX_COUNTED: usize = 500;

/// How many of the remaining calls will run unasked, ask, and be denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Remaining {
    approved: usize,
    asks: usize,
    denied: usize,
}

impl Gate {
    /// What was approved with the rest of a batch, in words.
    pub(crate) fn approved_rest(&self, turn: &Turn, covers: RestOfBatch) -> String {
        match self.remaining(turn) {
            Some(remaining) => remaining.words(),
            None => format!("✓ Approved the remaining operations; {}", covers.words()),
        }
    }

    /// Judges each remaining call with the grants of the batch; none where there are too many.
    fn remaining(&self, turn: &Turn) -> Option<Remaining> {
        let mut out = Remaining::default();
        let following = turn.following();
        let calls = following.as_ref().map_or(&[][..], |calls| calls.as_slice());
        if calls.len() > MAX_COUNTED {
            return None;
        }
        for call in calls {
            match self.decision_on(call, turn) {
                Decision::Allow => out.approved += 1,
                Decision::Ask => out.asks += 1,
                Decision::Deny => out.denied += 1,
            }
        }
        Some(out)
    }

    fn decision_on(&self, call: &Call, turn: &Turn) -> Decision {
        // What is nested too deep cannot even be copied, and is denied on its turn.
        if call.is_too_deep() {
            return Decision::Deny;
        }
        match Operation::freeze(call.clone()) {
            Ok(operation) if turn.denied.contains_key(&operation.digest()) => Decision::Deny,
            Ok(operation) => self.judge(&operation, turn).verdict.decision,
            Err(_) => Decision::Deny,
        }
    }
}

impl Remaining {
    fn words(self) -> String {
        let mut out = format!("✓ Approved {}", count(self.approved, "remaining operation"));
        if self.asks > 0 {
            out.push_str(&format!(
                "; {} {} still {} you",
                self.asks,
                agreed(self.asks, "other", "others"),
                agreed(self.asks, "asks", "ask")
            ));
        }
        if self.denied > 0 {
            out.push_str(&format!("; {} will be denied", self.denied));
        }
        out
    }
}
