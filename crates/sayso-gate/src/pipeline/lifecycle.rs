//! How a call begins and ends: frozen once, and closed in one place, where it is written down, counted and told.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::{Call, Malformed, Operation};

use super::gate::Gate;
use crate::approved::Yes;
use crate::entry::{Entry, What};
use crate::error::{CallError, StoreError};
use crate::events::{About, Event, EventKind};
use crate::finished::{Finished, message};

/// How a call ends, before it is written down.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub outcome: Outcome,
    pub yes: Option<Yes>,
    pub note: Option<String>,
    /// The key or word of a no, where one was typed.
    pub typed: Option<String>,
    /// Who said no.
    pub by: Option<DecidedBy>,
    pub quit: bool,
    /// The prompt that it ended with.
    pub prompt: Option<Arc<str>>,
    /// What went wrong, where neither the policy nor a person decided.
    pub problem: Option<CallError>,
}

impl End {
    pub(crate) fn of(outcome: Outcome) -> Self {
        End {
            outcome,
            yes: None,
            note: None,
            typed: None,
            by: None,
            quit: false,
            prompt: None,
            problem: None,
        }
    }

    /// A call that went wrong, which is a denial.
    pub(crate) fn problem(why: CallError) -> Self {
        End {
            problem: Some(why),
            ..End::of(Outcome::Blocked)
        }
    }
}

impl Gate {
    /// Checks a call and freezes it. A malformed one is denied here.
    pub(crate) fn freeze(&self, call: Call) -> Result<Arc<Operation>, Box<Finished>> {
        let frozen = self.freeze_quietly(call);
        if let Ok(operation) = &frozen {
            self.announce_start(operation);
        }
        frozen
    }

    /// Tells observers of a call that begins.
    pub(crate) fn announce_start(&self, operation: &Arc<Operation>) {
        let event = self.event(EventKind::ToolCallPre, Some(operation), About::Nothing);
        self.events.publish_above_gate(&event);
    }

    /// The same as [`Gate::freeze`], and no observer hears of a call that is frozen.
    pub(crate) fn freeze_quietly(&self, mut call: Call) -> Result<Arc<Operation>, Box<Finished>> {
        if call.id.is_empty() {
            call.id = self.ids.next("call");
        }
        let (id, tool) = (call.id.clone(), call.tool.clone());
        Operation::freeze(call)
            .map(Arc::new)
            .map_err(|malformed| Box::new(self.refuse_malformed(id, tool, malformed)))
    }

    fn refuse_malformed(&self, id: String, tool: String, malformed: Malformed) -> Finished {
        let text = format!(
            "denied: the call is malformed: {}. nothing was changed",
            sayso_core::text::visible::visible(&malformed.0)
        );
        let end = End::problem(CallError::Malformed(malformed));
        self.events.publish_above_gate(&self.event(
            EventKind::ToolCallPre,
            None,
            About::Words(text.clone()),
        ));
        let what = What::Decided {
            verdict: None,
            outcome: end.outcome,
            yes: None,
            note: None,
            typed: None,
            denied_by: None,
            message: text.clone(),
            profile: self.profile(),
        };
        let _ = self.record(None, what);
        let finished = Finished {
            id,
            tool,
            outcome: end.outcome,
            message: text,
            note: None,
            typed: None,
            denied_by: None,
            yes: None,
            prompt: None,
            verdict: None,
            digest: None,
            ran: None,
            held: None,
        };
        self.announce_end(None, &end, finished.clone());
        finished
    }

    fn profile(&self) -> String {
        self.policy().views().first().map_or_else(
            || "sayso".to_owned(),
            |view| view.general.settings.profile.clone(),
        )
    }

    /// Ends a call that does not run.
    pub(crate) fn refuse(
        &self,
        operation: &Arc<Operation>,
        verdict: &Arc<Verdict>,
        end: End,
    ) -> Box<Finished> {
        // A denial stands whether or not it can be written down.
        if let Err(why) = self.record(Some(operation), self.decided(operation, verdict, &end)) {
            self.tell(
                EventKind::Updated,
                Some(operation),
                About::Words(format!("a denial could not be recorded: {why}")),
            );
        }
        if end.quit {
            self.stats.quit();
            self.tell(EventKind::Quit, Some(operation), About::Nothing);
        }
        Box::new(self.announce(Some(operation), Some(verdict), &end))
    }

    /// The entry of a decision.
    pub(crate) fn decided(&self, operation: &Operation, verdict: &Arc<Verdict>, end: &End) -> What {
        What::Decided {
            verdict: Some(Arc::clone(verdict)),
            outcome: end.outcome,
            yes: end.yes.clone(),
            note: end.note.clone(),
            typed: end.typed.clone(),
            denied_by: end.by.clone(),
            message: self.message(operation, Some(verdict), end),
            profile: self.profile(),
        }
    }

    fn message(&self, operation: &Operation, verdict: Option<&Verdict>, end: &End) -> String {
        if let Some(why) = &end.problem {
            return format!(
                "denied: {}. nothing was changed",
                sayso_core::text::visible::visible(&why.to_string())
            );
        }
        let policy = self.policy();
        message(
            &self.settings(&policy, operation).profile,
            end.outcome,
            verdict,
            end.note.as_deref(),
        )
    }

    /// Ends a call that was never judged.
    pub(crate) fn refuse_unjudged(&self, operation: &Arc<Operation>, end: &End) -> Finished {
        let message = self.message(operation, None, end);
        let what = What::Decided {
            verdict: None,
            outcome: end.outcome,
            yes: None,
            note: end.note.clone(),
            typed: end.typed.clone(),
            denied_by: end.by.clone(),
            message,
            profile: self.profile(),
        };
        if let Err(why) = self.record(Some(operation), what) {
            self.tell(
                EventKind::Updated,
                Some(operation),
                About::Words(format!("a denial could not be recorded: {why}")),
            );
        }
        self.announce(Some(operation), None, end)
    }

    /// The one place where a decision is counted and told, once for each call.
    pub(crate) fn announce(
        &self,
        operation: Option<&Arc<Operation>>,
        verdict: Option<&Arc<Verdict>>,
        end: &End,
    ) -> Finished {
        let message = operation.map_or_else(String::new, |operation| {
            self.message(operation, verdict.map(AsRef::as_ref), end)
        });
        let finished = Finished {
            id: operation.map_or_else(String::new, |operation| operation.id().to_owned()),
            tool: operation.map_or_else(String::new, |operation| operation.tool().to_owned()),
            outcome: end.outcome,
            message,
            note: end.note.clone(),
            typed: end.typed.clone(),
            denied_by: end.by.clone(),
            yes: end.yes.clone(),
            prompt: end
                .prompt
                .clone()
                .or_else(|| end.yes.as_ref().map(|yes| Arc::clone(&yes.prompt))),
            verdict: verdict.cloned(),
            digest: operation.map(|operation| operation.digest()),
            ran: None,
            held: None,
        };
        self.announce_end(operation, end, finished.clone());
        finished
    }

    fn announce_end(&self, operation: Option<&Arc<Operation>>, end: &End, finished: Finished) {
        self.stats.ended(
            end.outcome,
            end.yes.as_ref().map_or(0, |yes| yes.confirmations),
        );
        let finished = Arc::new(finished);
        self.events.publish_below_gate(&self.event(
            EventKind::ToolCallPre,
            operation,
            About::Finished(Arc::clone(&finished)),
        ));
        self.tell(
            EventKind::of(end.outcome),
            operation,
            About::Finished(finished),
        );
    }

    /// Writes an entry of the record.
    pub(crate) fn record(
        &self,
        operation: Option<&Arc<Operation>>,
        what: What,
    ) -> Result<(), StoreError> {
        self.ports.store.append(&Entry {
            at: self.now(),
            operation: operation.cloned(),
            what,
        })
    }

    /// Tells observers.
    pub(crate) fn tell(&self, kind: EventKind, operation: Option<&Arc<Operation>>, about: About) {
        self.events.publish(&self.event(kind, operation, about));
    }

    fn event(&self, kind: EventKind, operation: Option<&Arc<Operation>>, about: About) -> Event {
        Event {
            kind,
            at: self.now(),
            operation: operation.cloned(),
            about,
        }
    }
}
