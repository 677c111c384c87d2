//! What calls at a gateway are judged with: for each workspace the policy as it is now, the journal, and a gate whose approved calls go on.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::policy::settings::Resolved;
use sayso_core::text::digest::Digest;
use sayso_gate::approved::Approved;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::ports::{Ask, Later, Ran, Run};
use sayso_store::Folder;
use sayso_store::journal::Journal;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use sayso_world::policy_files;

use super::now;
use crate::error::{GatewayError, below};
use sayso_runtime::assemble::{Choice, RealWorld};
use sayso_runtime::decision_log::DecisionLog;
use sayso_runtime::policy_sources::Sources;
use sayso_runtime::recorder::Recorder;
use sayso_runtime::{policy_snapshot, record_folder, workbench};

/// So many workspaces are kept ready; of more, all are made anew.
const MOST: usize = 64;

/// What is in force in a workspace now.
pub(crate) struct Bench {
    bound: Option<Digest>,
    /// What it was read from, where it can be told without reading whether that still stands.
    sources: Mutex<Option<Sources>>,
    pub gate: Arc<Gate>,
    pub recorder: Arc<Recorder>,
    pub settings: Resolved,
}

/// The program behind a gateway runs what was approved; the gateway starts and finishes it.
struct Elsewhere(Option<NoSandbox>);

impl Run for Elsewhere {
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        self.0
            .as_ref()
            .map_or(RunnerCapabilities::JUDGE_ONLY, |why| {
                RunnerCapabilities::without_sandbox(why)
            })
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        Box::pin(async { Ran::NotRun("the gateway runs nothing itself".to_owned()) })
    }
}

/// What is in force, by workspace.
pub(crate) struct Benches {
    pub whereabouts: Whereabouts,
    choice: Choice,
    known: Mutex<HashMap<String, Arc<Bench>>>,
    ask: Arc<dyn Ask>,
    run: Arc<Elsewhere>,
}

impl Benches {
    /// With a policy on top, which only tightens until the person trusts it, and why there is no sandbox, where that counts.
    ///
    /// # Errors
    /// When sayso's own folders cannot be found.
    pub(crate) fn new(
        choice: Choice,
        ask: Arc<dyn Ask>,
        no_sandbox: Option<NoSandbox>,
    ) -> Result<Benches, GatewayError> {
        let whereabouts = record_folder::whereabouts().map_err(below)?;
        // What starts the gateway may be an agent, and so may be what it says about the policy.
        let choice = Choice {
            only_tightens: true,
            ignores_environment: true,
            ..choice
        };
        Ok(Benches {
            whereabouts,
            choice,
            known: Mutex::default(),
            ask,
            run: Arc::new(Elsewhere(no_sandbox)),
        })
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Arc<Bench>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is in force now; made anew when a policy, a rule or the program itself has changed.
    ///
    /// # Errors
    /// When there is no policy, or nothing can be written down.
    pub(crate) fn of(&self, workspace: &str) -> Result<Arc<Bench>, GatewayError> {
        let place = Path::new(workspace);
        let stands = |bench: &Arc<Bench>| {
            bench
                .sources
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref()
                .is_some_and(Sources::stand)
        };
        if let Some(bench) = self.last(workspace).filter(stands) {
            return Ok(bench);
        }
        // Looked at before anything is read: what changes meanwhile shows the next time. A file that is named has no mark there.
        let sources = if self.choice.file.is_none() {
            Sources::look(&self.whereabouts, place)
        } else {
            None
        };
        let folder = Folder::open(&self.whereabouts.state).map_err(below)?;
        let general = || policy_files::general(&self.whereabouts);
        let bound =
            policy_snapshot::bound(&folder, &self.whereabouts, place, &self.choice, general());
        let mut known = self.known();
        if let Some(bench) = known
            .get(workspace)
            .filter(|bench| bound.is_some() && bench.bound == bound)
        {
            *bench.sources.lock().unwrap_or_else(PoisonError::into_inner) = sources;
            return Ok(Arc::clone(bench));
        }
        let loaded =
            policy_snapshot::load_in(&folder, &self.whereabouts, place, &self.choice, general());
        let settings = workbench::settings(&loaded.policy).ok_or_else(|| {
            let why = loaded.policy.why_broken().unwrap_or("there is none");
            GatewayError::Policy(why.to_owned())
        })?;
        let settings = settings.clone();
        let journal = Journal::open_in(folder).map_err(below)?;
        let recorder = Arc::new(
            Recorder::new(journal, self.whereabouts.uid, &settings).with_log(DecisionLog::new(
                &settings,
                self.whereabouts.home.as_deref(),
            )),
        );
        let policy = Arc::new(loaded.policy);
        if let Some(before) = known.get(workspace) {
            // What waits there is judged by what is in force when it is answered.
            before.gate.set_policy(Arc::clone(&policy)).map_err(below)?;
        }
        let world = RealWorld(Machine::new(self.whereabouts.clone()).guarding(policy.installed()));
        let ports = Ports {
            world: Arc::new(world),
            ask: Arc::clone(&self.ask),
            run: Arc::<Elsewhere>::clone(&self.run),
            store: Arc::<Recorder>::clone(&recorder),
        };
        let gate = Arc::new(Gate::new(ports, policy, How::Interactive, Arc::new(now)));
        let bench = Arc::new(Bench {
            bound,
            sources: Mutex::new(sources),
            gate,
            recorder,
            settings,
        });
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(workspace.to_owned(), Arc::clone(&bench));
        Ok(bench)
    }

    /// What was in force at the last look, for what has to be known at once.
    pub(crate) fn last(&self, workspace: &str) -> Option<Arc<Bench>> {
        self.known().get(workspace).cloned()
    }
}
