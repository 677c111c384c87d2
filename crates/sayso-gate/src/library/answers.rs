//! How people answer a host: by a function that is asked, by a script of a test, or with what the host asked by itself.

use std::sync::Arc;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round};

use crate::ports::{Ask, Later};
use crate::simulated::{Say, Simulated};

/// So often a question is shown again with all its details; who still does not answer says no.
const MOST_VIEWS: usize = 100;

/// What a person can do with a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalDecision {
    /// Yes, this once.
    Approve,
    /// No.
    Deny,
    /// Yes, and the rest of the batch.
    ApproveAll,
    /// No, and nothing more of the batch.
    Quit,
    /// Show all of it; the question stays open.
    ViewDetails,
    /// No answer came in time.
    Timeout,
}

/// All of them with their word, which never changes.
pub const DECISIONS: [(ApprovalDecision, &str); 6] = [
    (ApprovalDecision::Approve, "approve"),
    (ApprovalDecision::Deny, "deny"),
    (ApprovalDecision::ApproveAll, "approve_all"),
    (ApprovalDecision::Quit, "quit"),
    (ApprovalDecision::ViewDetails, "view_details"),
    (ApprovalDecision::Timeout, "timeout"),
];

impl ApprovalDecision {
    /// Its word.
    pub fn word(self) -> &'static str {
        DECISIONS
            .iter()
            .find(|(decision, _)| *decision == self)
            .map_or("deny", |(_, word)| word)
    }

    /// The one of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        DECISIONS
            .iter()
            .find(|(_, name)| *name == word)
            .map(|(decision, _)| *decision)
    }

    /// How it ends a prompt. What the prompt does not offer is a denial.
    fn end(self, prompt: &Prompt, by: DecidedBy) -> Ended {
        let offer = |scope| prompt.yes(scope).map_or(Choice::Deny, Choice::Offer);
        let choice = match self {
            ApprovalDecision::Timeout => return Ended::TimedOut,
            ApprovalDecision::Approve => offer(Scope::Once),
            ApprovalDecision::ApproveAll => offer(Scope::Batch),
            ApprovalDecision::Deny | ApprovalDecision::ViewDetails => Choice::Deny,
            ApprovalDecision::Quit => Choice::Quit,
        };
        Ended::Answered {
            answer: prompt.answer(choice),
            by,
        }
    }
}

/// What is put before the person.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The question.
    pub prompt: &'a Prompt,
    /// The person wants to see all of it: [`Presentation::whole`](sayso_core::prompt::presentation::Presentation::whole).
    pub whole: bool,
}

/// A person who is asked by a function. It is called where the gate is polled, so it may block that thread and no other.
///
/// After [`ApprovalDecision::ViewDetails`] it is called again, with `whole`. If it panics, that is a denial.
///
/// ```
/// use std::sync::Arc;
/// use sayso_core::text::node::Node;
/// use sayso_gate::library::{ApprovalDecision, GatedTools, Nowhere, Tool, person};
///
/// let careful = person("ann", |shown| match shown.whole {
///     false => ApprovalDecision::ViewDetails,
///     true if shown.prompt.description.contains("example.com") => ApprovalDecision::Approve,
///     true => ApprovalDecision::Deny,
/// });
/// let send = Tool::new("send_email", |_| Ok::<_, String>(Node::text("sent")));
/// let tools = GatedTools::builder("/ws", Arc::new(Nowhere)).person(careful).tool(send).build()?;
/// let to = |to: &str| Node::map([("to", Node::text(to))]);
/// assert!(pollster::block_on(tools.call("send_email", to("ann@example.com"))).is_ok());
/// assert!(pollster::block_on(tools.call("send_email", to("eve@example.org"))).is_err());
/// # Ok::<(), sayso_gate::error::BuildError>(())
/// ```
pub fn person<F>(name: impl Into<String>, ask: F) -> Arc<dyn Ask>
where
    F: Fn(Shown<'_>) -> ApprovalDecision + Send + Sync + 'static,
{
    Arc::new(Asked {
        name: name.into(),
        ask,
    })
}

/// A person for tests who answers by a script, and with no when it is over.
pub fn simulate_user_approval(script: impl IntoIterator<Item = Say>) -> Simulated {
    Simulated::new(script)
}

struct Asked<F> {
    name: String,
    ask: F,
}

impl<F: Fn(Shown<'_>) -> ApprovalDecision + Send + Sync> Ask for Asked<F> {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let prompt = &*prompt;
            let said = (0..MOST_VIEWS)
                .map(|view| {
                    (self.ask)(Shown {
                        prompt,
                        whole: view > 0,
                    })
                })
                .find(|said| *said != ApprovalDecision::ViewDetails);
            said.unwrap_or(ApprovalDecision::ViewDetails)
                .end(prompt, DecidedBy::from_text(&self.name))
        })
    }
}

/// What the person did with a question that the host itself asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Allow this time only.
    Once,
    /// Allow from now on in this session, or as far as [`Response::scope`] says; what is dangerous is allowed once and no more.
    Always,
    /// Allow by a pattern of the person's own. One that does not fit, or is far too wide, is a denial.
    Pattern(String),
    /// No.
    Reject,
}

/// What the person answered to a question that the host itself asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// What they did.
    pub action: Action,
    /// The message for the agent with a denial.
    pub note: Option<String>,
    /// Who it was.
    pub by: String,
    /// How far a yes that is kept reaches. Without it that is the session, and nothing wider.
    pub scope: Option<Scope>,
    /// How often they were asked and said so. A question that [needs two](super::Request::needs_two) is denied with less than 2.
    pub confirmations: u8,
}

impl Response {
    /// One answer of a person.
    pub fn new(action: Action, by: impl Into<String>) -> Self {
        Response {
            action,
            note: None,
            by: by.into(),
            scope: None,
            confirmations: 1,
        }
    }

    /// How it ends a prompt.
    pub(super) fn end(self, prompt: &Prompt) -> Ended {
        let scope = self.scope;
        if prompt.round != Round::Only && self.confirmations < 2 && self.action != Action::Reject {
            return Ended::Failed("it needs two confirmations".to_owned());
        }
        let choice = match self.action {
            Action::Reject => Choice::Deny,
            Action::Once => Choice::Offer(0),
            // If the answer cannot be kept for that scope, it counts once: never for more than the person said.
            Action::Always => prompt.always(scope).unwrap_or(Choice::Offer(0)),
            Action::Pattern(text) => match prompt.own_pattern(&text, scope) {
                Some(choice) => choice,
                None => return Ended::Failed("a pattern cannot be kept for this".to_owned()),
            },
        };
        Ended::Answered {
            answer: Answer {
                note: self.note,
                ..prompt.answer(choice)
            },
            by: self.by.into(),
        }
    }
}
