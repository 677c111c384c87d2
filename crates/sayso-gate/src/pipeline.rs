//! The flow: one call, from the door to its end. It reads from top to bottom.

use std::sync::Arc;
use std::time::Instant;

use sayso_core::analysis::draft::{Draft, Reading};
use sayso_core::analysis::mcp_arguments;
use sayso_core::analysis::tool_effects;
use sayso_core::answer::evidence::Evidence;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, MAX_DEPTH, Operation};
use sayso_core::call::tool::Kind;
use sayso_core::decide::{Case, Uses, decide};
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;

use crate::approved::{Approved, Yes};
use crate::asking::Said;
use crate::brief::Brief;
use crate::closing::End;
use crate::entry::What;
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::gate::Gate;
use crate::guarded::{guarded, unbroken};
use crate::held::Keep;
use crate::ports::{Ran, World};
use crate::scripts;
use crate::seal::{Seal, Stale};
use crate::turn::Turn;
use crate::waiting::Waiting;

/// How many times a call is asked about in all; if what it is about changed each time, it is denied.
const MOST_QUESTIONS: usize = 3;

/// A call that nothing can change any more, or how it ended at once: a malformed call is refused.
pub(crate) type Frozen = Result<Arc<Operation>, Box<Finished>>;

impl Gate {
    /// One call by itself: held, judged, asked about where it has to be, recorded, and run.
    pub async fn call(&self, call: Call) -> Finished {
        self.walk(self.freeze(call), &mut Turn::alone(), None).await
    }

    /// One frozen call on its turn: it runs, or is kept for later where somebody keeps it.
    pub(crate) async fn walk(
        &self,
        frozen: Frozen,
        turn: &mut Turn,
        keep: Option<Keep<'_>>,
    ) -> Finished {
        match (self.hold_frozen(frozen, turn).await, keep) {
            (Ok(approved), None) => self.run(approved).await,
            (Ok(approved), Some(keep)) => self.put_aside(approved, keep),
            (Err(finished), _) => *finished,
        }
    }

    /// Holds a call until it may run. A refusal has an end already; an approval runs once, with [`Gate::run`] or by the host.
    pub async fn hold(&self, call: Call, turn: &mut Turn) -> Result<Approved, Box<Finished>> {
        self.hold_frozen(self.freeze(call), turn).await
    }

    /// What is judged, shown and run is this one value: nothing can change in it any more. The files it names still can; the seal is for
    /// those.
    pub(crate) async fn hold_frozen(
        &self,
        frozen: Frozen,
        turn: &mut Turn,
    ) -> Result<Approved, Box<Finished>> {
        let operation = frozen?;
        // A caller that goes away while it waits has taken the call back.
        let waiting = Waiting::start(self, &operation);
        // What breaks in here, of a host or of sayso itself, is a denial of this one call.
        // Boxed: a future that is handed on is kept twice, and very many calls may wait.
        let held = unbroken(Box::pin(self.weigh_and_ask(Arc::clone(&operation), turn))).await;
        let held = held.unwrap_or_else(|why| {
            Err(Box::new(self.refuse_unjudged(
                &operation,
                &End::trouble(&format!("the gate broke: {why}")),
            )))
        });
        waiting.over();
        held
    }

    /// Judges the call and asks where it has to. A refusal, by the policy, by a person, by nobody or by the clock, ends here: it is written
    /// down, counted and told, and nothing runs.
    async fn weigh_and_ask(
        &self,
        operation: Arc<Operation>,
        turn: &mut Turn,
    ) -> Result<Approved, Box<Finished>> {
        let mut attached: Option<Vec<Seal>> = None;
        for _ in 0..MOST_QUESTIONS {
            let weighed = self.judge(&operation, turn);
            let verdict = Arc::new(weighed.verdict);
            self.tell(
                EventKind::Check,
                Some(&operation),
                About::Verdict(Arc::clone(&verdict)),
            );

            if verdict.decision == Decision::Deny {
                return Err(self.refuse(&operation, &verdict, End::of(Outcome::Blocked)));
            }
            if self.is_dry_run() {
                return Err(self.refuse(&operation, &verdict, End::of(Outcome::DryRun)));
            }
            // Files that go along with a delegation are questions of their own, asked once.
            if attached.is_none() && operation.kind() == Kind::Delegate {
                // Boxed: no other call carries this along while it waits.
                match Box::pin(self.attachments(&operation, turn)).await {
                    Ok(seals) => attached = Some(seals),
                    Err(end) => return Err(self.refuse(&operation, &verdict, *end)),
                }
            }
            let (yes, seal) = match verdict.decision {
                Decision::Allow => match &weighed.grant {
                    // Another call may have used it up meanwhile.
                    Some(grant)
                        if !(turn.take(operation.digest(), grant)
                            || self.ports.store.take(grant)) =>
                    {
                        continue;
                    }
                    None if !self.spend(&verdict) => continue,
                    _ => (None, weighed.seal),
                },
                Decision::Deny => continue,
                Decision::Ask => {
                    // Sealed before it is shown: what changes from here on is a new question.
                    let (shown, prompt) =
                        match self.show(&operation, weighed.reading, &verdict, turn) {
                            Ok(shown) => shown,
                            Err(end) => return Err(self.refuse(&operation, &verdict, *end)),
                        };
                    match self.ask(prompt, turn).await {
                        Said::No(end) => return Err(self.refuse(&operation, &verdict, end)),
                        Said::Yes(yes, kept) => {
                            let Some(seal) = self.unchanged(&operation, &shown) else {
                                turn.forget();
                                continue;
                            };
                            // What the person has tightened since counts: a denial is one for open questions, too.
                            let now = self.judge(&operation, turn).verdict;
                            if now.decision == Decision::Deny || now.confirm > verdict.confirm {
                                turn.forget();
                                continue;
                            }
                            match self.keep(&operation, &shown, &verdict, kept, turn) {
                                Ok(kept) => (Some(Yes { kept, ..yes }), Some(seal)),
                                Err(trouble) => {
                                    return Err(self.refuse(
                                        &operation,
                                        &verdict,
                                        End::trouble(&trouble),
                                    ));
                                }
                            }
                        }
                    }
                }
            };
            let seals = attached.into_iter().flatten().chain(seal).collect();
            return self.approve(operation, verdict, yes, seals);
        }
        let verdict = Arc::new(self.judge(&operation, turn).verdict);
        Err(self.refuse(
            &operation,
            &verdict,
            End::trouble("it kept changing while it was asked about"),
        ))
    }

    /// Writes the decision down before anything runs: no entry, no run.
    pub(crate) fn approve(
        &self,
        operation: Arc<Operation>,
        verdict: Arc<Verdict>,
        yes: Option<Yes>,
        seals: Vec<Seal>,
    ) -> Result<Approved, Box<Finished>> {
        let outcome = if yes.is_some() {
            Outcome::Approved
        } else {
            Outcome::AutoApproved
        };
        let end = End {
            yes: yes.clone(),
            ..End::of(outcome)
        };
        if let Err(why) = self.record(Some(&operation), self.decided(&operation, &verdict, &end)) {
            return Err(self.refuse(
                &operation,
                &verdict,
                End::trouble(&format!("it could not be recorded: {why}")),
            ));
        }
        self.announce(Some(&operation), Some(&verdict), &end);
        Ok(Approved {
            rules: self.rules(),
            operation,
            verdict,
            outcome,
            yes,
            seals,
            copies: Vec::new(),
        })
    }

    /// Runs what was approved, which uses the approval up.
    pub async fn run(&self, mut approved: Approved) -> Finished {
        let (operation, verdict) = (
            Arc::clone(&approved.operation),
            Arc::clone(&approved.verdict),
        );
        let (outcome, yes) = (approved.outcome, approved.yes.clone());
        let start = Instant::now();
        let copies: Option<Vec<_>> = approved
            .seals
            .iter()
            .map(|seal| self.holds_keeping(seal))
            .collect();
        let unchanged = copies.is_some();
        approved.copies = copies.into_iter().flatten().flatten().collect();
        // Only where the policy, the mode or the plugins are others by now is it judged again.
        let allowed = approved.rules == self.rules()
            || self.judge(&operation, &Turn::alone()).verdict.decision != Decision::Deny;
        let ran = if !allowed {
            Ran::NotRun("it was not run: it is denied by now".to_owned())
        } else if unchanged {
            guarded(
                || self.ports.run.run(approved),
                |why| Ran::failed(format!("the tool broke: {why}")),
            )
            .await
        } else {
            Ran::NotRun(
                "it was not run: a file that it is about changed after it was approved".to_owned(),
            )
        };
        let ran = match ran {
            // Nothing can look into it, not even to copy it.
            Ran::Done(result) | Ran::Failed { result, .. } if result.is_deeper_than(MAX_DEPTH) => {
                Ran::failed(format!(
                    "it ran, and its result is nested more than {MAX_DEPTH} deep"
                ))
            }
            ran => ran,
        };
        // The tools themselves may not have begun, such as after the person stopped everything.
        let (succeeded, started) = (matches!(ran, Ran::Done(_)), !matches!(ran, Ran::NotRun(_)));
        let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = Brief::of(&ran);
        if let Err(why) = self.record(
            Some(&operation),
            What::Finished {
                succeeded,
                started,
                milliseconds,
                result,
            },
        ) {
            self.tell(
                EventKind::Updated,
                Some(&operation),
                About::Words(format!("the end of a run could not be recorded: {why}")),
            );
        }
        if !succeeded {
            self.stats.failed();
        }
        let finished = self.ended(&operation, verdict, outcome, yes, Some(ran));
        self.tell(
            EventKind::ToolCallPost,
            Some(&operation),
            About::Finished(Arc::new(finished.clone())),
        );
        finished
    }

    /// The end of a call that was approved.
    pub(crate) fn ended(
        &self,
        operation: &Operation,
        verdict: Arc<Verdict>,
        outcome: Outcome,
        yes: Option<Yes>,
        ran: Option<Ran>,
    ) -> Finished {
        let message = match &ran {
            None | Some(Ran::Done(_)) => String::new(),
            Some(Ran::Failed { why, .. } | Ran::NotRun(why)) => why.clone(),
        };
        Finished {
            id: operation.id().to_owned(),
            tool: operation.tool().to_owned(),
            outcome,
            message,
            note: None,
            typed: None,
            denied_by: None,
            prompt: yes.as_ref().map(|yes| Arc::clone(&yes.prompt)),
            yes,
            digest: Some(operation.digest()),
            verdict: Some(verdict),
            ran,
            held: None,
        }
    }

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
    scripts::judge(bench, operation, &mut judged);
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
