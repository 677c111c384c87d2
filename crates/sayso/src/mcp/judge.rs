//! What calls are judged with: the policy as it is now, the journal, and a gate whose approved calls go to the server.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::decide::Run as How;
use sayso_core::digest::Digest;
use sayso_core::node::Node;
use sayso_core::operation::{Agent, Call, McpIdentity};
use sayso_core::policy::settings::Resolved;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::ports::{Ask, Run};
use sayso_store::Folder;
use sayso_store::journal::Journal;
use sayso_world::machine::Machine;
use sayso_world::policy_files;
use sayso_world::whereabouts::Whereabouts;

use super::described::Described;
use crate::assemble::{Choice, RealWorld};
use crate::recorder::Recorder;
use crate::{quick, record_folder, workbench};

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
    pub whereabouts: Whereabouts,
    pub who: Who,
    choice: Choice,
    bench: Mutex<Option<Arc<Bench>>>,
    ask: Arc<dyn Ask>,
    run: Arc<dyn Run>,
    number: AtomicU64,
    described: Described,
}

/// What is in force now.
pub(super) struct Bench {
    bound: Option<Digest>,
    pub gate: Arc<Gate>,
    pub recorder: Arc<Recorder>,
    pub settings: Resolved,
}

impl Judge {
    /// A judge for one server.
    ///
    /// # Errors
    /// When sayso's own folders cannot be found.
    pub(super) fn new(who: Who, file: Option<PathBuf>, ask: Arc<dyn Ask>, run: Arc<dyn Run>) -> Result<Judge, String> {
        let whereabouts = record_folder::whereabouts()?;
        // What starts the gateway may be an agent, and so may be what it says about the policy.
        let choice = Choice { file, only_tightens: true, ignores_environment: true, ..Choice::default() };
        let described = Described::load(&whereabouts.config);
        Ok(Judge { whereabouts, who, choice, bench: Mutex::default(), ask, run, number: AtomicU64::new(0), described })
    }

    /// What is in force now; made anew when a policy, a rule or the program itself has changed.
    ///
    /// # Errors
    /// When there is no policy, or nothing can be written down.
    pub(super) fn bench(&self) -> Result<Arc<Bench>, String> {
        let workspace = std::path::Path::new(&self.who.workspace);
        let folder = Folder::open(&self.whereabouts.state)?;
        let general = || policy_files::general(&self.whereabouts);
        let bound = quick::bound(&folder, &self.whereabouts, workspace, &self.choice, general());
        let mut known = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bench) = known.as_ref().filter(|bench| bound.is_some() && bench.bound == bound) {
            return Ok(Arc::clone(bench));
        }
        let loaded = quick::load_in(&folder, &self.whereabouts, workspace, &self.choice, general());
        let settings = workbench::settings(&loaded.policy).ok_or_else(|| {
            let why = loaded.policy.why_broken().unwrap_or("there is none");
            format!("the policy cannot be read, so everything is denied: {why}")
        })?;
        let settings = settings.clone();
        let recorder = Arc::new(Recorder::new(Journal::open_in(folder)?, self.whereabouts.uid, &settings));
        let policy = Arc::new(loaded.policy);
        if let Some(before) = known.as_ref() {
            // What waits there is judged by what is in force when it is answered.
            before.gate.set_policy(Arc::clone(&policy))?;
        }
        let world = RealWorld(Machine::new(self.whereabouts.clone()));
        let ports = Ports {
            world: Arc::new(world),
            ask: Arc::clone(&self.ask),
            run: Arc::clone(&self.run),
            store: Arc::<Recorder>::clone(&recorder),
        };
        let gate = Arc::new(Gate::new(ports, policy, How::Interactive, Arc::new(now)));
        let bench = Arc::new(Bench { bound, gate, recorder, settings });
        *known = Some(Arc::clone(&bench));
        Ok(bench)
    }

    /// What was in force at the last look, for what has to be known at once.
    pub(super) fn last(&self) -> Option<Arc<Bench>> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An id for the next call.
    pub(super) fn next_id(&self) -> String {
        format!("{}.{}", self.who.session, self.number.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A call of a tool of the server.
    pub(super) fn call(&self, id: String, tool: &str, arguments: Node, mut identity: McpIdentity) -> Call {
        self.described.tell(&self.who.server, tool, &mut identity);
        let says = self.described.says(&self.who.server, tool, &arguments);
        let args = Node::map([("server", Node::text(&self.who.server)), ("tool", Node::text(tool)), ("arguments", arguments)]);
        Call {
            id,
            agent: Agent { name: self.who.client.clone(), parents: Vec::new() },
            session: self.who.session.clone(),
            mcp: Some(identity),
            says,
            ..Call::new("mcp", args, &self.who.workspace)
        }
    }

    /// Writes down something that belongs to no call.
    pub(super) fn note(&self, kind: &str, fields: Vec<(&'static str, Node)>) -> Result<(), String> {
        let session = ("session", sayso_store::record::text(&self.who.session));
        let server = ("server", sayso_store::record::text(&self.who.server));
        self.bench()?.recorder.note(kind, [session, server].into_iter().chain(fields).collect())
    }

    /// This run is over, and what was granted for it.
    pub(super) fn end(&self) {
        if let Some(bench) = self.last() {
            // Such a grant ends by itself, too.
            let _ = bench.recorder.end_session(&self.who.session);
        }
    }
}

/// The time, in seconds since 1970.
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
