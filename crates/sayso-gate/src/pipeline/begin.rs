//! A call in steps, for a door that sends it on itself: what needs nobody is decided at once, and a question waits where the door lets it.

use std::sync::Arc;

use sayso_core::call::operation::{Call, Operation};

use super::Waiting;
use super::batch_context::Turn;
use super::decide::{Decided, WhoAsks};
use super::gate::Gate;
use super::judge::JudgedCall;
use crate::approved::Approved;
use crate::finished::Finished;

/// How far a call came without anybody who is asked.
#[derive(Debug)]
pub enum Begun {
    /// It may run; that is written down.
    Approved(Approved),
    /// It does not run, and why.
    Refused(Box<Finished>),
    /// A person has to be asked first.
    Asks(Question),
}

/// A call that a person has to be asked about. Dropping it takes the call back, which is written down.
#[must_use = "a question that is dropped takes its call back"]
pub struct Question {
    operation: Arc<Operation>,
    waiting: Waiting<Arc<Gate>>,
    judged: Box<JudgedCall>,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Question").field(&self.operation).finish()
    }
}

impl Gate {
    /// Judges a call, and decides it where nobody has to be asked. What may run is started with [`Gate::start`] and ended with [`Gate::finish`].
    pub fn begin(self: &Arc<Self>, call: Call) -> Begun {
        let operation = match self.freeze(call) {
            Ok(operation) => operation,
            Err(finished) => return Begun::Refused(finished),
        };
        let mut turn = Turn::alone();
        let decided = self.decide(&operation, None, &mut turn, WhoAsks::Nobody);
        // It waits for nothing: whatever would wait is given back.
        match pollster::block_on(decided) {
            Decided::Waits(judged) => Begun::Asks(Question {
                waiting: Waiting::start(Arc::clone(self), &operation),
                operation,
                judged,
            }),
            decided => self
                .close(operation, decided)
                .map_or_else(Begun::Refused, Begun::Approved),
        }
    }
}

impl Question {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// How the call ended, where it does not run.
    pub async fn answer(self) -> Result<Approved, Box<Finished>> {
        let Question {
            operation,
            waiting,
            judged,
        } = self;
        let gate = Arc::clone(&waiting.gate);
        // From here on that is done where it is decided.
        waiting.over();
        let mut turn = Turn::alone();
        let decided = gate
            .decide(&operation, Some(judged), &mut turn, WhoAsks::Gate)
            .await;
        gate.close(operation, decided)
    }
}
