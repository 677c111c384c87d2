//! Runs what was approved: [`Gate::start`] right before the run, [`Gate::finish`] after it, and [`Gate::run`] with the run in between.

use std::sync::Arc;
use std::time::Instant;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{MAX_DEPTH, Operation};
use sayso_core::policy::decision::Decision;

use super::batch_context::Turn;
use super::gate::Gate;
use crate::approved::{Approved, Copies, Yes};
use crate::entry::What;
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::panic_guard::guarded;
use crate::run_result::{Brief, Ran};

/// An approved call that is running. The approval is used up; [`Gate::finish`] writes the end down. Where this is dropped instead, the run has
/// no end: the record has the decision alone.
#[derive(Debug)]
#[must_use = "a run that is not finished has no end in the record"]
pub struct Started {
    operation: Arc<Operation>,
    verdict: Arc<Verdict>,
    outcome: Outcome,
    yes: Option<Yes>,
    at: Instant,
}

impl Started {
    /// What runs.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }
}

impl Gate {
    /// Runs what was approved, which uses the approval up.
    pub async fn run(&self, approved: Approved) -> Finished {
        let (approved, started) = match self.check_before_run(approved) {
            Ok(checked) => checked,
            Err(finished) => return *finished,
        };
        let ran = guarded(
            || self.ports.run.run(approved),
            |why| Ran::failed(format!("the tool broke: {why}")),
        )
        .await;
        self.finish(started, ran)
    }

    /// Starts a run that the caller does itself, which uses the approval up. What must hold right before a run is checked here.
    ///
    /// # Errors
    /// The end of a call that must not run: it is denied by now, or a file that it is about has changed.
    pub fn start(&self, approved: Approved) -> Result<Started, Box<Finished>> {
        self.check_before_run(approved).map(|(_, started)| started)
    }

    fn check_before_run(
        &self,
        mut approved: Approved,
    ) -> Result<(Approved, Started), Box<Finished>> {
        let started = Started {
            operation: Arc::clone(&approved.operation),
            verdict: Arc::clone(&approved.verdict),
            outcome: approved.outcome,
            yes: approved.yes.clone(),
            at: Instant::now(),
        };
        let copies: Option<Vec<Copies>> = approved
            .seals
            .iter()
            .map(|seal| self.holds_keeping(seal))
            .collect();
        // Only where the policy, the mode or the plugins are others by now is it judged again.
        let allowed = approved.rules == self.rules()
            || self
                .judge(&approved.operation, &Turn::alone())
                .verdict
                .decision
                != Decision::Deny;
        let why = match copies {
            _ if !allowed => "it was not run: it is denied by now",
            None => "it was not run: a file that it is about changed after it was approved",
            Some(copies) => {
                approved.copies = copies.into_iter().flatten().collect();
                return Ok((approved, started));
            }
        };
        let not_run = Ran::NotRun(why.to_owned());
        Err(Box::new(self.finish(started, not_run)))
    }

    /// The end of a run: it is written down, counted, and told to observers.
    pub fn finish(&self, started: Started, ran: Ran) -> Finished {
        let Started {
            operation,
            verdict,
            outcome,
            yes,
            at,
        } = started;
        let ran = match ran {
            // Nothing can look into it, not even to copy it.
            Ran::Done(result) | Ran::Failed { result, .. } if result.is_deeper_than(MAX_DEPTH) => {
                Ran::failed(format!(
                    "it ran, and its result is nested more than {MAX_DEPTH} deep"
                ))
            }
            ran => ran,
        };
        let succeeded = matches!(ran, Ran::Done(_));
        let entry = What::Finished {
            succeeded,
            // The tools themselves may not have begun, such as after the person stopped everything.
            started: !matches!(ran, Ran::NotRun(_)),
            milliseconds: u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX),
            result: Brief::of(&ran),
        };
        if let Err(why) = self.record(Some(&operation), entry) {
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
}
