//! A call of a client that the gateway has in its hands, and what MCP has to say of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;
use sayso_gate::finished::Finished;

use super::message::Id;
use crate::rpc::in_flight;
pub(super) use crate::rpc::in_flight::Whose;
use sayso_runtime::mcp_servers::catalogue::Catalogue;

/// One call.
pub(super) type Open = in_flight::Open<About>;
/// All calls in our hands.
pub(super) type Calls = in_flight::Calls<About, Finished>;
/// The way of a call through the gate.
pub(super) type Walk = in_flight::Walk<Finished>;

/// What the client said with a call.
#[derive(Default)]
pub(super) struct About {
    /// By this id the client knows it, where that is another one.
    pub known_as: Mutex<Option<Id>>,
    /// The client speaks the revision that has no sessions.
    pub is_modern: bool,
    /// The client can ask its person, and how: whether it has to be told that it is a form.
    pub elicits: Option<bool>,
    /// What the client calls the call, so that one that a hook asked about is known again.
    pub tool_use: Option<String>,
    /// By this the client is told that there is progress.
    pub progress: Option<Node>,
    /// How often it was told so.
    pub ticks: AtomicU64,
    /// What is known of the tools of the server that it is for.
    pub catalogue: Option<Arc<Catalogue>>,
    /// What is called with what, where it may come again with answers that the server wants.
    pub what: Option<Digest>,
    /// It is an approved call that comes again, since the server wanted answers first.
    pub goes_on: bool,
}

impl Open {
    /// The id that an answer to the client has.
    pub(super) fn answers(&self) -> Id {
        let known = self
            .about
            .known_as
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        known.unwrap_or_else(|| self.address().id.clone())
    }
}

impl About {
    /// How often the client was told that somebody is asked, counting this time.
    pub(super) fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed) + 1
    }
}
