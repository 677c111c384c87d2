//! Several calls that came together: asked one by one with "operation i of n", and every one of them gets an end, in order.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::IntoIter;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Confirm;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::prompt::{Member, Position};
use sayso_core::text::digest::Digest;

use super::batch_context::Turn;
use super::gate::Gate;
use super::lifecycle::End;
use super::resume::Keep;
use crate::describe;
use crate::finished::Finished;
use crate::run_result::Ran;
use crate::seal;

/// How a batch is run.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// A denial by a person ends the batch (`--deny-aborts`).
    pub deny_aborts: bool,
    /// Who is told what goes on.
    pub told: Option<&'a (dyn Fn(Step<'_>) + Send + Sync)>,
    /// Nothing runs: each command that is approved is kept with this, to be run once by its id.
    pub keep: Option<Keep<'a>>,
}

/// What goes on in a batch.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The turn of a call comes.
    Starts(Position, &'a Call),
    /// It has its end.
    Ends(Position, &'a Finished),
}

/// The ends of all calls of a batch.
#[derive(Clone, Debug)]
pub struct Batch {
    /// One for each call, in the order they came.
    pub results: Vec<Finished>,
    /// Somebody stopped it, or a denial did.
    pub stopped: bool,
}

/// The calls that are still to come. If the caller goes away, they get their end all the same.
struct Rest<'a> {
    gate: &'a Gate,
    calls: Arc<Mutex<IntoIter<Call>>>,
}

impl Rest<'_> {
    fn calls(&self) -> MutexGuard<'_, IntoIter<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Call> {
        self.calls().next()
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        while let Some(call) = self.next() {
            let _ = self.gate.cancel(call);
        }
    }
}

/// A call of the same group that one answer may be for.
struct Grouped {
    member: Member,
    agent: String,
    risk: Risk,
    seal: Option<Digest>,
}

/// How many calls did their work, of how many. What ran and failed did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Those that did their work.
    pub completed: usize,
    /// Those that ran and did not.
    pub failed: usize,
    /// All of them.
    pub total: usize,
}

impl std::fmt::Display for Completed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Completed {
            completed,
            failed,
            total,
        } = self;
        write!(f, "{completed}/{total}")?;
        if *failed > 0 {
            write!(f, ", {failed} failed")
        } else {
            Ok(())
        }
    }
}

impl Batch {
    /// Those that were answered or ran; what was cancelled unasked is left out.
    pub fn answered(&self) -> impl Iterator<Item = &Finished> {
        self.results
            .iter()
            .filter(|finished| finished.verdict.is_some() || finished.outcome != Outcome::Cancelled)
    }

    /// Those that ran; what was approved and never started, or is held, did not.
    pub fn executed(&self) -> impl Iterator<Item = &Finished> {
        self.results.iter().filter(|finished| {
            finished.outcome.ran()
                && finished.held.is_none()
                && !matches!(finished.ran, Some(Ran::NotRun(_)))
        })
    }

    /// How many did their work, and how many ran and failed.
    pub fn counts(&self) -> Completed {
        let completed = self
            .results
            .iter()
            .filter(|finished| finished.succeeded())
            .count();
        Completed {
            completed,
            failed: self.executed().count() - completed,
            total: self.results.len(),
        }
    }

    /// "Completed 2/5", and how many failed and were cancelled.
    pub fn summary(&self) -> String {
        let counts = self.counts();
        let cancelled = self
            .results
            .iter()
            .filter(|finished| finished.outcome == Outcome::Cancelled && finished.verdict.is_none())
            .count();
        match cancelled {
            0 => format!("Completed {counts}"),
            cancelled => format!("Cancelled {cancelled} remaining / Completed {counts}"),
        }
    }
}

impl Gate {
    /// Runs a batch. The list is fixed: an answer for the rest of it is for these calls and no others.
    pub async fn batch(&self, mut calls: Vec<Call>, options: Options<'_>) -> Batch {
        let told = |step: Step<'_>| {
            if let Some(told) = options.told {
                told(step);
            }
        };
        let id = self.ids.next("batch");
        for call in &mut calls {
            call.batch = Some(id.clone());
        }
        let total = calls.len();
        let rest = Rest {
            gate: self,
            calls: Arc::new(Mutex::new(calls.into_iter())),
        };
        let mut turn = Turn {
            batch: Some(id.clone()),
            calls: Some(Arc::clone(&rest.calls)),
            ..Turn::default()
        };
        let mut results = Vec::with_capacity(total);
        let mut stopped = false;
        while let Some(call) = rest.next() {
            let place = Position {
                index: results.len() + 1,
                total,
            };
            told(Step::Starts(place, &call));
            if stopped {
                let finished = self.cancel(call);
                told(Step::Ends(place, &finished));
                results.push(finished);
                continue;
            }
            turn.place = Some(place);
            let group = self.group(&call, rest.calls().as_slice(), &turn);
            turn.group = group.iter().map(|grouped| grouped.member.clone()).collect();
            let finished = self.walk(self.freeze(call), &mut turn, options.keep).await;
            self.settle_group(&id, group, &finished, &mut turn);
            stopped = turn.quit || options.deny_aborts && finished.outcome == Outcome::Denied;
            told(Step::Ends(place, &finished));
            results.push(finished);
        }
        Batch { results, stopped }
    }

    /// The calls that follow and are one question with this one: those of its group that only have to be asked once and are nothing special.
    fn group(&self, call: &Call, rest: &[Call], turn: &Turn) -> Vec<Grouped> {
        let Some(group) = &call.group else {
            return Vec::new();
        };
        // One of a group that was answered is not asked about again.
        let answered =
            |digest| turn.denied.contains_key(&digest) || turn.approved.contains_key(&digest);
        // A value that is too deep cannot even be copied.
        let freeze =
            |call: &Call| Operation::freeze((!call.is_too_deep()).then(|| call.clone())?).ok();
        if freeze(call).is_none_or(|operation| answered(operation.digest())) {
            return Vec::new();
        }
        let weigh = |other: &Call| {
            let operation = freeze(other)?;
            let weighed = self.judge(&operation, turn);
            let verdict = weighed.verdict;
            let seal = Some(
                self.seal(seal::all(
                    self.ports.world.as_ref(),
                    &operation,
                    &weighed.reading,
                ))?
                .digest,
            );
            let plain = verdict.confirm != Confirm::Double
                && !verdict.reasons.iter().any(|reason| reason.must_ask);
            let open = verdict.decision == Decision::Ask
                && plain
                && !turn.denied.contains_key(&operation.digest());
            if !open {
                return None;
            }
            // What cannot be shown is asked about by itself, and denied there.
            let (built, bytes) = self.present(&operation, &weighed.reading, &verdict).ok()?;
            let presentation = built.presentation;
            if !self.were_shown(&bytes) {
                return None;
            }
            // One answer is only for what all of it is shown of, with nothing to be warned of: who writes a batch also writes its groups.
            if presentation.hidden_lines > 0 || !presentation.warnings.is_empty() {
                return None;
            }
            let member = Member {
                digest: operation.digest(),
                description: describe::description(&operation, &verdict),
                presentation,
            };
            Some(Grouped {
                member,
                agent: operation.agent().line(),
                risk: verdict.risk,
                seal,
            })
        };
        // A call that is special by itself is asked about by itself.
        if weigh(call).is_none() {
            return Vec::new();
        }
        rest.iter()
            .filter(|other| other.group.as_ref() == Some(group))
            .filter_map(weigh)
            .collect()
    }

    /// What was said to one is said to all of its group, and used up by each of them.
    fn settle_group(&self, batch: &str, group: Vec<Grouped>, first: &Finished, turn: &mut Turn) {
        let approved = first.outcome == Outcome::Approved
            && first
                .yes
                .as_ref()
                .is_some_and(|yes| yes.scope == Scope::Once);
        for Grouped {
            member,
            agent,
            risk,
            seal,
        } in group
        {
            if approved {
                turn.approved.entry(member.digest).or_default().push(Grant {
                    id: self.ids.next("grant"),
                    key: GrantKey::Exact(member.digest),
                    reach: Reach::Batch(batch.to_owned()),
                    agent,
                    expires: None,
                    uses_left: Some(1),
                    risk,
                    seal,
                });
            } else if !first.outcome.ran() {
                // Whatever ended the one question ends it for all that it was about.
                let end = End {
                    note: first.note.clone(),
                    by: first.denied_by.clone(),
                    ..End::of(first.outcome)
                };
                turn.denied.insert(member.digest, end);
            }
        }
    }

    /// Ends a call that nobody was asked about any more.
    fn cancel(&self, call: Call) -> Finished {
        match self.freeze(call) {
            Ok(operation) => self.refuse_unjudged(&operation, &End::of(Outcome::Cancelled)),
            Err(finished) => *finished,
        }
    }
}
