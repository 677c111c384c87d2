//! The flow: one call, from the door to its end. It reads from top to bottom.

mod ask;
pub mod batch;
pub mod batch_context;
mod delegation;
pub mod gate;
mod held_call_text;
pub mod host;
mod judge;
mod judge_scripts;
mod lifecycle;
pub mod plugins;
mod recording_world;
mod remaining_calls;
pub mod resume;
mod run;
mod seal_check;

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::Kind;
use sayso_core::policy::decision::Decision;

use crate::approved::{Approved, Yes};
use crate::binding::Seal;
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::panic_guard::{caught, unbroken};
use crate::run_result::Ran;
use ask::Said;
use batch_context::Turn;
use gate::Gate;
pub use judge::{Bench, Judged, judge};
pub(crate) use judge::{granted_by, read};
use lifecycle::End;
use resume::Keep;
pub use run::Started;

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

    /// Counts the use of the rules that allowed a call. False if one of them was used up by another call meanwhile.
    pub(crate) fn spend(&self, verdict: &Verdict) -> bool {
        let policy = self.policy();
        let parts = policy
            .views()
            .iter()
            .flat_map(|view| std::iter::once(&view.general).chain(view.agents.values()));
        let limited = parts
            .flat_map(|part| part.rules.limited())
            .filter_map(|rule| Some((rule.id.as_str(), rule.when.uses?)));
        let allowed = |id: &str| {
            verdict
                .reasons
                .iter()
                .any(|reason| reason.decision == Decision::Allow && reason.rule == id)
        };
        let mut used: Vec<(&str, u64)> = limited.filter(|(id, _)| allowed(id)).collect();
        // The same rule stands in several views, and of several with one id the smallest number counts.
        used.sort_unstable();
        used.dedup_by_key(|(id, _)| *id);
        used.into_iter()
            .all(|(id, most)| self.ports.store.spend(id, most))
    }
}

/// Ends a call as taken back, unless it was over before this is dropped.
pub(crate) struct Waiting<'a> {
    gate: &'a Gate,
    operation: Option<Arc<Operation>>,
}

impl<'a> Waiting<'a> {
    /// The call is frozen and has no end yet.
    pub(crate) fn start(gate: &'a Gate, operation: &Arc<Operation>) -> Self {
        Waiting {
            gate,
            operation: Some(Arc::clone(operation)),
        }
    }

    /// It has its end.
    pub(crate) fn over(mut self) {
        self.operation = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(operation) = self.operation.take() {
            // A panic in here would end the process, if another one is what brought us here.
            caught(
                || {
                    drop(
                        self.gate
                            .refuse_unjudged(&operation, &End::of(Outcome::Cancelled)),
                    )
                },
                drop,
            );
        }
    }
}
