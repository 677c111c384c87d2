//! An open question to the person: what is asked, which answers it takes, and how it can end.

use std::sync::Arc;

use crate::digest::Digest;
use crate::grant::{GrantKey, Reach};
use crate::operation::Operation;
use crate::presentation::Presentation;
use crate::verdict::Verdict;

/// A question to the person. It is made from the frozen operation and nothing else, so what is shown is what would run.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Its id; never used twice, and hard to guess.
    pub id: String,
    /// What is asked about.
    pub operation: Arc<Operation>,
    /// Why it is asked.
    pub verdict: Arc<Verdict>,
    /// The heading: "Tool Execution Approval Required".
    pub title: String,
    /// One line on what would happen, free of anything that could hide or move.
    pub description: String,
    /// What the person looks at.
    pub presentation: Presentation,
    /// Which of how many confirmations this is.
    pub round: Round,
    /// Which operation of how many in its batch.
    pub place: Option<Position>,
    /// The other operations that the answer is for, too: an explicit group.
    pub group: Vec<Member>,
    /// Prompts that wait and are alike, and where this one differs from the first of them.
    pub alike: Option<Alike>,
    /// The answers that say yes, narrowest first. To deny and to quit is always possible.
    pub offers: Vec<Offer>,
    /// How it is shown.
    pub style: Style,
    /// When it was asked, in seconds since 1970.
    pub asked: i64,
    /// After how many seconds without an answer it is denied; none waits.
    pub timeout: Option<u64>,
}

/// Which of how many confirmations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// One answer is enough.
    Only,
    /// The first of two.
    First,
    /// The second of two, after a yes to the first.
    Second,
}

/// Which one of how many, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// This one.
    pub index: usize,
    /// All of them.
    pub total: usize,
}

/// Another operation that a grouped prompt is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The operation's digest.
    pub digest: Digest,
    /// One line on what would happen.
    pub description: String,
    /// What the person looks at.
    pub presentation: Presentation,
}

/// Prompts that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// How many are open, this one among them.
    pub count: usize,
    /// Where this one differs from the first of them.
    pub differs: Vec<String>,
}

/// How a prompt is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// In front of everything.
    Modal,
    /// In the status area.
    Status,
    /// In the flow of the output.
    Inline,
}

/// An answer that says yes, with what it would store, in words that say exactly that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How far it goes.
    pub scope: Scope,
    /// What it would store.
    pub stores: Stores,
    /// The same for the person: "allow `cargo test *` in this project".
    pub words: String,
}

/// How far a yes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// This operation, once.
    Once,
    /// The rest of this batch.
    Batch,
    /// This session.
    Session,
    /// This workspace.
    Project,
    /// Everywhere.
    Always,
}

/// What a yes would store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stores {
    /// Nothing.
    Nothing,
    /// A grant for what this covers.
    Grant(GrantKey),
    /// A rule with this pattern of a command, as a policy file has it.
    Rule(Arc<str>),
}

/// What somebody says to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The prompt that was seen.
    pub prompt: String,
    /// The digest that was shown with it; another one is another question.
    pub digest: Digest,
    /// The answer.
    pub choice: Choice,
    /// What the agent is told, for a denial.
    pub note: Option<String>,
}

/// The answer itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, by the offer with this index.
    Offer(usize),
    /// Yes, and keep a pattern of the person's own for this session or longer.
    Pattern {
        /// As it was typed.
        text: String,
        /// How far it reaches.
        scope: Scope,
    },
    /// No.
    Deny,
    /// No, and nothing more of this batch.
    Quit,
}

/// How a prompt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Somebody answered.
    Answered {
        /// What was said.
        answer: Answer,
        /// Who said it, by a name that the door vouches for.
        by: String,
    },
    /// Nobody answered in time.
    TimedOut,
    /// The host took the call back, or sayso shut down.
    Cancelled,
    /// There is nobody who could answer.
    Nobody,
    /// The prompt could not be shown or was lost: a denial.
    Failed(String),
}

impl Prompt {
    /// The answer with this choice.
    pub fn answer(&self, choice: Choice) -> Answer {
        Answer { prompt: self.id.clone(), digest: self.operation.digest(), choice, note: None }
    }

    /// The title as a screen shows it: a sign that some terminals draw wider than others is left in its narrow form.
    pub fn title_in_cells(&self) -> String {
        self.title.replace('\u{fe0f}', "")
    }

    /// The index of the first offer with a scope.
    pub fn offer(&self, scope: Scope) -> Option<usize> {
        self.offers.iter().position(|offer| offer.scope == scope)
    }

    /// Whether the choice is one that this prompt takes.
    pub fn takes(&self, choice: &Choice) -> bool {
        match choice {
            Choice::Deny | Choice::Quit => true,
            Choice::Offer(index) => *index < self.offers.len(),
            // A pattern of one's own is as wide as the widest rule that is offered, and for nothing that must be asked.
            Choice::Pattern { scope, .. } => {
                *scope > Scope::Batch && self.offers.iter().any(|offer| matches!(offer.stores, Stores::Rule(_)) && *scope <= offer.scope)
            }
        }
    }
}

impl Scope {
    /// How far a grant of this scope reaches, given for an operation; none where nothing is kept, or nothing would end it.
    pub fn reach(self, operation: &Operation) -> Option<Reach> {
        match self {
            Scope::Once => None,
            Scope::Batch => operation.batch().map(|batch| Reach::Batch(batch.to_owned())),
            Scope::Session => Some(Reach::Session(operation.session().to_owned())).filter(|_| !operation.session().is_empty()),
            Scope::Project => Some(Reach::Project(operation.workspace().to_owned())),
            Scope::Always => Some(Reach::Always),
        }
    }

    /// The word used in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Once => "once",
            Scope::Batch => "batch",
            Scope::Session => "session",
            Scope::Project => "project",
            Scope::Always => "always",
        }
    }

    /// The scope of a word.
    pub fn from_word(word: &str) -> Option<Scope> {
        [Scope::Once, Scope::Batch, Scope::Session, Scope::Project, Scope::Always].into_iter().find(|scope| scope.word() == word)
    }
}

impl Style {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Style::Modal => "modal",
            Style::Status => "status",
            Style::Inline => "inline",
        }
    }
}
