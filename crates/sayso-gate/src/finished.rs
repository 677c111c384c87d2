//! What the host gets back for every call, and the words it tells the agent: they never change, so programs may rely on them.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::explain;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::run_mode::Run;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::decide::lacks_answer;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::{visible, visible_block};

use crate::approved::Yes;
use crate::run_result::Ran;

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
    /// The key or word of a no, where one was typed.
    pub typed: Option<String>,
    /// Who said no.
    pub denied_by: Option<DecidedBy>,
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

    /// Who answered, where somebody did.
    fn answered_by(&self) -> Option<&DecidedBy> {
        self.yes
            .as_ref()
            .map(|yes| &yes.by)
            .or(self.denied_by.as_ref())
    }

    /// Who decided it: somebody who answered, or what stands written.
    pub fn decided_by(&self) -> DecidedBy {
        let reason = self.verdict.as_deref().and_then(Verdict::weightiest);
        let rule = reason.map(|reason| &reason.rule);
        DecidedBy::new(self.outcome, self.answered_by().cloned(), rule)
    }

    /// Everything a program may want to know of it.
    pub fn to_node(&self) -> Node {
        let text = |text: &str| Node::text(text);
        let maybe = |text: Option<&str>| text.map_or_else(|| Value::Null.into(), Node::text);
        let flag = |flag: bool| -> Node { Value::Bool(flag).into() };
        let verdict = self.verdict.as_deref();
        let rule = verdict
            .and_then(Verdict::decisive)
            .map(|reason| &reason.rule);
        let said = response(
            self.outcome,
            self.yes.as_ref(),
            self.denied_by.as_ref(),
            self.typed.as_deref(),
        );
        let held = self.held.as_deref().map(|id| ("held", text(id)));
        let parts = [
            ("id", text(&self.id)),
            ("tool", text(&self.tool)),
            ("outcome", text(self.outcome.word())),
            (
                "decision",
                maybe(verdict.map(|verdict| verdict.decision.word())),
            ),
            ("approved", flag(self.outcome.ran())),
            ("auto_approved", flag(self.outcome == Outcome::AutoApproved)),
            ("message", text(&self.message)),
            ("user_response", maybe(said.map(|(typed, _)| typed))),
            ("user_response_word", maybe(said.map(|(_, word)| word))),
            (
                "by",
                maybe(self.answered_by().map(DecidedBy::text).as_deref()),
            ),
            ("by_words", text(&visible(&self.decided_by().words()))),
            ("note", maybe(self.note.as_deref())),
            ("risk", maybe(verdict.map(|verdict| verdict.risk.word()))),
            ("rule", maybe(rule.map(RuleId::name))),
            ("source", maybe(rule.map(RuleId::source).as_deref())),
            (
                "scope",
                maybe(self.yes.as_ref().map(|yes| yes.scope.word())),
            ),
            (
                "digest",
                maybe(self.digest.map(|digest| digest.to_string()).as_deref()),
            ),
            (
                "succeeded",
                self.ran
                    .as_ref()
                    .map_or_else(|| Value::Null.into(), |_| flag(self.succeeded())),
            ),
        ];
        Node::map(parts.into_iter().chain(held))
    }
}

/// What the person answered: as it was typed, and as the word for it. An answer that came without a key is its word.
pub fn response<'a>(
    outcome: Outcome,
    yes: Option<&'a Yes>,
    denied_by: Option<&DecidedBy>,
    typed: Option<&'a str>,
) -> Option<(&'a str, &'static str)> {
    let (typed, word) = match (outcome, yes) {
        (Outcome::Approved, Some(yes)) => (yes.typed.as_deref(), yes.scope.word()),
        (Outcome::Denied, _) => (typed, "deny"),
        // A batch that its host took back was stopped by no person.
        (Outcome::Cancelled, _) if denied_by.is_some() => (typed, "quit"),
        _ => return None,
    };
    Some((typed.unwrap_or(word), word))
}

/// What is said after a yes, so that the person sees what goes on: `approved terminal(make a) in this session; running it`.
pub fn echo(operation: &Operation, yes: Option<&Yes>) -> String {
    let how_far = match yes.map(|yes| yes.scope) {
        Some(Scope::Once) => " once",
        Some(Scope::Batch) => " and what follows in this batch",
        Some(Scope::Session) => " in this session",
        Some(Scope::Project) => " in this project",
        Some(Scope::Always) => " always",
        None => "",
    };
    format!(
        "approved {}{how_far}; running it",
        explain::subject(operation)
    )
}

/// The words for an end that is no run. Each profile keeps those of the system it stands for.
pub fn message(
    profile: &str,
    outcome: Outcome,
    verdict: Option<&Verdict>,
    note: Option<&str>,
) -> String {
    // Only where an answer would have helped may it read as if one would help.
    let lacks = verdict.and_then(lacks_answer);
    let why = || verdict.and_then(first_reason).unwrap_or_default();
    // The words that the person wrote stand behind those of the system.
    let noted = |words: &str| {
        note.map_or_else(
            || words.to_owned(),
            |note| format!("{words}: {}", visible_block(note)),
        )
    };
    let unchanged = |words: &str| format!("{}. nothing was changed", noted(words));
    match (profile, outcome) {
        (_, Outcome::AutoApproved | Outcome::Approved | Outcome::DryRun) => String::new(),
        ("kollabor-spec", Outcome::Denied) => noted("Operation denied by user"),
        ("kollabor-spec", Outcome::TimedOut) => "Operation timed out awaiting approval".to_owned(),
        ("kollabor-spec", Outcome::Cancelled) => noted("User requested to stop execution"),
        ("kollabor-spec", Outcome::Nobody) => format!("Operation requires approval: {}", why()),
        ("kollabor-spec", Outcome::Blocked) if lacks.is_some() => {
            format!("Operation requires approval: {}", why())
        }
        ("kollabor-spec", Outcome::Blocked) => format!("Operation denied by policy: {}", why()),
        ("llm-do", Outcome::Denied) => noted("Approval denied"),
        ("llm-do", Outcome::Blocked) if lacks == Some(Run::Strict) => {
            "Strict mode: approval required".to_owned()
        }
        ("opencode", Outcome::Denied) => noted("permission denied by user"),
        ("opencode", Outcome::TimedOut) => "permission request timed out".to_owned(),
        ("opencode", Outcome::Blocked) => format!(
            "permission denied: operation blocked by configuration ({})",
            why()
        ),
        (_, Outcome::Denied) => unchanged("denied by the person"),
        (_, Outcome::Blocked) => format!("denied by policy: {}. nothing was changed", why()),
        (_, Outcome::TimedOut) => {
            "nobody answered in time, so it was denied. nothing was changed".to_owned()
        }
        (_, Outcome::Cancelled) => unchanged("the person stopped this batch"),
        (_, Outcome::Nobody) => format!(
            "nobody is there to ask, so it was denied ({}). nothing was changed",
            why()
        ),
    }
}

fn first_reason(verdict: &Verdict) -> Option<String> {
    let decisive = verdict.decisive()?;
    Some(format!(
        "{} [{}]",
        visible_block(&decisive.text()),
        decisive.rule.place()
    ))
}
