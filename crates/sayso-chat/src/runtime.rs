//! What a session stands on: the policy, the gate and the tools, put together anew when a setting or a rule has changed.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::call::operation::Operation;
use sayso_core::policy::Policy;
use sayso_core::policy::decision::Decision;
use sayso_core::policy::mode::Mode;
use sayso_core::policy::settings::Resolved;
use sayso_core::snapshot;
use sayso_core::text::visible::visible;
use sayso_gate::error::StoreError;
use sayso_gate::gate::Gate;
use sayso_gate::ports::Ask;
use sayso_gate::stats::Counts;
use sayso_world::locations::Whereabouts;

use super::mcp_tools::Served;
use crate::error::SourceError;
use sayso_runtime::assemble;
use sayso_runtime::assemble::Choice;
use sayso_runtime::policy_sources::Sources;
use sayso_runtime::runner::Told;
use sayso_runtime::workbench::{Parts, Workbench, settings};

/// Makes somebody who is told what runs; each gate has one.
pub type MakeTold = Box<dyn Fn() -> Told + Send + Sync>;

/// What a session stands on.
pub struct Base {
    whereabouts: Whereabouts,
    workspace: String,
    ask: Arc<dyn Ask>,
    told: MakeTold,
    stopped: Arc<AtomicBool>,
    served: Arc<Served>,
    keys: Arc<Vec<PathBuf>>,
    state: Mutex<State>,
    bench: RwLock<Arc<Bench>>,
}

struct State {
    choice: Choice,
    how: How,
    sources: Option<Sources>,
    /// The mode that an answer switched to, until it counts.
    switch: Option<Mode>,
    /// What the gates before this one counted.
    before: Vec<Counts>,
}

/// Why a session has nothing to stand on.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// With what was found in its files, as whole lines.
    #[error(
        "{0}the policy cannot be read, so everything is denied\nhint: fix it and run `sayso policy check`"
    )]
    Unreadable(String),
    #[error("the policy cannot be read, so everything is denied")]
    NoSettings,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Workbench(SourceError),
}

/// A gate with its tools, as the policy of the moment wants them.
pub struct Bench {
    /// The gate and the record.
    pub workbench: Workbench,
}

impl AsRef<Gate> for Bench {
    fn as_ref(&self) -> &Gate {
        &self.workbench.gate
    }
}

/// A gate that can be handed around.
#[derive(Clone)]
pub struct AtGate(pub Arc<Bench>);

impl AsRef<Gate> for AtGate {
    fn as_ref(&self) -> &Gate {
        &self.0.workbench.gate
    }
}

/// What a session is started with.
pub struct Start {
    /// Where sayso's own things are.
    pub whereabouts: Whereabouts,
    /// The workspace, absolute.
    pub workspace: String,
    /// What the command line says of the policy.
    pub choice: Choice,
    /// What it says of questions.
    pub how: How,
    /// Who is asked.
    pub ask: Arc<dyn Ask>,
    /// Who is told what runs.
    pub told: MakeTold,
    /// The person stopped what runs.
    pub stopped: Arc<AtomicBool>,
    /// The files with keys of models, which no tool reads.
    pub keys: Vec<PathBuf>,
}

impl Base {
    /// Puts everything together.
    ///
    /// # Errors
    /// When the policy cannot be read, or nothing can be recorded.
    pub fn open(start: Start) -> Result<Base, BaseError> {
        let Start {
            whereabouts,
            workspace,
            choice,
            how,
            ask,
            told,
            stopped,
            keys,
        } = start;
        let keys = Arc::new(keys);
        let sources = Sources::look(&whereabouts, Path::new(&workspace));
        let policy = usable(&whereabouts, &workspace, &choice)?;
        let served = Arc::new(Served::load(
            &whereabouts,
            Path::new(&workspace),
            Arc::clone(&stopped),
        ));
        let parts = parts(
            &whereabouts,
            &workspace,
            &policy,
            how,
            &ask,
            told(),
            &stopped,
        );
        let bench = make(parts, &served, &keys)?;
        let state = State {
            choice,
            how,
            sources,
            switch: None,
            before: Vec::new(),
        };
        let bench = RwLock::new(Arc::new(bench));
        Ok(Base {
            whereabouts,
            workspace,
            ask,
            told,
            stopped,
            served,
            keys,
            state: Mutex::new(state),
            bench,
        })
    }

    /// Where sayso's own things are.
    pub fn whereabouts(&self) -> &Whereabouts {
        &self.whereabouts
    }

    /// The workspace.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// The MCP servers of this session.
    pub fn served(&self) -> &Served {
        &self.served
    }

    /// The gate and tools of this moment.
    pub fn bench(&self) -> AtGate {
        AtGate(Arc::clone(
            &self.bench.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// The policy of this moment.
    pub fn policy(&self) -> Arc<Policy> {
        self.bench().as_ref().policy()
    }

    /// The values of this moment, for an agent; none where the policy cannot be read.
    pub fn settings(&self, agent: &str) -> Option<Resolved> {
        let policy = self.policy();
        let view = policy.views().first()?;
        Some(
            view.agents
                .get(agent)
                .unwrap_or(&view.general)
                .settings
                .clone(),
        )
    }

    /// What the command line says by now.
    pub fn choice(&self) -> Choice {
        self.state().choice.clone()
    }

    /// How questions are treated.
    pub fn how(&self) -> How {
        self.state().how
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets another mode count in this session; none goes back to what the files say.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn set_mode(&self, mode: Option<Mode>) -> Result<(), BaseError> {
        self.state().choice.mode = mode;
        self.reload()
    }

    /// A person answered "always edits" (004): the session goes on in mode `auto-approve-edits`. It counts for the next call, not for the one
    /// that was answered.
    pub fn edits_from_now_on(&self, agent: &str) {
        let is_stricter = self
            .settings(agent)
            .is_some_and(|settings| matches!(settings.mode, Mode::ConfirmAll | Mode::Balanced));
        if is_stricter && self.how() == How::Interactive {
            self.state().switch = Some(Mode::AutoApproveEdits);
        }
    }

    /// Lets the mode count that an answer switched to. Gives it where there was one, as it is in force then.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn switch_mode(&self, agent: &str) -> Result<Option<Mode>, BaseError> {
        let Some(mode) = self.state().switch.take() else {
            return Ok(None);
        };
        self.set_mode(Some(mode))?;
        Ok(self.settings(agent).map(|settings| settings.mode))
    }

    /// Lets questions be treated in another way in this session.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn set_how(&self, how: How) -> Result<(), BaseError> {
        self.bench().as_ref().set_how(how)?;
        self.state().how = how;
        Ok(())
    }

    /// Reads the policy again where something of it may have changed.
    ///
    /// # Errors
    /// When it cannot be read; everything is denied then.
    pub fn refresh(&self) -> Result<(), BaseError> {
        if self.state().sources.as_ref().is_some_and(Sources::stand) {
            return Ok(());
        }
        self.reload()
    }

    /// Reads the policy again. It counts at once for whatever is judged from here on, also for questions that are open.
    ///
    /// # Errors
    /// When it cannot be read; everything is denied then.
    pub fn reload(&self) -> Result<(), BaseError> {
        let mut state = self.state();
        state.sources = None;
        let sources = Sources::look(&self.whereabouts, Path::new(&self.workspace));
        let old = self.bench();
        let policy = match usable(&self.whereabouts, &self.workspace, &state.choice) {
            Ok(policy) => policy,
            Err(why) => {
                let broken = Policy::broken(why.to_string());
                old.as_ref().set_policy(Arc::new(broken))?;
                return Err(why);
            }
        };
        if is_same(&old.as_ref().policy(), &policy) {
            state.sources = sources;
            return Ok(());
        }
        old.as_ref().set_policy(Arc::clone(&policy))?;
        let parts = parts(
            &self.whereabouts,
            &self.workspace,
            &policy,
            state.how,
            &self.ask,
            (self.told)(),
            &self.stopped,
        );
        let made = make(parts, &self.served, &self.keys)?;
        state.before.push(old.as_ref().stats.counts());
        *self.bench.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(made);
        state.sources = sources;
        Ok(())
    }

    /// Whether a call would be denied by what holds in this moment, whoever changed it: a yes counts only then.
    pub fn denies_by_now(&self, operation: &Operation) -> bool {
        // Where it cannot be read, everything is denied.
        let _ = self.refresh();
        self.denies(operation)
    }

    /// Whether a call would be denied by now.
    pub fn denies(&self, operation: &Operation) -> bool {
        self.bench().as_ref().denies(operation)
    }

    /// All counts of this session.
    pub fn counts(&self) -> Counts {
        let mut all = self.bench().as_ref().stats.counts();
        for one in &self.state().before {
            all.total += one.total;
            all.double_confirmed += one.double_confirmed;
            all.quit_requested += one.quit_requested;
            all.failed += one.failed;
            for (outcome, count) in &one.outcomes {
                *all.outcomes.entry(*outcome).or_default() += count;
            }
        }
        all
    }
}

/// Whether two policies are the same, values, rules and all.
fn is_same(one: &Policy, other: &Policy) -> bool {
    snapshot::pack(one, &[]) == snapshot::pack(other, &[])
}

fn usable(
    whereabouts: &Whereabouts,
    workspace: &str,
    choice: &Choice,
) -> Result<Arc<Policy>, BaseError> {
    let loaded = assemble::load(whereabouts, Path::new(workspace), choice);
    let findings: String = loaded
        .files
        .iter()
        .filter(|file| file.is_broken())
        .map(|file| file.render())
        .collect();
    match loaded.policy.why_broken() {
        None => Ok(Arc::new(loaded.policy)),
        Some(_) => Err(BaseError::Unreadable(findings)),
    }
}

fn parts(
    whereabouts: &Whereabouts,
    workspace: &str,
    policy: &Arc<Policy>,
    how: How,
    ask: &Arc<dyn Ask>,
    told: Told,
    stopped: &Arc<AtomicBool>,
) -> Parts {
    Parts {
        whereabouts: whereabouts.clone(),
        workspace: PathBuf::from(workspace),
        policy: Arc::clone(policy),
        how,
        dry_run: false,
        ask: Arc::clone(ask),
        told,
        host: Vec::new(),
        stopped: Arc::clone(stopped),
        known: None,
    }
}

fn make(parts: Parts, served: &Served, keys: &Arc<Vec<PathBuf>>) -> Result<Bench, BaseError> {
    settings(&parts.policy).ok_or(BaseError::NoSettings)?;
    let workspace = parts.workspace.clone();
    let workbench = Workbench::open_with(parts, Some(served.servers()))
        .map_err(|error| BaseError::Workbench(error.into()))?;
    if !keys.is_empty() {
        let keys = Arc::clone(keys);
        workbench.gate.add_plugin(
            "key",
            Arc::new(move |_, reading| near_a_key(&keys, &workspace, reading)),
        );
    }
    Ok(Bench { workbench })
}

/// The key of a model is for its endpoint: nothing that is known to read or change it runs, in no mode. A search or a pattern of names that
/// may find it counts as well, and is asked about where the folder holds the workspace, too.
fn near_a_key(keys: &[PathBuf], workspace: &Path, reading: &Reading) -> Option<(Decision, String)> {
    let places = reading
        .effects
        .iter()
        .filter_map(|effect| Some((effect, effect.place()?.fact.as_ref()?)));
    places
        .filter_map(|(effect, fact)| {
            let path = Path::new(&fact.canonical);
            let is_it = |key: &PathBuf| {
                path == key || fact.links.iter().any(|link| Path::new(&link.at) == key)
            };
            if keys.iter().any(is_it) {
                return Some((
                    Decision::Deny,
                    "it is the key of a model, which is for its endpoint alone".to_owned(),
                ));
            }
            let finds = (effect.manner.recursive || effect.manner.listing)
                && keys.iter().any(|key| key.starts_with(path));
            let decision = if workspace.starts_with(path) {
                Decision::Ask
            } else {
                Decision::Deny
            };
            finds.then(|| {
                (
                    decision,
                    format!("the key of a model is below `{}`", visible(&fact.canonical)),
                )
            })
        })
        .max_by_key(|(decision, _)| *decision)
}
