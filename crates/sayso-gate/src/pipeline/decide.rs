//! The decision on one call, the same for every door: judge it, use up what allows it, or ask about it.

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::call::tool::{Kind, Role};
use sayso_core::policy::decision::Decision;

use super::ask::Said;
use super::batch_context::Turn;
use super::gate::Gate;
use super::host::{Asked, CanAsk};
use super::judge::JudgedCall;
use super::lifecycle::End;
use super::resume::Held;
use crate::approved::Yes;
use crate::binding::Seal;
use crate::error::CallError;

/// How many times a call is decided anew because it changed, or because other calls used up what allowed it; then it is denied.
const MAX_ATTEMPTS: usize = 3;

/// Who asks about a call, where a person has to be asked.
#[derive(Clone, Copy)]
pub(crate) enum WhoAsks<'a> {
    /// The gate, at its port for asking.
    Gate,
    /// The host, in its own dialog, where it says that it can; otherwise the gate.
    Host(CanAsk<'a>),
    /// A person was asked before, and the approval was held since.
    Held(&'a Held),
    /// No one yet: the call is returned to the caller.
    Nobody,
}

/// The decision on a call. Nothing of it is written down yet.
pub(crate) enum Decided {
    /// It may run.
    Allowed(Box<Given>),
    /// The host asks the person.
    AskedByHost(Box<Asked>),
    /// A person has to be asked first; the caller does that later.
    Waits(Box<JudgedCall>),
    /// It does not run.
    Refused(Arc<Verdict>, Box<End>),
    /// The gate itself broke, so it does not run.
    Broken(Box<End>),
}

/// What an approval is made of.
pub(crate) struct Given {
    pub(crate) verdict: Arc<Verdict>,
    /// Who said yes, where a person was asked.
    pub(crate) yes: Option<Yes>,
    /// Files that must be the same when it runs.
    pub(crate) seals: Vec<Seal>,
}

/// What came of one attempt.
pub(super) enum Attempt {
    /// A decision.
    Decided(Decided),
    /// None: what it rested on is no longer so.
    Stale(Arc<Verdict>, CallError),
}

impl Gate {
    /// Decides one call. It is judged once, and again only where something changed under the decision. `judged` is what the caller has had
    /// judged already.
    pub(crate) async fn decide_call(
        &self,
        operation: &Arc<Operation>,
        mut judged: Option<Box<JudgedCall>>,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Decided {
        let mut attached = None;
        let mut attempts = 1;
        loop {
            let call = judged
                .take()
                .unwrap_or_else(|| self.consider(operation, turn, asker));
            let attempt = match call.verdict.decision {
                Decision::Deny => refused(&call, End::of(Outcome::Blocked)),
                _ if self.is_dry_run() => refused(&call, End::of(Outcome::DryRun)),
                _ => {
                    self.allow_or_ask(operation, call, &mut attached, turn, asker)
                        .await
                }
            };
            match attempt {
                Attempt::Decided(decided) => return decided,
                Attempt::Stale(verdict, why) if attempts == MAX_ATTEMPTS => {
                    return Decided::Refused(verdict, Box::new(End::problem(why)));
                }
                Attempt::Stale(..) => attempts += 1,
            }
        }
    }

    /// Takes a call on that is not denied. The files that go along with a delegation are questions of their own, asked once.
    async fn allow_or_ask(
        &self,
        operation: &Arc<Operation>,
        call: Box<JudgedCall>,
        attached: &mut Option<Vec<Seal>>,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Attempt {
        if attached.is_none() && operation.kind() == Kind::Delegate {
            // Each of them may be a question.
            if matches!(asker, WhoAsks::Nobody) && operation.argument(Role::Attachments).is_some() {
                return Attempt::Decided(Decided::Waits(call));
            }
            // Boxed: no other call carries this along while it waits.
            match Box::pin(self.approve_attachments(operation, turn, asker)).await {
                Ok(seals) => *attached = Some(seals),
                Err(end) => return refused(&call, *end),
            }
        }
        let attempt = match call.verdict.decision {
            Decision::Ask => self.ask_person(operation, call, turn, asker).await,
            _ => self.consume_grant(operation, call, turn, asker),
        };
        match (attempt, attached.take()) {
            (Attempt::Decided(Decided::Allowed(mut given)), Some(seals)) => {
                given.seals.splice(0..0, seals);
                Attempt::Decided(Decided::Allowed(given))
            }
            (attempt, seals) => {
                *attached = seals;
                attempt
            }
        }
    }

    async fn approve_attachments(
        &self,
        operation: &Operation,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Result<Vec<Seal>, Box<End>> {
        match asker {
            WhoAsks::Gate => self.attachments(operation, turn).await,
            // Each of them would be a question of its own.
            _ if operation.argument(Role::Attachments).is_some() => {
                Err(Box::new(End::problem(CallError::Attachments)))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// A call that the policy or a grant allows: what has a number of uses is used up by it.
    fn consume_grant(
        &self,
        operation: &Arc<Operation>,
        call: Box<JudgedCall>,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Attempt {
        let used = match (asker, call.verdict.granted_by()) {
            // When it was approved.
            (WhoAsks::Held(held), _) => return self.allow_held(operation, *call, held),
            (_, Some(grant)) => {
                turn.take(operation.digest(), grant) || self.ports.store.take(grant.as_ref())
            }
            (_, None) => self.spend(&call.verdict),
        };
        match used {
            true => allowed(call.verdict, None, call.seal.into_iter().collect()),
            // Another call used it up meanwhile.
            false => Attempt::Stale(call.verdict, CallError::UsedUp),
        }
    }

    /// A call that a person has to be asked about.
    async fn ask_person(
        &self,
        operation: &Arc<Operation>,
        call: Box<JudgedCall>,
        turn: &mut Turn,
        asker: WhoAsks<'_>,
    ) -> Attempt {
        match asker {
            WhoAsks::Gate => self.ask_at_port(operation, call, turn).await,
            WhoAsks::Held(held) => self.allow_held(operation, *call, held),
            WhoAsks::Host(can_ask) => match self.hand_to_host(operation, call, can_ask) {
                Ok(decided) => Attempt::Decided(decided),
                Err(call) => self.ask_at_port(operation, call, turn).await,
            },
            WhoAsks::Nobody => Attempt::Decided(Decided::Waits(call)),
        }
    }

    /// Asks at the gate's own port. The yes counts for what was shown, if it is still so.
    async fn ask_at_port(
        &self,
        operation: &Arc<Operation>,
        call: Box<JudgedCall>,
        turn: &mut Turn,
    ) -> Attempt {
        // Sealed before it is shown: what changes from here on is a new question.
        let (verdict, basis) = (Arc::clone(&call.verdict), call.basis);
        let (shown, prompt) = match self.show(operation, call.reading, &verdict, turn) {
            Ok(shown) => shown,
            Err(end) => return Attempt::Decided(Decided::Refused(verdict, end)),
        };
        let (yes, kept) = match self.ask(prompt, turn).await {
            Said::No(end) => return Attempt::Decided(Decided::Refused(verdict, Box::new(end))),
            Said::Yes(yes, kept) => (yes, kept),
        };
        let seal = self
            .unchanged(operation, &shown)
            .filter(|_| !self.is_stricter_now(operation, &verdict, (basis, &shown), turn));
        let Some(seal) = seal else {
            turn.forget();
            return Attempt::Stale(verdict, CallError::KeptChanging);
        };
        match self.keep(operation, &shown, &verdict, kept, turn) {
            Ok(kept) => allowed(verdict, Some(Yes { kept, ..yes }), vec![seal]),
            Err(why) => Attempt::Decided(Decided::Refused(
                verdict,
                Box::new(End::problem(CallError::NotKept(why))),
            )),
        }
    }

    /// Counts the use of the rules that allowed a call. False if one of them was used up by another call meanwhile.
    fn spend(&self, verdict: &Verdict) -> bool {
        let policy = self.policy();
        let parts = policy
            .views()
            .iter()
            .flat_map(|view| std::iter::once(&view.general).chain(view.agents.values()));
        let limited = parts
            .flat_map(|part| part.rules.limited())
            .filter_map(|rule| Some((rule.id.as_str(), rule.when.uses?)));
        let allowed = |id: &str| {
            verdict.reasons.iter().any(|reason| {
                reason.decision == Decision::Allow
                    && matches!(&reason.rule, RuleId::Policy { id: allowed, .. } if allowed == id)
            })
        };
        let mut used: Vec<(&str, u64)> = limited.filter(|(id, _)| allowed(id)).collect();
        // The same rule stands in several views, and of several with one id the smallest number counts.
        used.sort_unstable();
        used.dedup_by_key(|(id, _)| *id);
        used.into_iter()
            .all(|(id, most)| self.ports.store.spend(id, most))
    }
}

fn refused(call: &JudgedCall, end: End) -> Attempt {
    Attempt::Decided(Decided::Refused(Arc::clone(&call.verdict), Box::new(end)))
}

pub(super) fn allowed(verdict: Arc<Verdict>, yes: Option<Yes>, seals: Vec<Seal>) -> Attempt {
    Attempt::Decided(Decided::Allowed(Box::new(Given {
        verdict,
        yes,
        seals,
    })))
}
