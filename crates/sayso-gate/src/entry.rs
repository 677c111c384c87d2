//! One line of the record, as the gate hands it to the store.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::grant::Grant;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::Round;

use crate::approved::Yes;
use crate::run_result::Brief;

/// Something that is recorded.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When, in seconds since 1970.
    pub at: i64,
    /// Which call it belongs to, if any.
    pub operation: Option<Arc<Operation>>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// A call was decided; written before anything runs.
    Decided {
        /// The verdict; none for a call that was malformed.
        verdict: Option<Arc<Verdict>>,
        /// How it ended, or would end if it runs.
        outcome: Outcome,
        /// Who said yes, and how far.
        yes: Option<Yes>,
        /// What the person wrote with a denial.
        note: Option<String>,
        /// The key or word of a no, where one was typed.
        typed: Option<String>,
        /// Who said no.
        denied_by: Option<DecidedBy>,
        /// What the agent is told.
        message: String,
        /// The profile that was in force.
        profile: String,
    },
    /// A prompt is put before a person; written before it is shown.
    Asked {
        /// The prompt's id.
        prompt: String,
        /// Which of its prompts it is, where a call is asked about twice.
        round: Round,
    },
    /// What was approved and held is about to run; written before it does.
    Resumed,
    /// What was approved has run.
    Finished {
        /// Whether the tool did its work.
        succeeded: bool,
        /// Whether it was started at all.
        started: bool,
        /// How long it took, in milliseconds.
        milliseconds: u64,
        /// What came of it, in short.
        result: Brief,
    },
    /// An answer was kept.
    Granted {
        /// The grant.
        grant: Box<Grant>,
        /// What it says.
        words: String,
    },
    /// A grant was taken back.
    Revoked {
        /// The grant's id.
        id: String,
    },
    /// The person changed how eager sayso is to ask.
    Mode {
        /// From what.
        from: String,
        /// To what.
        to: String,
    },
    /// Something of sayso itself went wrong.
    Trouble(String),
}
