//! The flow: one call, from operation to verdict. Prompts, running and the record join it here.

use sayso_core::decide::{Case, Run, Uses, decide};
use sayso_core::draft::{Draft, Reading};
use sayso_core::grant::Grant;
use sayso_core::operation::Operation;
use sayso_core::policy::Policy;
use sayso_core::tool_effects;
use sayso_core::verdict::Verdict;

use crate::ports::World;

/// Everything a judgement needs besides the operation.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// Answers questions.
    pub world: &'a dyn World,
    /// The policy.
    pub policy: &'a Policy,
    /// What was answered before.
    pub grants: &'a [Grant],
    /// How often rules were used.
    pub uses: Option<&'a dyn Uses>,
    /// What the person said for this run.
    pub run: Run,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Keep a list of what was tried.
    pub trace: bool,
}

/// A judged operation.
#[derive(Debug)]
pub struct Judged {
    /// What it would do.
    pub reading: Reading,
    /// The verdict on it.
    pub verdict: Verdict,
}

/// Judges one operation without running it.
pub fn judge(bench: &Bench<'_>, operation: &Operation) -> Judged {
    let draft = analyse(operation);
    let facts = bench.world.answer(&operation.cwd(), operation.workspace(), &draft.questions);
    let reading = draft.settle(&facts);
    let case =
        Case { operation, reading: &reading, grants: bench.grants, uses: bench.uses, now: bench.now, run: bench.run, trace: bench.trace };
    let verdict = decide(bench.policy, &case);
    Judged { reading, verdict }
}

/// What the operation would do, with open questions.
fn analyse(operation: &Operation) -> Draft {
    match operation.command() {
        Some(text) => {
            let mut draft = sayso_shell::analyse(text);
            let rest = tool_effects::beside_command(operation);
            draft.effects.extend(rest);
            draft
        }
        None => tool_effects::draft(operation),
    }
}
