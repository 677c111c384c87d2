//! The gate itself: its ports, its policy, its counts, and the few things that every step of the flow does.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::runner::{NoSandbox, RunnerCapabilities};
use sayso_core::call::operation::Operation;
use sayso_core::policy::Policy;
use sayso_core::policy::settings::Resolved;

use super::plugins::Tighten;
use crate::entry::What;
use crate::error::StoreError;
use crate::events::{About, Bus, EventKind};
use crate::flood::Flood;
use crate::ids::Ids;
use crate::panic_guard::{GuardedStore, GuardedWorld, caught};
use crate::ports::{Ask, Run, Store, World};
use crate::run_mode;
use crate::stats::Stats;

/// The outside.
#[derive(Clone)]
pub struct Ports {
    /// Answers questions about the machine.
    pub world: Arc<dyn World + Send + Sync>,
    /// Asks the person.
    pub ask: Arc<dyn Ask>,
    /// Runs what was approved.
    pub run: Arc<dyn Run>,
    /// Keeps grants and the record.
    pub store: Arc<dyn Store>,
}

/// Runs nothing, and can do nothing: for a runner that panics when it says what it can do.
const BROKEN_RUNNER: RunnerCapabilities<'static> = RunnerCapabilities {
    no_sandbox: Some(&NoSandbox::Host),
    no_sandbox_for_tools: Some(&NoSandbox::Host),
    containment: &false,
};

impl Ports {
    /// What the runner can do.
    pub(crate) fn runner(&self) -> RunnerCapabilities<'_> {
        caught(|| self.run.capabilities(), |_| BROKEN_RUNNER)
    }
}

/// Tells the time, in seconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The gate. Every call goes through it; nothing runs beside it.
pub struct Gate {
    pub(crate) ports: Ports,
    policy: RwLock<Arc<Policy>>,
    /// Grows with every change of policy, mode or plugins.
    rules: AtomicU64,
    how: Mutex<How>,
    dry_run: bool,
    clock: Clock,
    pub(crate) plugins: RwLock<Vec<(String, Tighten)>>,
    /// Tells whoever wants to know.
    pub events: Bus,
    /// Counts how calls ended.
    pub stats: Stats,
    pub(crate) flood: Flood,
    pub(crate) ids: Ids,
    /// How often it judged a call.
    pub(crate) judgements: AtomicU64,
}

impl Gate {
    /// A gate over its ports.
    pub fn new(ports: Ports, policy: Arc<Policy>, how: How, clock: Clock) -> Self {
        // Whatever of them breaks is a denial; asking and running are guarded where they are awaited.
        let ports = Ports {
            world: Arc::new(GuardedWorld(ports.world)),
            store: Arc::new(GuardedStore::new(ports.store)),
            ..ports
        };
        let gate = Gate {
            ports,
            policy: RwLock::new(policy),
            rules: AtomicU64::new(0),
            how: Mutex::new(how),
            dry_run: false,
            clock,
            plugins: RwLock::new(Vec::new()),
            events: Bus::default(),
            stats: Stats::default(),
            flood: Flood::default(),
            ids: Ids::new(),
            judgements: AtomicU64::new(0),
        };
        if matches!(how, How::Yolo | How::ApproveAll) {
            // If this cannot be written, neither can the decisions, and nothing runs.
            let _ = gate.record(
                None,
                What::Mode {
                    from: run_mode::word(How::Interactive).to_owned(),
                    to: run_mode::word(how).to_owned(),
                },
            );
        }
        gate
    }

    /// The same gate, which only judges.
    #[must_use]
    pub fn dry(self) -> Self {
        Gate {
            dry_run: true,
            ..self
        }
    }

    /// The policy in force.
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another policy in force. No open prompt is answered by that.
    pub fn set_policy(&self, policy: Arc<Policy>) -> Result<(), StoreError> {
        let word = |policy: &Policy| {
            policy
                .views()
                .first()
                .map_or("none", |view| view.general.settings.mode.word())
                .to_owned()
        };
        let (from, to) = (word(&self.policy()), word(&policy));
        self.record(
            None,
            What::Mode {
                from,
                to: to.clone(),
            },
        )?;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        self.changed();
        self.tell(
            EventKind::Updated,
            None,
            About::Words(format!("the mode is {to} now")),
        );
        Ok(())
    }

    /// How this run treats questions.
    pub fn how(&self) -> How {
        *self.how.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes how this run treats questions; only a person's own door may call it. No open prompt is answered by that.
    pub fn set_how(&self, how: How) -> Result<(), StoreError> {
        let before = self.how();
        self.record(
            None,
            What::Mode {
                from: run_mode::word(before).to_owned(),
                to: run_mode::word(how).to_owned(),
            },
        )?;
        *self.how.lock().unwrap_or_else(PoisonError::into_inner) = how;
        self.changed();
        self.tell(
            EventKind::Updated,
            None,
            About::Words(format!(
                "questions are treated as {} now",
                run_mode::word(how)
            )),
        );
        Ok(())
    }

    /// Which policy, mode and plugins are in force.
    pub(crate) fn rules(&self) -> u64 {
        self.rules.load(Ordering::SeqCst)
    }

    /// What was approved and has not run is judged again.
    pub(crate) fn changed(&self) {
        self.rules.fetch_add(1, Ordering::SeqCst);
    }

    /// The time. A clock that breaks stands at its end, where whatever expires has expired.
    pub(crate) fn now(&self) -> i64 {
        caught(|| (self.clock)(), |_| i64::MAX)
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// The values that hold for the agent of an operation.
    pub(crate) fn settings<'a>(&self, policy: &'a Policy, operation: &Operation) -> &'a Resolved {
        static FALLBACK: std::sync::LazyLock<Resolved> = std::sync::LazyLock::new(|| {
            sayso_core::policy::settings::Settings::default().resolve()
        });
        match policy.views().first() {
            Some(view) => {
                &view
                    .agents
                    .get(&operation.agent().name)
                    .unwrap_or(&view.general)
                    .settings
            }
            None => &FALLBACK,
        }
    }

    /// The line for the log, where the policy wants one (`show_approval_stats`).
    pub fn stats_line(&self) -> Option<String> {
        let policy = self.policy();
        let shown = policy
            .views()
            .first()
            .is_none_or(|view| view.general.settings.show_approval_stats);
        shown.then(|| self.stats.counts().line())
    }
}
