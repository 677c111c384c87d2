//! What the host gets back for every call, and the words it tells the agent: they never change, so programs may rely on them.

use std::sync::Arc;

use sayso_core::digest::Digest;
use sayso_core::explain;
use sayso_core::node::{Node, Value};
use sayso_core::operation::Operation;
use sayso_core::outcome::Outcome;
use sayso_core::prompt::Scope;
use sayso_core::verdict::{Reason, Verdict};
use sayso_core::visible::visible_block;

use crate::approved::Yes;
use crate::ports::Ran;

/// The end of one call. Every call has exactly one.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The call's id.
    pub id: String,
    /// The tool as it was called.
    pub tool: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the agent is told.
    pub message: String,
    /// What the person wrote with a denial.
    pub note: Option<String>,
    /// Who said no.
    pub denied_by: Option<String>,
    /// Who said yes and how far, where a person did.
    pub yes: Option<Yes>,
    /// The prompt that was answered or ended, where somebody was asked; the last one, where there were two.
    pub prompt: Option<Arc<str>>,
    /// The verdict; none for a call that was malformed.
    pub verdict: Option<Arc<Verdict>>,
    /// The digest of exactly what was judged.
    pub digest: Option<Digest>,
    /// What came of running, where it ran.
    pub ran: Option<Ran>,
    /// The id that it is held under, where it was approved and waits to be run.
    pub held: Option<String>,
}

impl Finished {
    /// Whether it ran and did its work.
    pub fn succeeded(&self) -> bool {
        matches!(self.ran, Some(Ran::Done(_)))
    }

    /// Everything a program may want to know of it.
    pub fn to_node(&self) -> Node {
        let text = |text: &str| Node::text(text);
        let maybe = |text: Option<&str>| text.map_or_else(|| Value::Null.into(), Node::text);
        let flag = |flag: bool| -> Node { Value::Bool(flag).into() };
        let verdict = self.verdict.as_deref();
        let reason = verdict.and_then(decisive);
        let said = match self.outcome {
            Outcome::Approved => self.yes.as_ref().map(|yes| yes.scope.word()),
            Outcome::Denied => Some("deny"),
            _ => None,
        };
        let held = self.held.as_deref().map(|id| ("held", text(id)));
        let parts = [
            ("id", text(&self.id)),
            ("tool", text(&self.tool)),
            ("outcome", text(self.outcome.word())),
            ("decision", maybe(verdict.map(|verdict| verdict.decision.word()))),
            ("approved", flag(self.outcome.ran())),
            ("auto_approved", flag(self.outcome == Outcome::AutoApproved)),
            ("message", text(&self.message)),
            ("user_response", maybe(said)),
            ("by", maybe(self.yes.as_ref().map(|yes| yes.by.as_str()).or(self.denied_by.as_deref()))),
            ("note", maybe(self.note.as_deref())),
            ("risk", maybe(verdict.map(|verdict| verdict.risk.word()))),
            ("rule", maybe(reason.map(|reason| reason.rule.as_str()))),
            ("source", maybe(reason.map(|reason| reason.source.as_str()))),
            ("scope", maybe(self.yes.as_ref().map(|yes| yes.scope.word()))),
            ("digest", maybe(self.digest.map(|digest| digest.to_string()).as_deref())),
            ("succeeded", self.ran.as_ref().map_or_else(|| Value::Null.into(), |_| flag(self.succeeded()))),
        ];
        Node::map(parts.into_iter().chain(held))
    }
}

/// What is said after a yes, so that the person sees what goes on: `approved terminal(make a) in this session; running it`.
pub fn echo(operation: &Operation, yes: Option<&Yes>) -> String {
    let how_far = match yes.map(|yes| yes.scope) {
        Some(Scope::Once) => " once",
        Some(Scope::Batch) => " and the rest of this batch",
        Some(Scope::Session) => " in this session",
        Some(Scope::Project) => " in this project",
        Some(Scope::Always) => " always",
        None => "",
    };
    format!("approved {}{how_far}; running it", explain::subject(operation))
}

/// The words for an end that is no run. Each profile keeps those of the system it stands for.
pub fn message(profile: &str, outcome: Outcome, verdict: Option<&Verdict>, note: Option<&str>) -> String {
    let note = note.map(visible_block);
    let why = || verdict.and_then(first_reason).unwrap_or_default();
    match (profile, outcome) {
        (_, Outcome::AutoApproved | Outcome::Approved | Outcome::DryRun) => String::new(),
        ("kollabor-spec", Outcome::Denied) => "Operation denied by user".to_owned(),
        ("kollabor-spec", Outcome::TimedOut) => "Operation timed out awaiting approval".to_owned(),
        ("kollabor-spec", Outcome::Cancelled) => "User requested to stop execution".to_owned(),
        ("kollabor-spec", Outcome::Blocked | Outcome::Nobody) => format!("Operation requires approval: {}", why()),
        ("llm-do", Outcome::Denied) => match &note {
            Some(note) => format!("Approval denied: {note}"),
            None => "Approval denied".to_owned(),
        },
        ("llm-do", Outcome::Blocked) if is_strict(verdict) => "Strict mode: approval required".to_owned(),
        ("opencode", Outcome::Denied) => "permission denied by user".to_owned(),
        ("opencode", Outcome::TimedOut) => "permission request timed out".to_owned(),
        ("opencode", Outcome::Blocked) => format!("permission denied: operation blocked by configuration ({})", why()),
        (_, Outcome::Denied) => match &note {
            Some(note) => format!("denied by the person: {note}. nothing was changed"),
            None => "denied by the person. nothing was changed".to_owned(),
        },
        (_, Outcome::Blocked) => format!("denied by policy: {}. nothing was changed", why()),
        (_, Outcome::TimedOut) => "nobody answered in time, so it was denied. nothing was changed".to_owned(),
        (_, Outcome::Cancelled) => "the person stopped this batch. nothing was changed".to_owned(),
        (_, Outcome::Nobody) => format!("nobody is there to ask, so it was denied ({}). nothing was changed", why()),
    }
}

/// The reason that counted.
fn decisive(verdict: &Verdict) -> Option<&Reason> {
    verdict.reasons.iter().find(|reason| reason.decision == verdict.decision).or_else(|| verdict.reasons.first())
}

fn first_reason(verdict: &Verdict) -> Option<String> {
    let decisive = decisive(verdict)?;
    // A rule without a name is called by its place.
    let named = decisive.rule != decisive.source;
    let place = if named { format!("{}, {}", decisive.rule, decisive.source) } else { decisive.source.clone() };
    Some(format!("{} [{place}]", visible_block(&decisive.text)))
}

fn is_strict(verdict: Option<&Verdict>) -> bool {
    verdict.is_some_and(|verdict| verdict.reasons.iter().any(|reason| reason.is_built_in("no-answer") && reason.text.starts_with("strict")))
}
