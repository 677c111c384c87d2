//! What happens in the gate, told to whoever wants to know; nobody who is told can change it.

mod bus;
mod kinds;
pub mod names;
mod observing;
mod payload;
mod priority;
mod weight;

use std::sync::Arc;

use sayso_core::operation::Operation;
use sayso_core::outcome::Outcome;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::verdict::Verdict;

use crate::finished::Finished;

pub use bus::{Bus, HEAVIEST_QUEUE, LONGEST_QUEUE, Observer};
pub use kinds::Kinds;
pub use names::Names;
pub use observing::{MOST_PANICS, Observing, Recorder};
pub use payload::{message, payload};
pub use priority::{PRIORITIES, Priority};

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// When, in seconds since 1970.
    pub at: i64,
    /// To which call; none for a change of mode, and for a call that was malformed.
    pub operation: Option<Arc<Operation>>,
    /// What goes with it.
    pub about: About,
}

/// What can happen. Five of them are ends: each call has exactly one of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// A call came in. Who stands above the gate hears of it at once, everybody else when it is decided, with its end.
    ToolCallPre,
    /// It was judged.
    Check,
    /// A prompt was opened.
    Requested,
    /// A prompt ended.
    Responded,
    /// Something was stored: a grant, a rule, a change of mode.
    Updated,
    /// Somebody approved the rest of a batch.
    ApproveAll,
    /// Somebody stopped a batch.
    Quit,
    /// It may run. An end.
    Granted,
    /// Somebody or the policy said no. An end.
    Denied,
    /// Nobody answered in time. An end.
    TimedOut,
    /// It was taken back. An end.
    Cancelled,
    /// It was only judged. An end.
    DryRun,
    /// It ran.
    ToolCallPost,
}

/// What goes with an event.
#[derive(Clone, Debug)]
pub enum About {
    /// Nothing more.
    Nothing,
    /// The verdict.
    Verdict(Arc<Verdict>),
    /// The prompt.
    Prompt(Arc<Prompt>),
    /// The prompt and its end.
    Answer(Arc<Prompt>, Ended),
    /// The end of the call.
    Finished(Arc<Finished>),
    /// A sentence.
    Words(String),
}

impl EventKind {
    /// All kinds.
    pub const ALL: [EventKind; 13] = [
        EventKind::ToolCallPre,
        EventKind::Check,
        EventKind::Requested,
        EventKind::Responded,
        EventKind::Updated,
        EventKind::ApproveAll,
        EventKind::Quit,
        EventKind::Granted,
        EventKind::Denied,
        EventKind::TimedOut,
        EventKind::Cancelled,
        EventKind::DryRun,
        EventKind::ToolCallPost,
    ];

    /// The event that ends a call with this outcome.
    pub fn of(outcome: Outcome) -> EventKind {
        match outcome {
            Outcome::AutoApproved | Outcome::Approved => EventKind::Granted,
            Outcome::Denied | Outcome::Blocked | Outcome::Nobody => EventKind::Denied,
            Outcome::TimedOut => EventKind::TimedOut,
            Outcome::Cancelled => EventKind::Cancelled,
            Outcome::DryRun => EventKind::DryRun,
        }
    }

    /// Whether it is the end of a call.
    pub fn is_end(self) -> bool {
        matches!(self, EventKind::Granted | EventKind::Denied | EventKind::TimedOut | EventKind::Cancelled | EventKind::DryRun)
    }
}
