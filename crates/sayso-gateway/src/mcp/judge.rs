//! What calls are judged with: the policy as it is now, the journal, and a gate whose approved calls go to the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sayso_core::call::operation::{Agent, Call, McpIdentity};
use sayso_core::text::node::Node;
use sayso_gate::ports::Ask;

use crate::error::{GatewayError, below};
pub(super) use crate::rpc::workspace_gates::Bench;
use crate::rpc::workspace_gates::Benches;
use sayso_runtime::assemble::Choice;
use sayso_runtime::mcp_servers::described::Described;

/// Who calls, and where.
#[derive(Clone, Debug)]
pub(super) struct Who {
    /// The server, by the name that rules have for it.
    pub server: String,
    /// The client.
    pub client: String,
    /// The folder that the server works in.
    pub workspace: String,
    /// This run of the gateway.
    pub session: String,
}

/// Judges calls.
pub(super) struct Judge {
    pub who: Who,
    benches: Benches,
    number: AtomicU64,
    described: Described,
}

impl Judge {
    /// A judge for one server.
    ///
    /// # Errors
    /// When sayso's own folders cannot be found.
    pub(super) fn new(who: Who, choice: Choice, ask: Arc<dyn Ask>) -> Result<Judge, GatewayError> {
        // The server runs its tools, wherever that is.
        let benches = Benches::new(choice, ask, None)?;
        let described = Described::load(&benches.whereabouts.config);
        Ok(Judge {
            who,
            benches,
            number: AtomicU64::new(0),
            described,
        })
    }

    /// What is in force now.
    ///
    /// # Errors
    /// When there is no policy, or nothing can be written down.
    pub(super) fn bench(&self) -> Result<Arc<Bench>, GatewayError> {
        self.benches.of(&self.who.workspace)
    }

    /// What was in force at the last look, for what has to be known at once.
    pub(super) fn last(&self) -> Option<Arc<Bench>> {
        self.benches.last(&self.who.workspace)
    }

    /// An id for the next call.
    pub(super) fn next_id(&self) -> String {
        format!(
            "{}.{}",
            self.who.session,
            self.number.fetch_add(1, Ordering::Relaxed) + 1
        )
    }

    /// A call of a tool of the server.
    pub(super) fn call(
        &self,
        id: String,
        tool: &str,
        arguments: Node,
        mut identity: McpIdentity,
    ) -> Call {
        self.described.tell(&self.who.server, tool, &mut identity);
        let says = self.described.says(&self.who.server, tool, &arguments);
        let args = Node::map([
            ("server", Node::text(&self.who.server)),
            ("tool", Node::text(tool)),
            ("arguments", arguments),
        ]);
        Call {
            id,
            agent: Agent {
                name: self.who.client.clone(),
                parents: Vec::new(),
            },
            session: self.who.session.clone(),
            mcp: Some(identity),
            says,
            ..Call::new("mcp", args, &self.who.workspace)
        }
    }

    /// Writes down something that belongs to no call.
    pub(super) fn note(
        &self,
        kind: &str,
        fields: Vec<(&'static str, Node)>,
    ) -> Result<(), GatewayError> {
        let session = ("session", sayso_store::record::text(&self.who.session));
        let server = ("server", sayso_store::record::text(&self.who.server));
        self.bench()?
            .recorder
            .note(kind, [session, server].into_iter().chain(fields).collect())
            .map_err(below)
    }

    /// This run is over, and what was granted for it.
    pub(super) fn end(&self) {
        if let Some(bench) = self.last() {
            // Such a grant ends by itself, too.
            let _ = bench.recorder.end_session(&self.who.session);
        }
    }
}
