//! The gate itself: its ports, its policy, its counts, and the few things that every step of the flow does.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sayso_core::decide::Run as How;
use sayso_core::digest::Digest;
use sayso_core::draft::Reading;
use sayso_core::effect::EffectKind;
use sayso_core::operation::{Call, Operation};
use sayso_core::outcome::Outcome;
use sayso_core::policy::Policy;
use sayso_core::policy::settings::Resolved;
use sayso_core::verdict::{Decision, Reason, Verdict};

use crate::approved::Yes;
use crate::entry::{Entry, What};
use crate::events::{About, Bus, Event, EventKind};
use crate::finished::{Finished, message};
use crate::flood::Flood;
use crate::ids::Ids;
use crate::pipeline;
use crate::ports::{Ask, Run, Store, World};
use crate::seal::Sealed;
use crate::start;
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

/// A rule of a plugin. It may only tighten: what it says is taken if it is stricter than the verdict.
pub type Tighten = Arc<dyn Fn(&Operation, &Reading) -> Option<(Decision, String)> + Send + Sync>;

/// Tells the time, in seconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The gate. Every call goes through it; nothing runs beside it.
pub struct Gate {
    pub(crate) ports: Ports,
    policy: RwLock<Arc<Policy>>,
    how: Mutex<How>,
    dry_run: bool,
    clock: Clock,
    plugins: RwLock<Vec<(String, Tighten)>>,
    /// Tells whoever wants to know.
    pub events: Bus,
    /// Counts how calls ended.
    pub stats: Stats,
    pub(crate) flood: Flood,
    pub(crate) ids: Ids,
}

/// How a call ends, before it is written down.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub outcome: Outcome,
    pub yes: Option<Yes>,
    pub note: Option<String>,
    /// Who said no.
    pub by: Option<String>,
    pub quit: bool,
    /// The prompt that it ended with.
    pub prompt: Option<Arc<str>>,
    /// Something of sayso itself went wrong.
    pub trouble: Option<String>,
}

impl End {
    pub(crate) fn of(outcome: Outcome) -> Self {
        End { outcome, yes: None, note: None, by: None, quit: false, prompt: None, trouble: None }
    }

    /// A failure of sayso itself, which is a denial.
    pub(crate) fn trouble(why: &str) -> Self {
        End { trouble: Some(why.to_owned()), ..End::of(Outcome::Blocked) }
    }
}

impl Gate {
    /// A gate over its ports.
    pub fn new(ports: Ports, policy: Arc<Policy>, how: How, clock: Clock) -> Self {
        let gate = Gate {
            ports,
            policy: RwLock::new(policy),
            how: Mutex::new(how),
            dry_run: false,
            clock,
            plugins: RwLock::new(Vec::new()),
            events: Bus::default(),
            stats: Stats::default(),
            flood: Flood::default(),
            ids: Ids::new(),
        };
        if matches!(how, How::Yolo | How::ApproveAll) {
            // If this cannot be written, neither can the decisions, and nothing runs.
            let _ = gate.record(None, What::Mode { from: start::word(How::Interactive).to_owned(), to: start::word(how).to_owned() });
        }
        gate
    }

    /// The same gate, which only judges.
    #[must_use]
    pub fn dry(self) -> Self {
        Gate { dry_run: true, ..self }
    }

    /// The policy in force.
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another policy in force. No open prompt is answered by that.
    pub fn set_policy(&self, policy: Arc<Policy>) -> Result<(), String> {
        let word = |policy: &Policy| policy.views().first().map_or("none", |view| view.general.settings.mode.word()).to_owned();
        let (from, to) = (word(&self.policy()), word(&policy));
        self.record(None, What::Mode { from, to: to.clone() })?;
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        self.tell(EventKind::Updated, None, About::Words(format!("the mode is {to} now")));
        Ok(())
    }

    /// How this run treats questions.
    pub fn how(&self) -> How {
        *self.how.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes how this run treats questions; only a person's own door may call it. No open prompt is answered by that.
    pub fn set_how(&self, how: How) -> Result<(), String> {
        let before = self.how();
        self.record(None, What::Mode { from: start::word(before).to_owned(), to: start::word(how).to_owned() })?;
        *self.how.lock().unwrap_or_else(PoisonError::into_inner) = how;
        self.tell(EventKind::Updated, None, About::Words(format!("questions are treated as {} now", start::word(how))));
        Ok(())
    }

    /// Adds a rule of a plugin.
    pub fn add_plugin(&self, name: impl Into<String>, tighten: Tighten) {
        self.plugins.write().unwrap_or_else(PoisonError::into_inner).push((name.into(), tighten));
    }

    /// The time.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)()
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// The values that hold for the agent of an operation.
    pub(crate) fn settings<'a>(&self, policy: &'a Policy, operation: &Operation) -> &'a Resolved {
        static FALLBACK: std::sync::LazyLock<Resolved> =
            std::sync::LazyLock::new(|| sayso_core::policy::settings::Settings::default().resolve());
        match policy.views().first() {
            Some(view) => &view.agents.get(&operation.agent().name).unwrap_or(&view.general).settings,
            None => &FALLBACK,
        }
    }

    /// Checks a call and freezes it. A malformed one is denied here.
    pub(crate) fn freeze(&self, mut call: Call) -> Result<Arc<Operation>, Box<Finished>> {
        if call.id.is_empty() {
            call.id = self.ids.next("call");
        }
        let (id, tool) = (call.id.clone(), call.tool.clone());
        let frozen = Operation::freeze(call).map(Arc::new);
        if let Ok(operation) = &frozen {
            self.events.publish_above_gate(&self.event(EventKind::ToolCallPre, Some(operation), About::Nothing));
        }
        frozen.map_err(|malformed| {
            let end = End::trouble(&malformed.0);
            let text = format!("denied: the call is malformed: {}. nothing was changed", sayso_core::visible::visible(&malformed.0));
            self.events.publish_above_gate(&self.event(EventKind::ToolCallPre, None, About::Words(text.clone())));
            let profile = self.profile();
            let what = What::Decided {
                verdict: None,
                outcome: end.outcome,
                yes: None,
                note: None,
                denied_by: None,
                message: text.clone(),
                profile,
            };
            let _ = self.record(None, what);
            let finished = Finished {
                id,
                tool,
                outcome: end.outcome,
                message: text,
                note: None,
                yes: None,
                prompt: None,
                verdict: None,
                digest: None,
                ran: None,
            };
            self.close_with(None, &end, finished.clone());
            Box::new(finished)
        })
    }

    fn profile(&self) -> String {
        self.policy().views().first().map_or_else(|| "sayso".to_owned(), |view| view.general.settings.profile.clone())
    }

    /// Ends a call that does not run.
    pub(crate) fn refuse(&self, operation: &Arc<Operation>, verdict: &Arc<Verdict>, end: End) -> Box<Finished> {
        // A denial stands whether or not it can be written down.
        if let Err(why) = self.record(Some(operation), self.decided(operation, verdict, &end)) {
            self.tell(EventKind::Updated, Some(operation), About::Words(format!("a denial could not be recorded: {why}")));
        }
        if end.quit {
            self.stats.quit();
            self.tell(EventKind::Quit, Some(operation), About::Nothing);
        }
        Box::new(self.close(Some(operation), Some(verdict), &end))
    }

    /// The entry of a decision.
    pub(crate) fn decided(&self, operation: &Operation, verdict: &Arc<Verdict>, end: &End) -> What {
        What::Decided {
            verdict: Some(Arc::clone(verdict)),
            outcome: end.outcome,
            yes: end.yes.clone(),
            note: end.note.clone(),
            denied_by: end.by.clone(),
            message: self.message(operation, Some(verdict), end),
            profile: self.profile(),
        }
    }

    fn message(&self, operation: &Operation, verdict: Option<&Verdict>, end: &End) -> String {
        if let Some(why) = &end.trouble {
            return format!("denied: {}. nothing was changed", sayso_core::visible::visible(why));
        }
        let policy = self.policy();
        message(&self.settings(&policy, operation).profile, end.outcome, verdict, end.note.as_deref())
    }

    /// Writes down the end of a call that was never judged.
    pub(crate) fn note_unjudged(&self, operation: &Arc<Operation>, end: &End) {
        let message = self.message(operation, None, end);
        let what = What::Decided {
            verdict: None,
            outcome: end.outcome,
            yes: None,
            note: end.note.clone(),
            denied_by: end.by.clone(),
            message,
            profile: self.profile(),
        };
        if let Err(why) = self.record(Some(operation), what) {
            self.tell(EventKind::Updated, Some(operation), About::Words(format!("a denial could not be recorded: {why}")));
        }
    }

    /// The one place where a call ends: it is counted once and told once.
    pub(crate) fn close(&self, operation: Option<&Arc<Operation>>, verdict: Option<&Arc<Verdict>>, end: &End) -> Finished {
        let message = operation.map_or_else(String::new, |operation| self.message(operation, verdict.map(AsRef::as_ref), end));
        let finished = Finished {
            id: operation.map_or_else(String::new, |operation| operation.id().to_owned()),
            tool: operation.map_or_else(String::new, |operation| operation.tool().to_owned()),
            outcome: end.outcome,
            message,
            note: end.note.clone(),
            yes: end.yes.clone(),
            prompt: end.prompt.clone().or_else(|| end.yes.as_ref().map(|yes| Arc::clone(&yes.prompt))),
            verdict: verdict.cloned(),
            digest: operation.map(|operation| operation.digest()),
            ran: None,
        };
        self.close_with(operation, end, finished.clone());
        finished
    }

    fn close_with(&self, operation: Option<&Arc<Operation>>, end: &End, finished: Finished) {
        self.stats.ended(end.outcome, end.yes.as_ref().map_or(0, |yes| yes.confirmations));
        let finished = Arc::new(finished);
        self.events.publish_below_gate(&self.event(EventKind::ToolCallPre, operation, About::Finished(Arc::clone(&finished))));
        self.tell(EventKind::of(end.outcome), operation, About::Finished(finished));
    }

    /// Writes an entry of the record.
    pub(crate) fn record(&self, operation: Option<&Arc<Operation>>, what: What) -> Result<(), String> {
        self.ports.store.append(&Entry { at: self.now(), operation: operation.cloned(), what })
    }

    /// Tells observers.
    pub(crate) fn tell(&self, kind: EventKind, operation: Option<&Arc<Operation>>, about: About) {
        self.events.publish(&self.event(kind, operation, about));
    }

    fn event(&self, kind: EventKind, operation: Option<&Arc<Operation>>, about: About) -> Event {
        Event { kind, at: self.now(), operation: operation.cloned(), about }
    }

    /// The grant that allowed an operation, if one did.
    pub(crate) fn granted_by(&self, verdict: &Verdict) -> Option<String> {
        if verdict.decision != Decision::Allow {
            return None;
        }
        let reason = verdict.reasons.iter().find(|reason| reason.rule == "grant" && reason.source.starts_with("grant "))?;
        reason.source.strip_prefix("grant ").map(str::to_owned)
    }

    /// Whether what was shown is no longer so.
    pub(crate) fn has_changed(&self, operation: &Operation, shown: &Reading, files: &[Sealed], before: Digest) -> bool {
        let now = pipeline::read(self.ports.world.as_ref(), operation);
        self.ports.world.seal(files) != Some(before) || without_sizes(shown) != without_sizes(&now)
    }

    /// Lets plugins make a verdict stricter. One that breaks makes it a denial.
    pub(crate) fn tighten(&self, operation: &Operation, reading: &Reading, verdict: &mut Verdict) {
        for (name, plugin) in self.plugins.read().unwrap_or_else(PoisonError::into_inner).iter() {
            let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| plugin(operation, reading)));
            let (decision, text) = match said {
                Ok(None) => continue,
                Ok(Some(said)) => said,
                Err(panic) => (Decision::Deny, format!("the plugin broke: {}", crate::guarded::words(panic.as_ref()))),
            };
            // Nobody can be asked in a run that does not ask.
            let decision =
                if decision == Decision::Ask && matches!(self.how(), How::Strict | How::Nobody) { Decision::Deny } else { decision };
            if decision > verdict.decision {
                verdict.decision = decision;
                let reason = Reason {
                    decision,
                    rule: name.clone(),
                    source: format!("plugin {name}"),
                    text,
                    must_ask: decision == Decision::Ask,
                    at: None,
                };
                verdict.reasons.insert(0, reason);
                if decision == Decision::Ask {
                    verdict.confirm = verdict.confirm.max(sayso_core::verdict::Confirm::Single);
                }
            }
        }
    }
}

/// A reading without what changes all the time and means nothing: how large a file is that is only looked at.
fn without_sizes(reading: &Reading) -> Reading {
    let mut reading = reading.clone();
    for effect in reading.effects.iter_mut().filter(|effect| effect.kind == EffectKind::Read) {
        if let sayso_core::effect::Target::Path(place) = &mut effect.target
            && let Some(fact) = &mut place.fact
        {
            fact.size = None;
        }
    }
    reading
}
