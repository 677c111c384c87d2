//! Operations that are submitted here: judged by a gate for their workspace, written down, and asked about where they have to be.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::{Call, Operation, is_possible_folder};
use sayso_core::policy::decision::Decision;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::approved::Approved;
use sayso_gate::batch_context::Turn;
use sayso_gate::entry::{Entry, What};
use sayso_gate::error::StoreError;
use sayso_gate::events::{About, Event, EventKind, Kinds, Names, Priority, names};
use sayso_gate::finished::Finished;
use sayso_gate::gate::{Gate, Ports};
use sayso_gate::pipeline::{self, Judged};
use sayso_gate::ports::{Ask, Later, Ran, Run, Store as _};
use sayso_gate::presentation::prompt_to_node;
use sayso_gate::presentation::tool_drawing::Given;
use sayso_gate::run_result::Brief;
use sayso_store::Folder;
use sayso_store::journal::Journal;
use sayso_world::locations::Whereabouts;
use sayso_world::machine::Machine;
use sayso_world::policy_files;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::error::{RandomError, SourceError};
use super::feed::Feed;
use super::inbox::Inbox;
use super::item::{Door as Which, Posted};
use super::secret::Secret;
use sayso_runtime::assemble::{Choice, FindInstalled, RealWorld};
use sayso_runtime::decision_log::DecisionLog;
use sayso_runtime::policy_sources::Sources;
use sayso_runtime::recorder::Recorder;
use sayso_runtime::{policy_snapshot, workbench};

/// So many workspaces are kept ready.
const WORKSPACES: usize = 64;
/// So many operations that are over are remembered.
const REMEMBERED: usize = 2048;

tokio::task_local! {
    /// The operation that is being judged on this task.
    static SUBMITTED: Arc<Submitted>;
}

/// The door.
pub(super) struct Door {
    whereabouts: Whereabouts,
    installed: FindInstalled,
    inbox: Arc<dyn Inbox>,
    feed: Arc<dyn Feed>,
    pin: bool,
    benches: Mutex<HashMap<String, Arc<Bench>>>,
    submitted: Mutex<HashMap<String, Arc<Submitted>>>,
    over: Over,
}

/// The ids of those that are over, the oldest first.
type Over = Arc<Mutex<VecDeque<String>>>;

/// What a workspace is judged with.
struct Bench {
    bound: Option<Digest>,
    /// What that was made from; none where it has to be read each time.
    sources: Mutex<Option<Sources>>,
    gate: Arc<Gate>,
    recorder: Arc<Recorder>,
}

/// An operation that was submitted.
pub(super) struct Submitted {
    /// By which it is asked for; hard to guess.
    pub id: String,
    call_id: String,
    bench: Arc<Bench>,
    /// The tool's own picture of it.
    given: Option<Given>,
    state: watch::Sender<State>,
    task: Mutex<Option<AbortHandle>>,
    reported: Mutex<bool>,
    over: Over,
}

/// What became of it.
#[derive(Clone, Default)]
pub(super) struct State {
    /// The prompt that is open, or was the last.
    pub prompt: Option<String>,
    /// The digest of what is asked about.
    digest: Option<String>,
    /// Its end.
    pub done: Option<Arc<Done>>,
}

/// The end of an operation.
pub(super) struct Done {
    outcome: Outcome,
    message: String,
    note: Option<String>,
    by: Option<DecidedBy>,
    decided_by: DecidedBy,
    scope: Option<&'static str>,
    risk: Option<&'static str>,
    tier: Option<&'static str>,
    prompt: Option<String>,
    digest: Option<String>,
    /// What may run.
    operation: Option<Arc<Operation>>,
}

/// Why no call is taken for a workspace.
#[derive(Debug, thiserror::Error)]
pub(super) enum DoorError {
    /// Why it is broken; none where there is no policy.
    #[error("the policy cannot be read, so everything is denied: {}", .0.as_deref().unwrap_or("there is none"))]
    Policy(Option<String>),
    #[error("{0}")]
    Record(SourceError),
    #[error("{0}")]
    Observe(SourceError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Random(#[from] RandomError),
}

impl Door {
    pub(super) fn new(
        whereabouts: Whereabouts,
        installed: FindInstalled,
        inbox: Arc<dyn Inbox>,
        feed: Arc<dyn Feed>,
        pin: bool,
    ) -> Door {
        Door {
            whereabouts,
            installed,
            inbox,
            feed,
            pin,
            benches: Mutex::default(),
            submitted: Mutex::default(),
            over: Over::default(),
        }
    }

    /// The bench for a workspace, made anew when a policy, a rule or the program itself has changed.
    fn bench(&self, workspace: &str) -> Result<Arc<Bench>, DoorError> {
        let path = Path::new(workspace);
        let known = self
            .benches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(workspace)
            .cloned();
        let stands = |bench: &Arc<Bench>| {
            bench
                .sources
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_ref()
                .is_some_and(Sources::stand)
        };
        if let Some(bench) = known.as_ref().filter(|bench| stands(bench)) {
            return Ok(Arc::clone(bench));
        }
        let choice = Choice {
            ignores_environment: true,
            ..Choice::new(self.installed)
        };
        let folder = Folder::open(&self.whereabouts.state)
            .map_err(|error| DoorError::Record(error.into()))?;
        // Looked at before it is read: what changes in between shows the next time.
        let sources = Sources::look(&self.whereabouts, path);
        let bound = policy_snapshot::bound(
            &folder,
            &self.whereabouts,
            path,
            &choice,
            policy_files::general(&self.whereabouts),
        );
        if let Some(bench) = known.filter(|bench| bound.is_some() && bench.bound == bound) {
            *bench.sources.lock().unwrap_or_else(PoisonError::into_inner) = sources;
            return Ok(bench);
        }
        let loaded = policy_snapshot::load_in(
            &folder,
            &self.whereabouts,
            path,
            &choice,
            policy_files::general(&self.whereabouts),
        );
        let settings = workbench::settings(&loaded.policy)
            .ok_or_else(|| DoorError::Policy(loaded.policy.why_broken().map(str::to_owned)))?;
        let journal = Journal::open_in(folder).map_err(|error| DoorError::Record(error.into()))?;
        let recorder = Arc::new(
            Recorder::new(journal, self.whereabouts.uid, settings)
                .with_log(DecisionLog::new(settings, self.whereabouts.home.as_deref())),
        );
        let ports = Ports {
            world: Arc::new(RealWorld(
                Machine::new(self.whereabouts.clone()).guarding(loaded.policy.installed()),
            )),
            ask: Arc::new(AsksHere {
                inbox: Arc::clone(&self.inbox),
                pin: self.pin,
            }),
            run: Arc::new(RunsNothing),
            store: Arc::<Recorder>::clone(&recorder),
        };
        let policy = Arc::new(loaded.policy);
        let before = self
            .benches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(workspace)
            .cloned();
        if let Some(before) = before {
            // What waits there is judged by what is in force when it is answered.
            before.gate.set_policy(Arc::clone(&policy))?;
        }
        let gate = Gate::new(ports, policy, How::Interactive, Arc::new(now));
        let feed = Arc::clone(&self.feed);
        let observing = gate
            .events
            .observe("inbox", Priority::DISPLAY, Kinds::ALL, move |event| {
                tell(feed.as_ref(), event)
            })
            .map_err(|error| DoorError::Observe(error.into()))?;
        observing.keep();
        let bench = Arc::new(Bench {
            bound,
            sources: Mutex::new(sources.filter(|_| bound.is_some())),
            gate: Arc::new(gate),
            recorder,
        });
        let mut benches = self.benches.lock().unwrap_or_else(PoisonError::into_inner);
        if benches.len() >= WORKSPACES {
            // Those of operations that wait stay: a policy that gets stricter counts for them, too.
            benches.retain(|_, bench| Arc::strong_count(bench) > 1);
        }
        benches.insert(workspace.to_owned(), Arc::clone(&bench));
        Ok(bench)
    }

    /// Puts the policy in force that a workspace has now, before an answer for it counts.
    pub(super) fn refresh(&self, workspace: &str) -> Result<(), DoorError> {
        let is_known = self
            .benches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains_key(workspace);
        if is_known {
            self.bench(workspace).map(drop)
        } else {
            Ok(())
        }
    }

    /// Judges a call and writes nothing down.
    pub(super) fn check(
        &self,
        call: Call,
    ) -> Result<Result<Judged, sayso_core::call::operation::Malformed>, DoorError> {
        let operation = match Operation::freeze(call) {
            Ok(operation) => operation,
            Err(malformed) => return Ok(Err(malformed)),
        };
        let bench = self.bench(operation.workspace())?;
        let policy = bench.gate.policy();
        let world = RealWorld(Machine::new(self.whereabouts.clone()).guarding(policy.installed()));
        // Whether scripts are still those that were shown is looked at when something runs; here such a grant is left out.
        let grants: Vec<_> = bench
            .recorder
            .grants()
            .iter()
            .filter(|grant| grant.seal.is_none())
            .cloned()
            .collect();
        let judging = pipeline::Bench {
            world: &world,
            policy: &policy,
            grants: &grants,
            uses: None,
            run: How::Interactive,
            now: now(),
            runner: sayso_core::answer::runner::RunnerCapabilities::JUDGE_ONLY,
            trace: false,
        };
        Ok(Ok(pipeline::judge(&judging, &operation)))
    }

    /// Takes a call: it is decided at once, or somebody has to be asked, and then it waits by itself.
    pub(super) async fn submit(
        &self,
        call: Call,
        given: Option<Given>,
    ) -> Result<Arc<Submitted>, DoorError> {
        // A folder that cannot be has no policy; the call is denied for it.
        let bench = self.bench(if is_possible_folder(&call.workspace) {
            &call.workspace
        } else {
            "/"
        })?;
        let submitted = Arc::new(Submitted {
            id: format!(
                "operation-{}",
                Secret::fresh()?.word().get(..32).unwrap_or_default()
            ),
            call_id: call.id.clone(),
            bench: Arc::clone(&bench),
            given,
            state: watch::channel(State::default()).0,
            task: Mutex::new(None),
            reported: Mutex::new(false),
            over: Arc::clone(&self.over),
        });
        let mut held = {
            let (submitted, gate) = (Arc::clone(&submitted), Arc::clone(&bench.gate));
            let held = async move { gate.hold(call, &mut Turn::alone()).await };
            Box::pin(SUBMITTED.scope(submitted, held))
        };
        {
            let mut known = self
                .submitted
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            known.insert(submitted.id.clone(), Arc::clone(&submitted));
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            while over.len() > REMEMBERED {
                over.pop_front().map(|oldest| known.remove(&oldest));
            }
        }
        // Where nobody has to be asked it is decided with the first step, and no task is needed.
        let first =
            std::future::poll_fn(|context| std::task::Poll::Ready(poll(held.as_mut(), context)))
                .await;
        match first {
            Some(result) => submitted.finish(done(result)),
            None => {
                let waiting = Arc::clone(&submitted);
                let task = tokio::spawn(async move {
                    let result = held.await;
                    waiting.finish(done(result));
                });
                *submitted
                    .task
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
            }
        }
        Ok(submitted)
    }

    /// One that was submitted.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Submitted>> {
        self.submitted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }
}

/// Tells what happens to an operation. What the queue and the record tell for every door is not told twice.
fn tell(feed: &dyn Feed, event: &Event) {
    let Some(name) = names::name(event.kind, Names::Sayso) else {
        return;
    };
    let session = event
        .operation
        .as_ref()
        .map(|operation| operation.session().to_owned())
        .unwrap_or_default();
    match event.kind {
        EventKind::Requested
        | EventKind::Responded
        | EventKind::Updated
        | EventKind::ToolCallPost => return,
        // Told with the question, before it.
        EventKind::Check if matches!(&event.about, About::Verdict(verdict) if verdict.decision == Decision::Ask) =>
        {
            return;
        }
        EventKind::ToolCallPre | EventKind::Check | EventKind::ApproveAll | EventKind::Quit => {
            return feed.tell_others(&session, event.clone());
        }
        _ => {}
    }
    // Whoever listens has it written; mostly nobody does.
    feed.tell(name, &session, None, Some(event.clone()), None);
}

/// The result of the first step; none if it waits.
fn poll<F: Future>(future: Pin<&mut F>, context: &mut std::task::Context<'_>) -> Option<F::Output> {
    match future.poll(context) {
        std::task::Poll::Ready(result) => Some(result),
        std::task::Poll::Pending => None,
    }
}

impl Submitted {
    /// What became of it so far.
    pub(super) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Waits for its end, but not longer than this.
    pub(super) async fn wait(&self, longest: std::time::Duration) -> State {
        let mut state = self.state.subscribe();
        let ended = async { drop(state.wait_for(|state| state.done.is_some()).await) };
        let _ = tokio::time::timeout(longest, ended).await;
        self.state()
    }

    fn finish(&self, done: Done) {
        let may_run = done.operation.clone();
        let mut is_first = false;
        self.state.send_modify(|state| {
            if state.done.is_none() {
                is_first = true;
                state.done = Some(Arc::new(done));
            }
        });
        if is_first {
            self.over
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push_back(self.id.clone());
        }
        if let (false, Some(operation)) = (is_first, may_run) {
            // It was taken back in the same moment, so whoever asked does not run it.
            self.write_end(&operation, false, false, 0, None);
        }
    }

    /// Takes it back, if it is not decided.
    pub(super) fn take_back(&self) {
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if self.state.borrow().done.is_some() {
            return;
        }
        let message = "denied: it was taken back. nothing was changed".to_owned();
        self.finish(Done {
            outcome: Outcome::Cancelled,
            message,
            ..Done::nothing()
        });
        if let Some(task) = task {
            // The gate writes its end down when its future is dropped.
            task.abort();
        }
    }

    /// Writes down what came of running it; false if that was done before, or it may not run.
    pub(super) fn report(
        &self,
        succeeded: bool,
        started: bool,
        milliseconds: u64,
        exit: Option<String>,
    ) -> Result<bool, StoreError> {
        let Some(operation) = self
            .state
            .borrow()
            .done
            .as_ref()
            .and_then(|done| done.operation.clone())
        else {
            return Ok(false);
        };
        if std::mem::replace(
            &mut *self.reported.lock().unwrap_or_else(PoisonError::into_inner),
            true,
        ) {
            return Ok(false);
        }
        self.append(&operation, succeeded, started, milliseconds, exit)
            .map(|()| true)
    }

    fn write_end(
        &self,
        operation: &Arc<Operation>,
        succeeded: bool,
        started: bool,
        milliseconds: u64,
        exit: Option<String>,
    ) {
        // The decision stands in the record in any case.
        let _ = self.append(operation, succeeded, started, milliseconds, exit);
    }

    fn append(
        &self,
        operation: &Arc<Operation>,
        succeeded: bool,
        started: bool,
        milliseconds: u64,
        exit: Option<String>,
    ) -> Result<(), StoreError> {
        let what = What::Finished {
            succeeded,
            started,
            milliseconds,
            result: Brief {
                exit,
                ..Brief::default()
            },
        };
        let entry = Entry {
            at: now(),
            operation: Some(Arc::clone(operation)),
            what,
        };
        self.bench.recorder.append(&entry)
    }

    /// As a value, and whether somebody is still asked.
    pub(super) fn node(&self, state: &State) -> (Node, bool) {
        let maybe = |text: Option<&str>| text.map_or_else(|| Value::Null.into(), Node::text);
        let done = state.done.as_deref();
        let word = match done {
            None => "asking",
            Some(done) if done.operation.is_some() => "allowed",
            Some(_) => "denied",
        };
        let of = |get: fn(&Done) -> Option<&str>| maybe(done.and_then(get));
        let prompt = done
            .and_then(|done| done.prompt.as_deref())
            .or(state.prompt.as_deref());
        let node = Node::map([
            ("id", Node::text(&self.id)),
            ("call_id", Node::text(&self.call_id)),
            ("state", Node::text(word)),
            ("outcome", maybe(done.map(|done| done.outcome.word()))),
            (
                "message",
                Node::text(done.map_or("", |done| done.message.as_str())),
            ),
            ("note", of(|done| done.note.as_deref())),
            (
                "by",
                maybe(
                    done.and_then(|done| done.by.as_ref())
                        .map(DecidedBy::text)
                        .as_deref(),
                ),
            ),
            (
                "by_words",
                maybe(
                    done.map(|done| visible(&done.decided_by.words()).into_owned())
                        .as_deref(),
                ),
            ),
            ("scope", of(|done| done.scope)),
            ("risk", of(|done| done.risk)),
            ("tier", of(|done| done.tier)),
            ("prompt", maybe(prompt)),
            (
                "digest",
                maybe(
                    done.and_then(|done| done.digest.as_deref())
                        .or(state.digest.as_deref()),
                ),
            ),
        ]);
        (node, done.is_none())
    }
}

impl Done {
    fn nothing() -> Done {
        Done {
            outcome: Outcome::Blocked,
            message: String::new(),
            note: None,
            by: None,
            decided_by: DecidedBy::Nobody,
            scope: None,
            risk: None,
            tier: None,
            prompt: None,
            digest: None,
            operation: None,
        }
    }
}

/// The end of a call as the gate gives it.
fn done(result: Result<Approved, Box<Finished>>) -> Done {
    match result {
        Ok(approved) => {
            let (verdict, yes) = (approved.verdict(), approved.yes());
            Done {
                outcome: approved.outcome(),
                by: yes.map(|yes| yes.by.clone()),
                decided_by: approved.decided_by(),
                scope: yes.map(|yes| yes.scope.word()),
                risk: Some(verdict.risk.word()),
                tier: Some(verdict.tier.word()),
                prompt: yes.map(|yes| yes.prompt.to_string()),
                digest: Some(verdict.digest.to_string()),
                operation: Some(Arc::new(approved.operation().clone())),
                ..Done::nothing()
            }
        }
        Err(finished) => Done {
            outcome: finished.outcome,
            message: finished.message.clone(),
            note: finished.note.clone(),
            by: finished.denied_by.clone(),
            decided_by: finished.decided_by(),
            risk: finished.verdict.as_ref().map(|verdict| verdict.risk.word()),
            tier: finished.verdict.as_ref().map(|verdict| verdict.tier.word()),
            prompt: finished.prompt.as_ref().map(ToString::to_string),
            digest: finished.digest.map(|digest| digest.to_string()),
            ..Done::nothing()
        },
    }
}

/// Asks in the inbox.
struct AsksHere {
    inbox: Arc<dyn Inbox>,
    pin: bool,
}

impl Ask for AsksHere {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        let given = SUBMITTED
            .try_with(|submitted| submitted.given.clone())
            .ok()
            .flatten();
        let prompt = match given {
            Some(given) => Arc::new(Prompt {
                presentation: given.draw(&prompt),
                ..(*prompt).clone()
            }),
            None => prompt,
        };
        let document = prompt_to_node(&prompt);
        let id = prompt.id.clone();
        // Said before it is posted: whoever hears of the prompt can ask for the operation.
        let digest = prompt.operation.digest().to_string();
        let _ = SUBMITTED.try_with(|submitted| {
            submitted
                .state
                .send_modify(|state| (state.prompt, state.digest) = (Some(id), Some(digest)));
        });
        Box::pin(
            self.inbox
                .post(Posted::new(prompt, &document, Which::Http, None, self.pin)),
        )
    }
}

/// The submitter runs it.
struct RunsNothing;

impl Run for RunsNothing {
    /// The sender runs it.
    fn capabilities(&self) -> RunnerCapabilities<'_> {
        RunnerCapabilities::without_sandbox(&NoSandbox::Submitter)
    }

    fn run<'a>(&'a self, _: Approved) -> Later<'a, Ran> {
        Box::pin(async { Ran::NotRun("the inbox runs nothing".to_owned()) })
    }
}

/// The time, in seconds since 1970.
fn now() -> i64 {
    super::now_ms() / 1000
}
