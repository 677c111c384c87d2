//! The flow: one call, from the door to its end. `Gate::decide_call` is all of the decision, for every door; `run` is what comes behind it.

mod ask;
pub mod batch;
pub mod batch_context;
pub mod begin;
mod decide;
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

use std::ops::Deref;
use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};

use crate::approved::{Approved, Yes};
use crate::binding::Seal;
use crate::error::CallError;
use crate::finished::Finished;
use crate::panic_guard::{Panicked, caught, unbroken};
use crate::run_result::Ran;
use batch_context::Turn;
pub(crate) use decide::WhoAsks;
use decide::{Decided, Given};
use gate::Gate;
pub(crate) use judge::read;
pub use judge::{Bench, Judged, JudgedCall, judge};
use lifecycle::End;
use resume::Keep;
pub use run::Started;

/// A call that nothing can change any more, or how it ended at once: a malformed call is refused.
pub(crate) type Frozen = Result<Arc<Operation>, Box<Finished>>;

impl Gate {
    /// One call alone: held, judged, asked about where it has to be, recorded, and run.
    pub async fn call(&self, call: Call) -> Finished {
        self.walk(self.freeze(call), &mut Turn::alone(), None).await
    }

    /// One frozen call on its turn: it runs, or is kept for later where the caller keeps it.
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
        let decided = self.decide(&operation, None, turn, WhoAsks::Gate).await;
        self.close(operation, decided)
    }

    /// Writes a decision down. A refusal, by the policy, by a person, by nobody or by the clock, ends here: it is counted and told, and
    /// nothing runs.
    fn close(
        &self,
        operation: Arc<Operation>,
        decided: Decided,
    ) -> Result<Approved, Box<Finished>> {
        match decided {
            Decided::Allowed(given) => self.approve(operation, *given),
            Decided::Refused(verdict, end) => Err(self.refuse(&operation, &verdict, *end)),
            Decided::Broken(end) => Err(Box::new(self.refuse_unjudged(&operation, &end))),
            // Only a host is given a question, and it closes none.
            Decided::AskedByHost(asked) => {
                Err(self.refuse(&operation, &asked.verdict, End::of(Outcome::Nobody)))
            }
            // Nor does a door that has a call begun.
            Decided::Waits(judged) => {
                Err(self.refuse(&operation, &judged.verdict, End::of(Outcome::Nobody)))
            }
        }
    }

    /// Decides a call, and makes sure that it ends: if the caller goes away while it waits, it has taken the call back, and what breaks in
    /// here, of a host or of sayso itself, is a denial of this one call.
    async fn decide(
        &self,
        operation: &Arc<Operation>,
        judged: Option<Box<JudgedCall>>,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Decided {
        let waiting = Waiting::start(self, operation);
        // Boxed: a future that is handed on is kept twice, and very many calls may wait.
        let decided = unbroken(Box::pin(self.decide_call(operation, judged, turn, asker))).await;
        waiting.over();
        decided.unwrap_or_else(|Panicked(why)| {
            Decided::Broken(Box::new(End::problem(CallError::Panicked(why))))
        })
    }

    /// Writes the decision down before anything runs: no entry, no run.
    fn approve(&self, operation: Arc<Operation>, given: Given) -> Result<Approved, Box<Finished>> {
        let Given {
            verdict,
            yes,
            seals,
        } = given;
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
            let end = End::problem(CallError::Unrecorded(why));
            return Err(self.refuse(&operation, &verdict, end));
        }
        self.announce(Some(&operation), Some(&verdict), &end);
        Ok(self.approval(operation, verdict, outcome, yes, seals))
    }

    /// An approval by the rules that are in force now.
    fn approval(
        &self,
        operation: Arc<Operation>,
        verdict: Arc<Verdict>,
        outcome: Outcome,
        yes: Option<Yes>,
        seals: Vec<Seal>,
    ) -> Approved {
        Approved {
            rules: self.rules(),
            operation,
            verdict,
            outcome,
            yes,
            seals,
            copies: Vec::new(),
        }
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
}

/// Ends a call as taken back, unless it was over before this is dropped.
pub(crate) struct Waiting<G: Deref<Target = Gate>> {
    gate: G,
    operation: Option<Arc<Operation>>,
}

impl<G: Deref<Target = Gate>> Waiting<G> {
    /// The call is frozen and has no end yet.
    pub(crate) fn start(gate: G, operation: &Arc<Operation>) -> Self {
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

impl<G: Deref<Target = Gate>> Drop for Waiting<G> {
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
