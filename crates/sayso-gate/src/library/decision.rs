//! What came of asking, as hosts read it.

use sayso_core::answer::grant::Reach;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Choice, Prompt};

use crate::approved::Approved;
use crate::finished::Finished;

/// What a person can do with a prompt, and what an asking can come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalDecision {
    /// Yes, this once.
    Approve,
    /// No.
    Deny,
    /// Yes, and the rest of the batch.
    ApproveAll,
    /// No, and nothing more of the batch.
    Quit,
    /// Show all of it; the question stays open.
    ViewDetails,
    /// Nobody answered in time.
    Timeout,
}

/// All of them with their word, which never changes.
pub const DECISIONS: [(ApprovalDecision, &str); 6] = [
    (ApprovalDecision::Approve, "approve"),
    (ApprovalDecision::Deny, "deny"),
    (ApprovalDecision::ApproveAll, "approve_all"),
    (ApprovalDecision::Quit, "quit"),
    (ApprovalDecision::ViewDetails, "view_details"),
    (ApprovalDecision::Timeout, "timeout"),
];

impl ApprovalDecision {
    /// Its word.
    pub fn word(self) -> &'static str {
        DECISIONS
            .iter()
            .find(|(decision, _)| *decision == self)
            .map_or("deny", |(_, word)| word)
    }

    /// The one of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        DECISIONS
            .iter()
            .find(|(_, name)| *name == word)
            .map(|(decision, _)| *decision)
    }

    /// The answer to a prompt; none where it is no answer, and a denial where the prompt does not offer it.
    pub fn choice(self, prompt: &Prompt) -> Option<Choice> {
        let offer = |scope| prompt.yes(scope).map_or(Choice::Deny, Choice::Offer);
        match self {
            ApprovalDecision::Approve => Some(offer(Scope::Once)),
            ApprovalDecision::ApproveAll => Some(offer(Scope::Batch)),
            ApprovalDecision::Deny => Some(Choice::Deny),
            ApprovalDecision::Quit => Some(Choice::Quit),
            ApprovalDecision::ViewDetails | ApprovalDecision::Timeout => None,
        }
    }
}

/// What came of a request.
#[derive(Debug)]
#[must_use = "what was not approved must not run"]
pub struct Decision {
    /// Whether the call may run, once.
    pub approved: bool,
    /// How far the answer goes; a session for one that was remembered.
    pub scope: Scope,
    /// What the person wrote with a denial.
    pub note: Option<String>,
    /// The same in one word.
    pub value: ApprovalDecision,
    /// How exactly it ended.
    pub outcome: Outcome,
    /// What the agent is told if it was not approved. The words never change.
    pub message: String,
    permit: Option<Approved>,
}

impl Decision {
    /// The permission to run it once: the operation in it is exactly what was shown. A host that runs the tool itself runs this, with
    /// [`Controller::run`](super::Controller::run) or from [`Approved::operation`], and not the arguments it still has.
    pub fn permit(self) -> Option<Approved> {
        self.permit
    }

    pub(super) fn yes(approved: Approved, scope: Scope) -> Self {
        let outcome = approved.outcome();
        let value = if scope == Scope::Batch {
            ApprovalDecision::ApproveAll
        } else {
            ApprovalDecision::Approve
        };
        Decision {
            approved: true,
            scope,
            note: None,
            value,
            outcome,
            message: String::new(),
            permit: Some(approved),
        }
    }

    /// A failure of sayso itself, which is a denial.
    pub(super) fn trouble(message: &str) -> Self {
        let (value, outcome) = (ApprovalDecision::Deny, Outcome::Blocked);
        Decision {
            approved: false,
            scope: Scope::Once,
            note: None,
            value,
            outcome,
            message: message.to_owned(),
            permit: None,
        }
    }

    pub(super) fn no(finished: Finished) -> Self {
        let value = match finished.outcome {
            Outcome::TimedOut => ApprovalDecision::Timeout,
            Outcome::Cancelled => ApprovalDecision::Quit,
            _ => ApprovalDecision::Deny,
        };
        let Finished {
            outcome,
            message,
            note,
            ..
        } = finished;
        Decision {
            approved: false,
            scope: Scope::Once,
            note,
            value,
            outcome,
            message,
            permit: None,
        }
    }
}

/// How far a remembered answer goes.
pub(super) fn scope_of(reach: &Reach) -> Scope {
    match reach {
        Reach::Once(_) => Scope::Once,
        Reach::Batch(_) => Scope::Batch,
        Reach::Session(_) => Scope::Session,
        Reach::Project(_) => Scope::Project,
        Reach::Always => Scope::Always,
    }
}
