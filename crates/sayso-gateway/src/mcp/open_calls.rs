//! A call of a client that the gateway has in its hands, and what MCP has to say of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sayso_core::text::digest::Digest;
use sayso_core::text::node::Node;

use crate::rpc::in_flight;
pub(super) use crate::rpc::in_flight::{Address, Whose};
use sayso_runtime::mcp_servers::catalogue::Catalogue;

/// One call.
pub(super) type Open = in_flight::Open<About>;
/// All calls in our hands.
pub(super) type Calls = in_flight::Calls<About>;

/// What the client said with a call.
pub(super) struct About {
    /// The client speaks the revision that has no sessions.
    pub is_modern: bool,
    /// A denial of it is a result that the model reads; of anything else it is an error.
    pub is_call: bool,
    /// The client can ask its person, and how: whether it has to be told that it is a form.
    pub elicits: Option<bool>,
    /// What the client calls the call, so that one that a hook asked about is known again.
    pub tool_use: Option<String>,
    /// By this the client is told that there is progress.
    pub progress: Option<Node>,
    /// How often it was told so.
    pub ticks: AtomicU64,
    /// What is known of the tools of the server that it is for.
    pub catalogue: Arc<Catalogue>,
    /// What is called with what, where it may come again with answers that the server wants.
    pub what: Option<Digest>,
    /// It is an approved call that comes again, since the server wanted answers first.
    pub goes_on: bool,
}

impl About {
    /// How often the client was told that somebody is asked, counting this time.
    pub(super) fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed) + 1
    }
}
