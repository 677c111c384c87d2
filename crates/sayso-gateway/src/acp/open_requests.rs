//! A request of an agent that the gateway has in its hands, and what the protocol has to say of it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::answered::What;
use super::options::Choices;
use crate::rpc::in_flight;
use crate::rpc::workspace_gates::Bench;

/// One request.
pub(super) type Open = in_flight::Open<About>;
/// All requests in our hands.
pub(super) type Calls = in_flight::Calls<About>;

/// What there is to know of a request.
pub(super) struct About {
    /// The session, by the agent's own name for it.
    pub session: String,
    /// The answers that are offered, where the agent asks for a permission.
    pub choices: Option<Choices>,
    /// What exactly it is about, so that it is known again.
    pub what: Vec<What>,
    /// What is in force.
    pub bench: Arc<Bench>,
    /// The agent has its answer.
    pub has_answer: AtomicBool,
    /// What the editor answered, and whether it was a yes.
    pub editor: Mutex<Option<(bool, Vec<u8>)>>,
}

impl About {
    /// The editor's answer, if it was that one.
    pub(super) fn said(&self, yes: bool) -> Option<Vec<u8>> {
        let said = self
            .editor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        said.filter(|(said, _)| *said == yes).map(|(_, line)| line)
    }
}
