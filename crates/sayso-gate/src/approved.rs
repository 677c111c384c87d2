//! A yes that can be used once, for exactly what was shown.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::policy::terms::Terms;

use crate::binding::Seal;

/// Files by their absolute paths, with their bytes.
pub type Copies = Vec<(String, Vec<u8>)>;

/// The permission to run one operation once. It cannot be copied or made outside of the pipeline, and running uses it up.
#[derive(Debug)]
#[must_use = "an approved operation that is not run was asked about in vain"]
pub struct Approved {
    pub(crate) operation: Arc<Operation>,
    pub(crate) verdict: Arc<Verdict>,
    pub(crate) outcome: Outcome,
    /// Which policy, mode and plugins were in force.
    pub(crate) rules: u64,
    pub(crate) yes: Option<Yes>,
    /// What the files were that the answers were about: to this call, to one before it, or to what goes along with it.
    pub(crate) seals: Vec<Seal>,
    /// The bytes of scripts by which that was found to hold, right before it runs.
    pub(crate) copies: Copies,
}

/// Who said yes, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yes {
    /// Who, as the door vouches for it.
    pub by: DecidedBy,
    /// How far.
    pub scope: Scope,
    /// The id of the prompt that was answered; the last one, where there were two.
    pub prompt: Arc<str>,
    /// How often it was confirmed.
    pub confirmations: u8,
    /// What was kept with the answer: the id of the grant, and its words.
    pub kept: Option<Arc<(String, String)>>,
    /// The key or word that was typed, where one was.
    pub typed: Option<Arc<str>>,
}

impl Approved {
    /// What may run.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// What was decided about it; its effects name the very paths that were judged.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Under what terms.
    pub fn terms(&self) -> &Terms {
        &self.verdict.terms
    }

    /// The scripts that it is bound to, by absolute paths, with the bytes that were approved. Known to who runs it only.
    pub fn scripts(&self) -> &[(String, Vec<u8>)] {
        &self.copies
    }

    /// Who decided that it may run.
    pub fn decided_by(&self) -> DecidedBy {
        let rule = self.verdict.weightiest().map(|reason| &reason.rule);
        DecidedBy::new(
            self.outcome,
            self.yes.as_ref().map(|yes| yes.by.clone()),
            rule,
        )
    }

    /// Whether a person said so, or nobody had to be asked.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Who said yes and how far, where a person did.
    pub fn yes(&self) -> Option<&Yes> {
        self.yes.as_ref()
    }

    /// Whether this is the permission for an operation: the same tool, arguments, folder and environment, to the byte.
    pub fn is_for(&self, operation: &Operation) -> bool {
        self.operation.digest() == operation.digest()
    }
}
