//! Judges one call: reads it, looks at the machine, decides, and lets scripts and plugins tighten the verdict.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sayso_core::analysis::draft::{Draft, Reading};
use sayso_core::analysis::fact::{Facts, Question};
use sayso_core::analysis::mcp_arguments;
use sayso_core::analysis::tool_effects;
use sayso_core::answer::evidence::Evidence;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::runner::RunnerCapabilities;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Kind;
use sayso_core::decide::{Case, Uses, decide};
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;

use super::batch_context::Turn;
use super::decide::WhoAsks;
use super::gate::Gate;
use super::judge_scripts;
use super::seal_check::Shown;
use crate::binding::Seal;
use crate::events::{About, EventKind};
use crate::ports::World;

/// A call that was read and judged once, for a decision on it.
pub struct JudgedCall {
    pub(crate) reading: Reading,
    pub(crate) verdict: Arc<Verdict>,
    /// What the files were that the grant is bound to.
    pub(crate) seal: Option<Seal>,
    pub(crate) basis: Basis,
}

/// What a verdict rests on besides the reading of the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    /// The policy, the mode and the plugins that were in force.
    rules: u64,
    /// Nothing else can make it stricter: no plugin, no script, no rule that ends or is used up.
    is_fixed: bool,
}

/// What was read of a call, and what that rests on.
struct Read {
    reading: Reading,
    questions: Vec<Question>,
    facts: Facts,
}

/// What was decided on a call that was read.
struct Opinion {
    verdict: Verdict,
    /// What the policy alone says, where a grant had a part in it.
    without_grants: Option<Decision>,
    /// It runs scripts that are not in its words.
    has_scripts: bool,
}

impl JudgedCall {
    /// The verdict on it.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }
}

impl Gate {
    /// Whether a call would be denied by now: a question about it that is still open has no yes any more.
    pub fn denies(&self, operation: &Operation) -> bool {
        self.judge(operation, &Turn::alone()).verdict.decision == Decision::Deny
    }

    /// How a call would be judged by now. Nobody is asked, and nothing is written down.
    pub fn preview(&self, operation: &Operation) -> Verdict {
        Arc::unwrap_or_clone(self.judge(operation, &Turn::alone()).verdict)
    }

    /// How often this gate judged a call.
    pub fn judgements(&self) -> u64 {
        self.judgements.load(Ordering::Relaxed)
    }

    /// Judges a call for a decision on it, and tells observers.
    pub(super) fn consider(
        &self,
        operation: &Arc<Operation>,
        turn: &Turn,
        asker: WhoAsks<'_>,
    ) -> Box<JudgedCall> {
        let judged = match asker {
            WhoAsks::Held(held) => return Box::new(self.judge_held(operation, held)),
            _ => self.judge(operation, turn),
        };
        self.tell(
            EventKind::Check,
            Some(operation),
            About::Verdict(Arc::clone(&judged.verdict)),
        );
        Box::new(judged)
    }

    /// Whether a call that was asked about takes more than its yes by now. It is judged again only where something other than its reading
    /// may have changed, or where it runs a script.
    pub(super) fn is_stricter_now(
        &self,
        operation: &Operation,
        verdict: &Verdict,
        (basis, shown): (Basis, &Shown),
        turn: &Turn,
    ) -> bool {
        if basis.is_fixed && !shown.has_scripts && basis.rules == self.rules() {
            return false;
        }
        // What the person has tightened since counts: a denial is one for open questions, too.
        let now = self.judge(operation, turn).verdict;
        now.decision == Decision::Deny || now.confirm > verdict.confirm
    }

    /// Reads the call, looks at the machine, decides; then lets plugins tighten. A grant for scripts that have changed does not count.
    pub(crate) fn judge(&self, operation: &Operation, turn: &Turn) -> JudgedCall {
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
        let uses = spent.as_deref().map(|spent| spent as &dyn Uses);
        // Before the policy is taken, so that a change in between counts as one.
        let rules = self.rules();
        let policy = self.policy();
        // Read once: a grant that does not count takes another decision on what was read.
        let mut read = None;
        loop {
            let grants: &[Grant] = own.as_deref().unwrap_or(&stored);
            let bench = self.bench(&policy, grants, uses, self.how());
            let known = read.get_or_insert_with(|| Read::of(bench.world, operation));
            let verdict = verdict(&bench, operation, &known.reading);
            let opinion = Opinion::with(verdict, &bench, operation, &known.reading);
            let granted_by = opinion.verdict.granted_by();
            let index = granted_by.and_then(|id| grants.iter().position(|one| id.is_of(one)));
            let granted = index.and_then(|index| grants.get(index));
            let seal = granted.map_or(Ok(None), |grant| {
                self.granted_seal(grant, operation, &known.reading)
            });
            match (seal, read.take()) {
                (Ok(seal), Some(read)) => {
                    return self.finish_judging(&bench, operation, read, opinion, (seal, rules));
                }
                (_, kept) => {
                    read = kept;
                    own.get_or_insert_with(|| stored.to_vec())
                        .remove(index.unwrap_or_default());
                }
            }
        }
    }

    /// Lets plugins tighten the verdict, and puts down what it rests on.
    fn finish_judging(
        &self,
        bench: &Bench<'_>,
        operation: &Operation,
        read: Read,
        mut opinion: Opinion,
        (seal, rules): (Option<Seal>, u64),
    ) -> JudgedCall {
        self.judgements.fetch_add(1, Ordering::Relaxed);
        let has_plugins = self.tighten(operation, &read.reading, &mut opinion.verdict);
        let is_fixed = !has_plugins && !opinion.has_scripts && is_timeless(bench.policy);
        let Judged { reading, verdict } = read.into_judged(bench, operation, opinion);
        JudgedCall {
            reading,
            verdict: Arc::new(verdict),
            seal,
            basis: Basis { rules, is_fixed },
        }
    }

    /// Judges a call with the grants of a bench, none of which is bound to files.
    pub(super) fn judge_once(
        &self,
        bench: &Bench<'_>,
        operation: &Operation,
        rules: u64,
    ) -> JudgedCall {
        let read = Read::of(bench.world, operation);
        let verdict = verdict(bench, operation, &read.reading);
        let opinion = Opinion::with(verdict, bench, operation, &read.reading);
        self.finish_judging(bench, operation, read, opinion, (None, rules))
    }

    /// What a judgement of this gate needs.
    pub(super) fn bench<'a>(
        &'a self,
        policy: &'a Policy,
        grants: &'a [Grant],
        uses: Option<&'a dyn Uses>,
        run: Run,
    ) -> Bench<'a> {
        Bench {
            world: self.ports.world.as_ref(),
            policy,
            grants,
            uses,
            run,
            now: self.now(),
            runner: self.ports.runner(),
            trace: false,
        }
    }
}

/// Whether no rule ends by itself or is used up.
fn is_timeless(policy: &Policy) -> bool {
    let parts = policy
        .views()
        .iter()
        .flat_map(|view| std::iter::once(&view.general).chain(view.agents.values()));
    parts
        .flat_map(|part| part.rules.all())
        .all(|rule| rule.when.uses.is_none() && rule.when.until.is_none())
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
    /// What runs it can do.
    pub runner: RunnerCapabilities<'a>,
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
    let read = Read::of(bench.world, operation);
    let verdict = verdict(bench, operation, &read.reading);
    let opinion = Opinion::with(verdict, bench, operation, &read.reading);
    read.into_judged(bench, operation, opinion)
}

impl Read {
    /// Reads a call: what it would do, on this machine, now.
    fn of(world: &dyn World, operation: &Operation) -> Read {
        let draft = analyse(operation);
        let facts = world.answer(&operation.cwd(), operation.workspace(), &draft.questions);
        let (reading, questions) = draft.settle_keeping(&facts);
        Read {
            reading,
            questions,
            facts,
        }
    }

    fn into_judged(self, bench: &Bench<'_>, operation: &Operation, opinion: Opinion) -> Judged {
        let mut verdict = opinion.verdict;
        let no_sandbox = match operation.kind() {
            Kind::Terminal => bench.runner.no_sandbox,
            Kind::Custom | Kind::Mcp => bench.runner.no_sandbox_for_tools,
            _ => None,
        };
        verdict.evidence = Some(Arc::new(Evidence {
            questions: self.questions,
            facts: self.facts,
            run: bench.run,
            no_sandbox: no_sandbox.cloned(),
            contains: verdict.terms.contained,
            without_grants: opinion.without_grants,
        }));
        Judged {
            reading: self.reading,
            verdict,
        }
    }
}

impl Opinion {
    /// The verdict of the policy with what else counts: scripts that the call runs can only tighten it.
    fn with(
        mut verdict: Verdict,
        bench: &Bench<'_>,
        operation: &Operation,
        reading: &Reading,
    ) -> Opinion {
        let without_grants = verdict.granted_by().map(|_| {
            let alone = Bench {
                grants: &[],
                trace: false,
                ..*bench
            };
            self::verdict(&alone, operation, reading).decision
        });
        let has_scripts = judge_scripts::tighten(bench, operation, reading, &mut verdict);
        Opinion {
            verdict,
            without_grants,
            has_scripts,
        }
    }
}

/// The verdict on a reading. All of the gate's judgements come to the judge through here.
pub(super) fn verdict(bench: &Bench<'_>, operation: &Operation, reading: &Reading) -> Verdict {
    let case = Case {
        operation,
        reading,
        grants: bench.grants,
        uses: bench.uses,
        now: bench.now,
        run: bench.run,
        runner: bench.runner,
        trace: bench.trace,
    };
    decide(bench.policy, &case)
}

/// What an operation would do, on this machine, now.
pub(crate) fn read(world: &dyn World, operation: &Operation) -> Reading {
    Read::of(world, operation).reading
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
