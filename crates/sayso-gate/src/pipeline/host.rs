//! For a host that runs calls and asks about them by itself, in a dialog of its own: what it has to do with a call.

use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::call::tool::{Kind, Role};
use sayso_core::policy::decision::Decision;
use sayso_core::prompt::{Round, Why};
use sayso_core::text::visible::visible;

use super::batch_context::Turn;
use super::gate::Gate;
use super::lifecycle::End;
use super::resume::Held;
use crate::approved::{Approved, Yes};
use crate::entry::What;
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::presentation;
use crate::seal;

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
pub type CanAsk<'a> = &'a dyn Fn(&Operation, &Verdict) -> Result<Asker, String>;

impl Gate {
    /// Judges a call and writes the decision down. Where a person has to be asked, the host does it or the gate itself, which waits here for the
    /// answer; or it is a denial.
    pub fn answer(&self, call: Call, can_ask: CanAsk<'_>) -> Answer {
        let operation = match self.freeze(call) {
            Ok(operation) => operation,
            Err(finished) => return Answer::Refuse(finished),
        };
        for _ in 0..MOST_TRIES {
            let weighed = self.judge(&operation, &Turn::alone());
            let verdict = Arc::new(weighed.verdict);
            self.tell(
                EventKind::Check,
                Some(&operation),
                About::Verdict(Arc::clone(&verdict)),
            );
            let refuse = |end: End| Answer::Refuse(self.refuse(&operation, &verdict, end));
            match verdict.decision {
                Decision::Deny => return refuse(End::of(Outcome::Blocked)),
                _ if self.is_dry_run() => return refuse(End::of(Outcome::DryRun)),
                // Each of them would be a question of its own.
                _ if operation.kind() == Kind::Delegate
                    && operation.argument(Role::Attachments).is_some() =>
                {
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
                    let asker = can_ask(&operation, &verdict);
                    if asker == Ok(Asker::Gate) {
                        let held =
                            pollster::block_on(self.hold_frozen(Ok(operation), &mut Turn::alone()));
                        return held.map_or_else(Answer::Refuse, Answer::Run);
                    }
                    if let Err(why) = asker {
                        let reason = verdict
                            .reasons
                            .first()
                            .map(|reason| visible(&reason.text).into_owned())
                            .unwrap_or_default();
                        let why = format!("a person has to be asked: {reason}; and {why}");
                        return refuse(End {
                            outcome: Outcome::Nobody,
                            ..End::trouble(&why)
                        });
                    }
                    let prompt = self.ids.next("prompt");
                    return match self.record(
                        Some(&operation),
                        What::Asked {
                            prompt: prompt.clone(),
                            round: Round::Only,
                        },
                    ) {
                        Ok(()) => {
                            let (sentence, why) = presentation::words(
                                self.ports.world.as_ref(),
                                &operation,
                                &weighed.reading,
                                &verdict,
                            );
                            Answer::Ask(Box::new(Asked {
                                operation,
                                verdict,
                                sentence,
                                why,
                                reading: weighed.reading,
                                prompt,
                            }))
                        }
                        Err(why) => {
                            refuse(End::trouble(&format!("it could not be recorded: {why}")))
                        }
                    };
                }
            }
        }
        let verdict = Arc::new(self.judge(&operation, &Turn::alone()).verdict);
        Answer::Refuse(self.refuse(
            &operation,
            &verdict,
            End::trouble("what allowed it was used up meanwhile"),
        ))
    }

    /// Keeps a command that the host asks about, bound to what it is about now. The host lets nobody take it but by saying yes to the very
    /// question: whoever takes it was let, and that is when the yes is written down.
    ///
    /// # Errors
    /// When what it is about could not be looked at, or it is no command.
    pub fn set_aside_asked(&self, asked: Asked, by: DecidedBy) -> Result<Held, String> {
        let Asked {
            operation,
            verdict,
            reading,
            prompt,
            ..
        } = asked;
        let mut seal = self
            .seal(seal::all(self.ports.world.as_ref(), &operation, &reading))
            .ok_or("what it is about could not be looked at, or is too much to be bound to")?;
        seal.reading = Some(seal::fingerprint(reading));
        let yes = Yes {
            by,
            scope: Scope::Once,
            prompt: prompt.into(),
            confirmations: 1,
            kept: None,
            typed: None,
        };
        let approved = Approved {
            operation,
            verdict,
            outcome: Outcome::Approved,
            rules: self.rules(),
            yes: Some(yes),
            seals: vec![seal],
            copies: Vec::new(),
        };
        Ok(Held {
            answered_by_host: true,
            ..self.set_aside(approved)?
        })
    }
}
