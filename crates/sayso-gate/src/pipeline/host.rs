//! For a host that runs calls and asks about them in a dialog of its own: what it has to do with a call.

use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::prompt::{Round, Why};

use super::batch_context::Turn;
use super::decide::{Decided, WhoAsks};
use super::gate::Gate;
use super::judge::JudgedCall;
use super::lifecycle::End;
use super::resume::Held;
use crate::approved::{Approved, Yes};
use crate::entry::What;
use crate::error::{CallError, HeldError, PortError};
use crate::finished::Finished;
use crate::presentation;
use crate::seal;

/// What a host does with a call.
#[derive(Debug)]
pub enum Answer {
    /// It may run; that is written down.
    Run(Approved),
    /// It does not run, and why.
    Refuse(Box<Finished>),
    /// The host asks the person. That it does is written down; what comes of it, only the host knows.
    Ask(Box<Asked>),
}

/// A question that the host asks.
#[derive(Debug)]
pub struct Asked {
    /// What it is about.
    pub operation: Arc<Operation>,
    /// The verdict on it.
    pub verdict: Arc<Verdict>,
    /// Who wants to do what.
    pub sentence: String,
    /// Why it is asked, the strongest first.
    pub why: Vec<Why>,
    reading: Reading,
    prompt: String,
}

/// Who asks about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The host, in a dialog of its own.
    Host,
    /// The gate, at its own port for asking.
    Gate,
}

/// Says who asks about a call, or why nobody can and what to do.
pub type CanAsk<'a> = &'a (dyn Fn(&Operation, &Verdict) -> Result<Asker, PortError> + Sync);

/// A call of a host, judged once, before the host knows which of its calls it has to be answered for.
pub struct HostCall {
    operation: Arc<Operation>,
    judged: Box<JudgedCall>,
}

impl HostCall {
    /// The verdict on it.
    pub fn verdict(&self) -> &Verdict {
        self.judged.verdict()
    }
}

impl Gate {
    /// Judges a call and writes the decision down. Where a person has to be asked, the host does it or the gate itself, which waits here for the
    /// answer; or it is a denial.
    pub fn answer(&self, call: Call, can_ask: CanAsk<'_>) -> Answer {
        match self.freeze(call) {
            Ok(operation) => self.answer_frozen(operation, None, can_ask),
            Err(finished) => Answer::Refuse(finished),
        }
    }

    /// Judges all calls of one event. Nothing is written down before they are answered.
    ///
    /// # Errors
    /// When a call is malformed; that is its end, and is written down.
    pub fn judge_calls(&self, calls: &[Call]) -> Result<Vec<HostCall>, Box<Finished>> {
        let mut all = Vec::with_capacity(calls.len());
        for call in calls {
            let operation = self.freeze_quietly(call.clone())?;
            let judged = Box::new(self.judge(&operation, &Turn::alone()));
            all.push(HostCall { operation, judged });
        }
        Ok(all)
    }

    /// The same as [`Gate::answer`], for a call that was judged already.
    pub fn answer_judged(&self, call: HostCall, can_ask: CanAsk<'_>) -> Answer {
        self.announce_start(&call.operation);
        self.answer_frozen(call.operation, Some(call.judged), can_ask)
    }

    fn answer_frozen(
        &self,
        operation: Arc<Operation>,
        judged: Option<Box<JudgedCall>>,
        can_ask: CanAsk<'_>,
    ) -> Answer {
        let mut turn = Turn::alone();
        let asker = WhoAsks::Host(can_ask);
        match pollster::block_on(self.decide(&operation, judged, &mut turn, asker)) {
            Decided::AskedByHost(asked) => Answer::Ask(asked),
            decided => self
                .close(operation, decided)
                .map_or_else(Answer::Refuse, Answer::Run),
        }
    }

    /// Hands the question to the host where it asks; the call comes back where the gate does.
    pub(super) fn hand_to_host(
        &self,
        operation: &Arc<Operation>,
        judged: Box<JudgedCall>,
        can_ask: CanAsk<'_>,
    ) -> Result<Decided, Box<JudgedCall>> {
        let verdict = Arc::clone(&judged.verdict);
        match can_ask(operation, &verdict) {
            Ok(Asker::Gate) => return Err(judged),
            Ok(Asker::Host) => {}
            Err(why) => {
                let asked = Arc::clone(&verdict);
                let end = End {
                    outcome: Outcome::Nobody,
                    ..End::problem(CallError::CannotAsk { asked, why })
                };
                return Ok(Decided::Refused(verdict, Box::new(end)));
            }
        }
        let prompt = self.ids.next("prompt");
        let asked = What::Asked {
            prompt: prompt.clone(),
            round: Round::Only,
        };
        if let Err(why) = self.record(Some(operation), asked) {
            let end = End::problem(CallError::Unrecorded(why));
            return Ok(Decided::Refused(verdict, Box::new(end)));
        }
        let (sentence, why) = presentation::words(
            self.ports.world.as_ref(),
            operation,
            &judged.reading,
            &verdict,
        );
        Ok(Decided::AskedByHost(Box::new(Asked {
            operation: Arc::clone(operation),
            verdict,
            sentence,
            why,
            reading: judged.reading,
            prompt,
        })))
    }

    /// Keeps a command that the host asks about, bound to what it is about now. The host lets nobody take it but by saying yes to the very
    /// question: whoever takes it was let, and that is when the yes is written down.
    ///
    /// # Errors
    /// When what it is about could not be looked at, or it is no command.
    pub fn set_aside_asked(&self, asked: Asked, by: DecidedBy) -> Result<Held, HeldError> {
        let Asked {
            operation,
            verdict,
            reading,
            prompt,
            ..
        } = asked;
        let mut seal = self
            .seal(seal::all(self.ports.world.as_ref(), &operation, &reading))
            .ok_or(HeldError::Unsealable)?;
        seal.reading = Some(seal::fingerprint(reading));
        let yes = Yes {
            by,
            scope: Scope::Once,
            prompt: prompt.into(),
            confirmations: 1,
            kept: None,
            typed: None,
        };
        let approved = self.approval(operation, verdict, Outcome::Approved, Some(yes), vec![seal]);
        Ok(Held {
            answered_by_host: true,
            ..self.set_aside(approved)?
        })
    }
}
