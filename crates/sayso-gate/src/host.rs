//! For a host that runs calls and asks about them by itself, in a dialog of its own: what it has to do with a call.

use std::sync::Arc;

use sayso_core::operation::{Call, Operation};
use sayso_core::outcome::Outcome;
use sayso_core::prompt::Round;
use sayso_core::tool::{Kind, Role};
use sayso_core::verdict::{Decision, Verdict};
use sayso_core::visible::visible;

use crate::approved::Approved;
use crate::closing::End;
use crate::entry::What;
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::gate::Gate;
use crate::turn::Turn;

/// How often a call is weighed whose grant was used up by another one meanwhile.
const MOST_TRIES: usize = 3;

/// What a host does with a call.
#[derive(Debug)]
pub enum Answer {
    /// It may run; that is written down.
    Run(Approved),
    /// It does not run, and why.
    Refuse(Box<Finished>),
    /// The host asks the person. That it does is written down; what comes of it, only the host knows.
    Ask(Arc<Operation>, Arc<Verdict>),
}

/// Says whether the host can ask about a call, or why it cannot and what to do.
pub type CanAsk<'a> = &'a dyn Fn(&Operation, &Verdict) -> Result<(), String>;

impl Gate {
    /// Judges a call and writes the decision down. Nobody is asked here: where a person has to be, the host does it, or it is a denial.
    pub fn answer(&self, call: Call, can_ask: CanAsk<'_>) -> Answer {
        let operation = match self.freeze(call) {
            Ok(operation) => operation,
            Err(finished) => return Answer::Refuse(finished),
        };
        for _ in 0..MOST_TRIES {
            let weighed = self.judge(&operation, &Turn::alone());
            let verdict = Arc::new(weighed.verdict);
            self.tell(EventKind::Check, Some(&operation), About::Verdict(Arc::clone(&verdict)));
            let refuse = |end: End| Answer::Refuse(self.refuse(&operation, &verdict, end));
            match verdict.decision {
                Decision::Deny => return refuse(End::of(Outcome::Blocked)),
                _ if self.is_dry_run() => return refuse(End::of(Outcome::DryRun)),
                // Each of them would be a question of its own.
                _ if operation.kind() == Kind::Delegate && operation.argument(Role::Attachments).is_some() => {
                    return refuse(End::trouble("files cannot go along with a delegation here"));
                }
                Decision::Allow => match &weighed.grant {
                    // Another call may have used it up meanwhile.
                    Some(grant) if !self.ports.store.take(grant) => continue,
                    None if !self.spend(&verdict) => continue,
                    _ => {
                        let seals = weighed.seal.into_iter().collect();
                        return match self.approve(operation, verdict, None, seals) {
                            Ok(approved) => Answer::Run(approved),
                            Err(finished) => Answer::Refuse(finished),
                        };
                    }
                },
                Decision::Ask => {
                    if let Err(why) = can_ask(&operation, &verdict) {
                        let reason = verdict.reasons.first().map(|reason| visible(&reason.text).into_owned()).unwrap_or_default();
                        let why = format!("a person has to be asked: {reason}; and {why}");
                        return refuse(End { outcome: Outcome::Nobody, ..End::trouble(&why) });
                    }
                    let asked = What::Asked { prompt: self.ids.next("prompt"), round: Round::Only };
                    return match self.record(Some(&operation), asked) {
                        Ok(()) => Answer::Ask(operation, verdict),
                        Err(why) => refuse(End::trouble(&format!("it could not be recorded: {why}"))),
                    };
                }
            }
        }
        let verdict = Arc::new(self.judge(&operation, &Turn::alone()).verdict);
        Answer::Refuse(self.refuse(&operation, &verdict, End::trouble("what allowed it was used up meanwhile")))
    }
}
