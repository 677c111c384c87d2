//! How a call ended, in one of a few words that never change: hosts, screens and the record tell outcomes apart by these.

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It ran without a question: a rule, a grant or the mode allowed it.
    AutoApproved,
    /// A person said yes and it ran.
    Approved,
    /// A person said no.
    Denied,
    /// The policy said no, or sayso failed, which is the same.
    Blocked,
    /// Nobody answered in time.
    TimedOut,
    /// The person stopped the batch, the host took the call back, or sayso shut down.
    Cancelled,
    /// There was nobody to ask.
    Nobody,
    /// It was judged only, and would have been allowed.
    DryRun,
}

/// All outcomes with their word.
pub const OUTCOMES: [(Outcome, &str); 8] = [
    (Outcome::AutoApproved, "auto_approved"),
    (Outcome::Approved, "approved"),
    (Outcome::Denied, "denied"),
    (Outcome::Blocked, "blocked"),
    (Outcome::TimedOut, "timed_out"),
    (Outcome::Cancelled, "cancelled"),
    (Outcome::Nobody, "nobody"),
    (Outcome::DryRun, "dry_run"),
];

impl Outcome {
    /// The word used in JSON, in the record and in counts.
    pub fn word(self) -> &'static str {
        OUTCOMES
            .iter()
            .find(|(outcome, _)| *outcome == self)
            .map_or("blocked", |(_, word)| word)
    }

    /// The outcome of a word.
    pub fn from_word(word: &str) -> Option<Outcome> {
        OUTCOMES
            .iter()
            .find(|(_, name)| *name == word)
            .map(|(outcome, _)| *outcome)
    }

    /// Whether the tool was started.
    pub fn ran(self) -> bool {
        matches!(self, Outcome::AutoApproved | Outcome::Approved)
    }
}
