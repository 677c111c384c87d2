//! What happens in the gate, told to whoever wants to know; nobody who is told can change it.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use sayso_core::answer::run_mode::Run as How;
//! use sayso_core::text::diagnostic::Source;
//! use sayso_core::analysis::fact::{Facts, Question, Surroundings};
//! use sayso_core::text::node::Node;
//! use sayso_core::call::operation::Call;
//! use sayso_core::policy::read::{Format, Origin, read};
//! use sayso_core::policy::{Overrides, Policy};
//! use sayso_core::text::json;
//! use sayso_gate::approved::Approved;
//! use sayso_gate::events::{Kinds, Names, Priority, payload};
//! use sayso_gate::gate::{Gate, Ports};
//! use sayso_gate::memory::Memory;
//! use sayso_gate::ports::{Later, Ran, Run, World};
//! use sayso_gate::simulated::Simulated;
//! use sayso_shell::Bash;
//!
//! // A machine of which nothing is known, and hands that run nothing.
//! struct Nowhere;
//! impl World for Nowhere {
//!     fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
//!         let surroundings = Surroundings { workspace: workspace.to_owned(), cwd: cwd.to_owned(), home: None, own: Vec::new() };
//!         Facts { surroundings, answers: questions.iter().map(|_| None).collect() }
//!     }
//! }
//! struct Hands;
//! impl Run for Hands {
//!     fn capabilities(&self) -> sayso_core::answer::runner::RunnerCapabilities<'_> {
//!         sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY
//!     }
//!
//!     fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
//!         Box::pin(async { Ran::Done(Node::text("done")) })
//!     }
//! }
//!
//! let (layer, _) = read(Source { name: "policy.yaml", text: "profile: sayso" }, Format::Yaml, Origin::User, &Bash);
//! let policy = Policy::assemble(layer.into_iter().collect(), &Overrides::default(), &Bash);
//! let ports = Ports {
//!     world: Arc::new(Nowhere),
//!     ask: Arc::new(Simulated::default()),
//!     run: Arc::new(Hands),
//!     store: Arc::new(Memory::new()),
//! };
//! let gate = Gate::new(ports, Arc::new(policy), How::Interactive, Arc::new(|| 1_800_000_000));
//!
//! let (said, heard) = std::sync::mpsc::channel();
//! let observing = gate.events.observe("log", Priority::DISPLAY, Kinds::ends(), move |event| {
//!     let _ = said.send(json::write(&payload(event, Names::KollaborSpec)));
//! })?;
//! let call = Call { id: "terminal_0".to_owned(), ..Call::command("TOKEN=hunter2 rm -rf /", "/ws") };
//! pollster::block_on(gate.call(call));
//! gate.events.flush(Duration::from_secs(10));
//! drop(observing);
//!
//! let told = heard.recv().map_err(|why| why.to_string())?;
//! assert!(told.starts_with(r#"{"decision":"DENY","user_response":null,"approval_future_id":null,"tool_id":"terminal_0""#), "{told}");
//! assert!(!told.contains("hunter2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bus;
mod kinds;
mod memory_use;
pub mod names;
mod observer;
mod payload;
mod priority;

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::node::Node;

use crate::finished::Finished;

pub use bus::{Bus, HEAVIEST_QUEUE, LONGEST_QUEUE, Observer};
pub use kinds::Kinds;
pub use names::Names;
pub use observer::{MOST_PANICS, Observing, Recorder};
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
    /// An entry of the record, redacted as it stands there: what another process did.
    Entry(Arc<Node>),
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
        matches!(
            self,
            EventKind::Granted
                | EventKind::Denied
                | EventKind::TimedOut
                | EventKind::Cancelled
                | EventKind::DryRun
        )
    }
}
