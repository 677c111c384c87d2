//! An approval that is not used at once: what is kept of it, and how it becomes an approval again, in another process.
//!
//! It is for exactly one command, and no wider than the approval it was made from: the operation must have the same digest, it is judged
//! again under the policy of then, and what a person was shown must still be so. Whoever keeps the text vouches that nobody else wrote it.

use std::sync::Arc;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::{Call, Operation, ToolSays};
use sayso_core::call::tool::Kind;
use sayso_core::decide::Uses;
use sayso_core::policy::decision::Decision;
use sayso_core::text::digest::Digest;
use sayso_core::text::{Limits, json};

use super::batch_context::Turn;
use super::decide::{self, Attempt, Decided, Given, WhoAsks};
use super::gate::Gate;
use super::held_call_text;
use super::judge::JudgedCall;
use super::lifecycle::End;
use crate::approved::{Approved, Yes};
use crate::binding::{Extent, Seal};
use crate::entry::What;
use crate::error::{CallError, HeldError, PortError};
use crate::events::{About, EventKind};
use crate::finished::Finished;
use crate::run_result::Brief;
use crate::seal::fingerprint;

/// An approved command that waits to be run.
#[derive(Debug)]
#[must_use = "an approved operation that is not run was asked about in vain"]
pub struct Held {
    pub(crate) call: Call,
    pub(crate) digest: Digest,
    pub(crate) outcome: Outcome,
    pub(crate) yes: Option<Yes>,
    pub(crate) granted: Option<Granted>,
    /// How the run treated questions: who said `--yolo` for it, said so for what is held, too.
    pub(crate) how: How,
    pub(crate) risk: Risk,
    /// It was approved to run in a sandbox, and runs in none else.
    pub(crate) contained: bool,
    /// Digests of the files that the answer was about.
    pub(crate) seals: Vec<(Extent, Digest)>,
    /// What it would do, as a person was shown it.
    pub(crate) reading: Option<Digest>,
    /// The yes is that of a host's own dialog, and is not written down yet.
    pub(crate) answered_by_host: bool,
}

/// The earlier answer that allowed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) id: String,
    /// It has no end of its own, so that it must still be there.
    pub(crate) stays: bool,
}

/// Keeps the text of a held command, and gives the id that it can be had by.
pub type Keep<'a> = &'a (dyn Fn(&str) -> Result<String, PortError> + Send + Sync);

impl Held {
    /// All of it as text.
    pub fn write(&self) -> String {
        json::write(&held_call_text::node(self))
    }

    /// What was written. The text must come from a place where nobody else can write.
    ///
    /// # Errors
    /// When it is not what [`Held::write`] writes.
    pub fn read(text: &str) -> Result<Held, HeldError> {
        let node = json::read(text, &LIMITS).map_err(HeldError::Unreadable)?;
        held_call_text::held(&node).ok_or(HeldError::OtherFormat)
    }

    /// The workspace that it runs in.
    pub fn workspace(&self) -> &str {
        &self.call.workspace
    }
}

const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    depth: 256,
    nodes: 2_000_000,
};

impl Gate {
    /// Keeps an approval for later, which uses it up here. It has to be a command, and one that can be written down to the last byte.
    pub fn set_aside(&self, approved: Approved) -> Result<Held, HeldError> {
        let operation = &approved.operation;
        if operation.kind() != Kind::Terminal {
            return Err(HeldError::NotACommand);
        }
        if !matches!(operation.says(), ToolSays::Nothing) || operation.mcp().is_some() {
            return Err(HeldError::HasHostParts);
        }
        let grant = approved.verdict.granted_by().map(|id| {
            let ends = |grant: &Grant| {
                grant.uses_left.is_some()
                    || matches!(grant.reach, Reach::Batch(_) | Reach::Session(_))
            };
            let stays = self
                .ports
                .store
                .grants()
                .iter()
                .any(|grant| id.is_of(grant) && !ends(grant));
            let id = id.to_string();
            Granted { id, stays }
        });
        let held = Held {
            call: operation.call(),
            digest: operation.digest(),
            outcome: approved.outcome,
            granted: grant,
            how: self.how(),
            risk: approved.verdict.risk,
            contained: approved.terms().sandbox_required,
            seals: approved
                .seals
                .iter()
                .map(|seal| (seal.extent, seal.digest))
                .collect(),
            reading: approved.seals.iter().find_map(|seal| seal.reading),
            answered_by_host: false,
            yes: approved.yes,
        };
        let again = Held::read(&held.write())
            .ok()
            .and_then(|again| Operation::freeze(again.call).ok());
        match again {
            Some(again) if again.digest() == held.digest => Ok(held),
            _ => Err(HeldError::NotTheSameAgain),
        }
    }

    /// The end of a call that is held and not run: the id that it can be had by, or why there is none.
    pub(crate) fn put_aside(&self, approved: Approved, keep: Keep<'_>) -> Finished {
        let (operation, verdict) = (
            Arc::clone(&approved.operation),
            Arc::clone(&approved.verdict),
        );
        let (outcome, yes) = (approved.outcome, approved.yes.clone());
        let kept = self
            .set_aside(approved)
            .and_then(|held| keep(&held.write()).map_err(HeldError::NotStored));
        let (held, ran) = match kept {
            Ok(id) => (Some(id), None),
            Err(why) => (
                None,
                Some(self.not_run(&operation, &format!("it could not be held: {why}"))),
            ),
        };
        Finished {
            held,
            ..self.ended(&operation, verdict, outcome, yes, ran)
        }
    }

    /// Makes an approval of a held command again. Whatever has become stricter since refuses it, and so does a change of what was shown.
    ///
    /// # Errors
    /// Says why it must not run; that is its end, and is written down.
    pub fn resume(&self, held: Held) -> Result<Approved, CallError> {
        let operation = Operation::freeze(held.call.clone())
            .map(Arc::new)
            .map_err(CallError::Malformed)?;
        self.resume_frozen(&operation, held).map_err(|why| {
            let why = CallError::Held(why);
            self.not_run(&operation, &why.to_string());
            why
        })
    }

    fn resume_frozen(&self, operation: &Arc<Operation>, held: Held) -> Result<Approved, HeldError> {
        if operation.digest() != held.digest || operation.kind() != Kind::Terminal {
            return Err(HeldError::OtherCall);
        }
        let mut turn = Turn::alone();
        // It never waits: the person has answered already.
        let decided =
            pollster::block_on(self.decide_call(operation, None, &mut turn, WhoAsks::Held(&held)));
        let given = match decided {
            Decided::Allowed(given) => given,
            Decided::Refused(verdict, end) => {
                return Err(match end.problem {
                    Some(CallError::Held(why)) => why,
                    _ => HeldError::Denied(verdict),
                });
            }
            Decided::AskedByHost(asked) => {
                return Err(HeldError::MustAsk(asked.verdict));
            }
            Decided::Broken(_) | Decided::Waits(_) => return Err(HeldError::Changed),
        };
        let Given { verdict, seals, .. } = *given;
        // No entry, no run.
        if held.answered_by_host {
            let end = End {
                yes: held.yes.clone(),
                ..End::of(Outcome::Approved)
            };
            self.record(Some(operation), self.decided(operation, &verdict, &end))
                .map_err(HeldError::Unrecorded)?;
        }
        self.record(Some(operation), What::Resumed)
            .map_err(HeldError::Unrecorded)?;
        Ok(self.approval(
            Arc::clone(operation),
            verdict,
            held.outcome,
            held.yes,
            seals,
        ))
    }

    /// Judges a held command under the rules of now. The answer that allowed it was used up for it, and a rule that has a number of uses was
    /// counted.
    pub(super) fn judge_held(&self, operation: &Operation, held: &Held) -> JudgedCall {
        let rules = self.rules();
        let policy = self.policy();
        let grants = held
            .granted
            .as_ref()
            .map_or(Vec::new(), |_| used(operation, held));
        let bench = self.bench(&policy, &grants, Some(&Unused), held.how);
        self.judge_once(&bench, operation, rules)
    }

    /// Lets a held command run, if the answer that it was held with is enough for what is asked now, and what was shown is still so.
    pub(super) fn allow_held(
        &self,
        operation: &Operation,
        call: JudgedCall,
        held: &Held,
    ) -> Attempt {
        let refuse = |verdict: Arc<Verdict>, why: HeldError| {
            let end = End::problem(CallError::Held(why));
            Attempt::Decided(Decided::Refused(verdict, Box::new(end)))
        };
        let confirmed = match held.yes.as_ref().map(|yes| yes.confirmations) {
            None | Some(0) => Confirm::None,
            Some(1) => Confirm::Single,
            Some(_) => Confirm::Double,
        };
        let asks = call.verdict.decision == Decision::Ask;
        if asks && (call.verdict.confirm > confirmed || confirmed == Confirm::None) {
            let why = HeldError::MustAsk(Arc::clone(&call.verdict));
            return refuse(call.verdict, why);
        }
        let revoked = |granted: &Granted| {
            granted.stays
                && !self
                    .ports
                    .store
                    .grants()
                    .iter()
                    .any(|one| one.id == granted.id)
        };
        if held.granted.as_ref().is_some_and(revoked) {
            return refuse(call.verdict, HeldError::GrantRevoked);
        }
        let again = |(extent, digest): &(Extent, Digest)| {
            let world = self.ports.world.as_ref();
            Seal::again(world, *extent, *digest, operation, &call.reading)
        };
        let seals: Vec<Seal> = held.seals.iter().map(again).collect();
        let is_sealed = seals.iter().all(|seal| self.holds(seal));
        if !is_sealed
            || held
                .reading
                .is_some_and(|shown| fingerprint(call.reading) != shown)
        {
            return refuse(call.verdict, HeldError::Changed);
        }
        let mut verdict = Arc::unwrap_or_clone(call.verdict);
        verdict.terms.sandbox_required |= held.contained;
        decide::allowed(Arc::new(verdict), held.yes.clone(), seals)
    }

    /// Writes down that something approved was not started.
    fn not_run(&self, operation: &Arc<Operation>, why: &str) -> crate::ports::Ran {
        let what = What::Finished {
            succeeded: false,
            started: false,
            milliseconds: 0,
            result: Brief::default(),
        };
        if let Err(trouble) = self.record(Some(operation), what) {
            self.tell(
                EventKind::Updated,
                Some(operation),
                About::Words(format!("the end of a run could not be recorded: {trouble}")),
            );
        }
        crate::ports::Ran::NotRun(why.to_owned())
    }
}

/// The answer that allowed it, as one for exactly this call: what must be asked, it does not cover now either.
fn used(operation: &Operation, held: &Held) -> Vec<Grant> {
    let exact = Grant {
        id: "held".to_owned(),
        key: GrantKey::Exact(held.digest),
        reach: Reach::Once(operation.id().to_owned()),
        agent: operation.agent().line(),
        expires: None,
        uses_left: None,
        risk: held.risk,
        seal: None,
    };
    // An answer for the rest of a batch can cover more than one for a single call.
    let batch = operation
        .batch()
        .filter(|_| held.granted.as_ref().is_some_and(|grant| !grant.stays));
    let rest = batch.map(|batch| Grant {
        key: GrantKey::RestOfBatch,
        reach: Reach::Batch(batch.to_owned()),
        ..exact.clone()
    });
    std::iter::once(exact).chain(rest).collect()
}

/// The use of a limited rule was counted when it allowed this call.
#[derive(Debug)]
struct Unused;

impl Uses for Unused {
    fn count(&self, _: &str) -> u64 {
        0
    }
}
