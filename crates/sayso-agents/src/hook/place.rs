//! What one call of a hook works with: the policy from its snapshot, the journal, and a gate that runs nothing.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use sayso_core::answer::grant::Grant;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{Containment, NoSandbox, RunnerCapabilities};
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Operation};
use sayso_core::decide::Uses;
use sayso_core::policy::Policy;
use sayso_core::policy::settings::Resolved;
use sayso_core::text::node::Node;
use sayso_gate::approved::Approved;
use sayso_gate::entry::{Entry, What};
use sayso_gate::error::StoreError;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::ports::{Later, Ran, Run, Spent, Store};
use sayso_gate::run_result::Brief;
use sayso_store::Folder;
use sayso_store::index::Index;
use sayso_store::journal::Journal;
use sayso_tools::files::{About, Files, Settings};
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;

use crate::hook::error::HookError;
use crate::hook::inbox::Inbox;
use sayso_runtime::assemble::{Choice, FindInstalled, RealWorld};
use sayso_runtime::decision_log::DecisionLog;
use sayso_runtime::outlook::{HookWorld, changed_files};
use sayso_runtime::recorder::Recorder;
use sayso_runtime::sandbox::profile::Bounding;
pub(super) use sayso_runtime::workbench::now;
use sayso_runtime::{policy_snapshot, record_folder, workbench};

/// How a line starts that a person reads and that no shell runs.
const COMMENT: &str = "# ";

/// What one call of a hook works with.
pub(super) struct Place {
    pub whereabouts: Whereabouts,
    pub choice: Choice,
    pub policy: Arc<Policy>,
    pub recorder: Arc<Recorder>,
    grants: Arc<Vec<Grant>>,
    /// The files that the calls of the event change.
    beside: Arc<OnceLock<Vec<PathBuf>>>,
}

/// sayso's own folder.
pub(super) fn state_folder() -> Result<PathBuf, HookError> {
    let whereabouts = record_folder::whereabouts().map_err(HookError::runtime)?;
    Ok(whereabouts.state)
}

impl Place {
    /// Opens what is needed for a workspace.
    ///
    /// # Errors
    /// When there is no policy, or nothing can be written down.
    pub fn open(
        workspace: &str,
        session: &str,
        installed: FindInstalled,
    ) -> Result<Place, HookError> {
        let (whereabouts, files) = record_folder::with_files().map_err(HookError::runtime)?;
        let folder = Folder::open(&whereabouts.state).map_err(HookError::runtime)?;
        // What an agent starts, an agent could set variables for.
        let choice = Choice {
            ignores_environment: true,
            session: Some(session.to_owned()),
            ..Choice::new(installed)
        };
        let loaded =
            policy_snapshot::load_in(&folder, &whereabouts, Path::new(workspace), &choice, files);
        let settings = workbench::settings(&loaded.policy).ok_or_else(|| {
            let why = loaded.policy.why_broken().map(str::to_owned);
            HookError::BrokenPolicy(why)
        })?;
        let journal = Journal::open_in(folder).map_err(HookError::runtime)?;
        let recorder = Arc::new(
            Recorder::new(journal, whereabouts.uid, settings)
                .with_log(DecisionLog::new(settings, whereabouts.home.as_deref())),
        );
        Ok(Place {
            choice,
            policy: Arc::new(loaded.policy),
            recorder,
            grants: Arc::new(loaded.grants),
            beside: Arc::default(),
            whereabouts,
        })
    }

    /// sayso's own folder.
    pub fn state(&self) -> &Path {
        &self.whereabouts.state
    }

    /// What holds for everybody.
    pub fn settings(&self) -> Result<&Resolved, HookError> {
        workbench::settings(&self.policy).ok_or(HookError::NoPolicy)
    }

    /// A gate for the calls of an event, which the agent or `sayso exec` runs.
    pub fn gate(&self, runner: HookRunner) -> Gate {
        let world = HookWorld {
            world: RealWorld(
                Machine::new(self.whereabouts.clone()).guarding(self.policy.installed()),
            ),
            beside: Arc::clone(&self.beside),
        };
        let store = HookStore {
            recorder: Arc::clone(&self.recorder),
            grants: Arc::clone(&self.grants),
        };
        let ports = Ports {
            world: Arc::new(world),
            ask: Arc::new(Inbox::new(self.state())),
            run: Arc::new(runner),
            store: Arc::new(store),
        };
        Gate::new(
            ports,
            Arc::clone(&self.policy),
            How::Interactive,
            Arc::new(now),
        )
    }

    /// What the calls of the event change, for what is said of undo: all of it is kept together.
    pub fn remember_changes(&self, verdicts: &[Verdict]) {
        // Once for each event.
        let _ = self.beside.set(changed_files(verdicts));
    }

    /// Whether a sandbox can stand in for the question about a command in a workspace.
    pub fn containment(&self, workspace: &str) -> SandboxProbe {
        SandboxProbe {
            whereabouts: self.whereabouts.clone(),
            policy: Arc::clone(&self.policy),
            workspace: workspace.to_owned(),
            found: OnceLock::new(),
        }
    }

    /// Keeps the files that a call will change, so that it can be taken back; gives the name that they are kept under. A file that cannot be
    /// kept is no reason to refuse the call: the record says so.
    pub fn keep_files(&self, first: &Call, verdicts: &[Verdict], asked: bool) -> Option<String> {
        let paths = changed_files(verdicts);
        if paths.is_empty() {
            return None;
        }
        let about = About {
            id: first.id.clone(),
            batch: None,
            session: first.session.clone(),
            tool: first.tool.clone(),
            workspace: first.workspace.clone(),
            asked,
            ..About::default()
        };
        let kept = Files::open(self.state(), Settings::default())
            .and_then(|files| files.await_change(about, &paths));
        kept.unwrap_or_else(|why| {
            let what = What::Trouble(format!("a change by an agent cannot be undone: {why}"));
            let _ = self.recorder.append(&Entry {
                at: now(),
                operation: None,
                what,
            });
            None
        })
    }

    /// What became of the files that were kept before a call: the paths that it changed.
    ///
    /// # Errors
    /// When they cannot be looked at.
    pub fn files_changed(&self, name: &str) -> Result<Vec<String>, HookError> {
        let changed = Files::open(self.state(), Settings::default())
            .and_then(|files| files.was_changed(name))
            .map_err(HookError::runtime)?;
        Ok(changed
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect())
    }

    /// The command that runs what is held under an id.
    ///
    /// # Errors
    /// When the program's own path cannot be written in a command.
    pub fn command(&self, id: &str) -> Result<String, HookError> {
        let program = self
            .whereabouts
            .binary
            .to_str()
            .ok_or(HookError::ProgramNotUtf8)?;
        Ok(sayso_shell::quote(&[
            program.to_owned(),
            "exec".to_owned(),
            id.to_owned(),
        ]))
    }

    /// The same below what is held, for a person who reads that first: all of it, as comments, with nothing hidden in them.
    ///
    /// # Errors
    /// When the program's own path cannot be written in a command.
    pub fn command_beside(&self, id: &str, text: &str) -> Result<String, HookError> {
        let shown = sayso_core::text::visible::visible_block(text);
        let comments: String = shown
            .lines()
            .map(|line| format!("{COMMENT}{line}\n"))
            .collect();
        Ok(format!("{comments}{}", self.command(id)?))
    }

    /// Whether the command is one that sayso itself put there: it runs what was approved and nothing else. What stands beside it is comments.
    pub fn is_own_command(&self, input: &Node) -> bool {
        let command = input
            .get("command")
            .and_then(Node::as_text)
            .unwrap_or_default();
        let (comments, bare) = command
            .rsplit_once('\n')
            .map_or((None, command), |(comments, bare)| (Some(comments), bare));
        let id = bare.rsplit(' ').next().unwrap_or_default();
        id.len() == 32
            && id.bytes().all(|byte| byte.is_ascii_hexdigit())
            && self.command(id).is_ok_and(|own| own == bare)
            && comments
                .is_none_or(|comments| comments.split('\n').all(|line| line.starts_with(COMMENT)))
            && !command
                .chars()
                .any(|sign| sign != '\n' && sayso_core::text::visible::is_hidden(sign))
    }

    /// Writes down that something approved was not run after all.
    pub fn was_not_run(&self, operation: &Arc<Operation>) {
        let what = What::Finished {
            succeeded: false,
            started: false,
            milliseconds: 0,
            result: Brief::default(),
        };
        // The agent is told so in any case.
        let _ = self.recorder.append(&Entry {
            at: now(),
            operation: Some(Arc::clone(operation)),
            what,
        });
    }
}

/// Writes everything down, and opens no database for answers that have no number of uses.
struct HookStore {
    recorder: Arc<Recorder>,
    grants: Arc<Vec<Grant>>,
}

impl Store for HookStore {
    fn grants(&self) -> Arc<Vec<Grant>> {
        Arc::clone(&self.grants)
    }

    /// The entry that was written just before is what keeps it.
    fn remember(&self, _: Grant) -> Result<(), StoreError> {
        Ok(())
    }

    fn take(&self, grant: &str) -> bool {
        let endless = self
            .grants
            .iter()
            .any(|one| one.id == grant && one.uses_left.is_none());
        endless || Index::is_at_hand(self.recorder.state()) && self.recorder.take(grant)
    }

    fn spent(&self) -> Option<Arc<dyn Spent>> {
        Some(Arc::new(LazySpent(Arc::clone(&self.recorder))))
    }

    fn spend(&self, rule: &str, most: u64) -> bool {
        Index::is_at_hand(self.recorder.state()) && self.recorder.spend(rule, most)
    }

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        self.recorder.append(entry)
    }
}

/// Looks up how often a rule was used when a rule with a number of uses is met, which is seldom.
struct LazySpent(Arc<Recorder>);

impl fmt::Debug for LazySpent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LazySpent")
    }
}

impl Uses for LazySpent {
    /// Where it cannot be looked up at once, it counts as used up.
    fn count(&self, rule: &str) -> u64 {
        let spent = Index::is_at_hand(self.0.state())
            .then(|| self.0.spent())
            .flatten();
        spent.map_or(u64::MAX, |spent| spent.count(rule))
    }
}

/// Runs nothing: that is the agent's, or that of `sayso exec`.
pub struct HookRunner {
    /// Why a command cannot be run in a sandbox in the agent's place.
    pub no_sandbox: Option<NoSandbox>,
    /// Where a command can run contained in the agent's place.
    pub containment: Option<SandboxProbe>,
}

/// Finds out whether a sandbox bounds commands in a workspace and what they change there can be taken back. That takes its time, so it is
/// tried once, and only for a command that would be asked about.
#[derive(Debug)]
pub struct SandboxProbe {
    whereabouts: Whereabouts,
    policy: Arc<Policy>,
    workspace: String,
    found: OnceLock<bool>,
}

impl SandboxProbe {
    fn probe(&self) -> bool {
        let Some(settings) = workbench::settings(&self.policy) else {
            return false;
        };
        let bounding = Bounding::new(self.whereabouts.clone(), &self.policy, settings);
        bounding.contains()
            && Files::open(&self.whereabouts.state, Settings::default()).is_ok_and(|files| {
                let terms = settings.terms(&self.workspace);
                bounding
                    .keeps(Path::new(&self.workspace), &terms, &files)
                    .is_ok()
            })
    }
}

impl Containment for SandboxProbe {
    fn is_available(&self) -> bool {
        *self.found.get_or_init(|| self.probe())
    }
}

impl Run for HookRunner {
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        let containment: &dyn Containment = match &self.containment {
            Some(probe) if self.no_sandbox.is_none() => probe,
            _ => &false,
        };
        RunnerCapabilities {
            no_sandbox: self.no_sandbox.as_ref(),
            no_sandbox_for_tools: None,
            containment,
        }
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        Box::pin(async { Ran::NotRun("a hook runs nothing".to_owned()) })
    }
}
