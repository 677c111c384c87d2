//! Judges one call: reads it, looks at the machine, decides, and lets scripts and plugins tighten the verdict.

use std::sync::Arc;

use sayso_core::analysis::draft::{Draft, Reading};
use sayso_core::analysis::mcp_arguments;
use sayso_core::analysis::tool_effects;
use sayso_core::answer::evidence::Evidence;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::decide::{Case, Uses, decide};
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;

use super::batch_context::Turn;
use super::gate::Gate;
use super::judge_scripts;
use super::seal_check::Stale;
use crate::binding::Seal;
use crate::ports::World;

impl Gate {
    /// Whether a call would be denied by now: a question about it that is still open has no yes any more.
    pub fn denies(&self, operation: &Operation) -> bool {
        self.judge(operation, &Turn::alone()).verdict.decision == Decision::Deny
    }

    /// How a call would be judged by now. Nobody is asked, and nothing is written down.
    pub fn preview(&self, operation: &Operation) -> Verdict {
        self.judge(operation, &Turn::alone()).verdict
    }

    /// Reads the call, looks at the machine, decides; then lets plugins tighten. A grant for scripts that have changed does not count.
    pub(crate) fn judge(&self, operation: &Operation, turn: &Turn) -> Weighed {
        let policy = self.policy();
        let stored = self.ports.store.grants();
        // Copied only where the batch has grants of its own for this call, or one has to be left out.
        let of_batch: Vec<&Grant> = turn.grants_for(operation.digest()).collect();
        let mut own = (!of_batch.is_empty()).then(|| {
            of_batch
                .into_iter()
                .chain(stored.iter())
                .cloned()
                .collect::<Vec<Grant>>()
        });
        let spent = self.ports.store.spent();
        loop {
            let grants: &[Grant] = own.as_deref().unwrap_or(&stored);
            let bench = Bench {
                world: self.ports.world.as_ref(),
                policy: &policy,
                grants,
                uses: spent.as_deref().map(|spent| spent as &dyn Uses),
                run: self.how(),
                now: self.now(),
                trace: false,
            };
            let mut judged = judge(&bench, operation);
            let grant = granted_by(&judged.verdict);
            let index = grants
                .iter()
                .position(|one| Some(&one.id) == grant.as_ref());
            let granted = index.and_then(|index| grants.get(index));
            match granted.map_or(Ok(None), |grant| {
                self.granted_seal(grant, operation, &judged.reading)
            }) {
                Err(Stale) => drop(
                    own.get_or_insert_with(|| stored.to_vec())
                        .remove(index.unwrap_or_default()),
                ),
                Ok(seal) => {
                    self.tighten(operation, &judged.reading, &mut judged.verdict);
                    let grant = granted_by(&judged.verdict);
                    return Weighed {
                        reading: judged.reading,
                        verdict: judged.verdict,
                        grant,
                        seal,
                    };
                }
            }
        }
    }
}

/// The grant that allowed an operation, if one did.
pub(crate) fn granted_by(verdict: &Verdict) -> Option<String> {
    let reasons = verdict
        .reasons
        .iter()
        .filter(|_| verdict.decision == Decision::Allow);
    reasons
        .filter(|reason| reason.rule == "grant")
        .find_map(|reason| reason.source.strip_prefix("grant ").map(str::to_owned))
}

/// A judged operation, with the grant that allowed it.
pub(crate) struct Weighed {
    pub reading: Reading,
    pub verdict: Verdict,
    pub grant: Option<String>,
    /// What the files were that the grant is bound to.
    pub seal: Option<Seal>,
}

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
    let facts = bench
        .world
        .answer(&operation.cwd(), operation.workspace(), &draft.questions);
    let (reading, questions) = draft.settle_keeping(&facts);
    let case = Case {
        operation,
        reading: &reading,
        grants: bench.grants,
        uses: bench.uses,
        now: bench.now,
        run: bench.run,
        trace: bench.trace,
    };
    let mut verdict = decide(bench.policy, &case);
    let without_grants = granted_by(&verdict).map(|_| {
        decide(
            bench.policy,
            &Case {
                grants: &[],
                trace: false,
                ..case
            },
        )
        .decision
    });
    verdict.evidence = Some(Arc::new(Evidence {
        questions,
        facts,
        run: bench.run,
        without_grants,
    }));
    let mut judged = Judged { reading, verdict };
    // What it runs without having it in its words has a say, too.
    judge_scripts::judge(bench, operation, &mut judged);
    judged
}

/// What an operation would do, on this machine, now.
pub(crate) fn read(world: &dyn World, operation: &Operation) -> Reading {
    let draft = analyse(operation);
    let facts = world.answer(&operation.cwd(), operation.workspace(), &draft.questions);
    draft.settle(&facts)
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
        None => match mcp_arguments::commands(operation) {
            Some(text) => of_mcp_command(operation, &text),
            None => tool_effects::draft(operation),
        },
    }
}

/// A tool of an MCP server that is told a command: what the command does is read as anywhere else, beside what the tool may do.
fn of_mcp_command(operation: &Operation, text: &str) -> Draft {
    let mut draft = sayso_shell::analyse(text);
    draft
        .effects
        .iter_mut()
        .for_each(|effect| effect.manner.argument = true);
    mcp_arguments::add(&mut draft, operation);
    draft
}
