//! How far a yes goes: once, this batch, this session, this project, or everywhere.

use crate::answer::grant::Reach;
use crate::call::operation::Operation;

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

impl Scope {
    /// How far a grant of this scope reaches, given for an operation; none where nothing is kept, or nothing would end it.
    pub fn reach(self, operation: &Operation) -> Option<Reach> {
        match self {
            Scope::Once => None,
            Scope::Batch => operation
                .batch()
                .map(|batch| Reach::Batch(batch.to_owned())),
            Scope::Session => Some(Reach::Session(operation.session().to_owned()))
                .filter(|_| !operation.session().is_empty()),
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

    /// How far it reaches, in words: "in this project".
    pub fn place(self) -> &'static str {
        match self {
            Scope::Once => "once",
            Scope::Batch => "in this batch",
            Scope::Session => "in this session",
            Scope::Project => "in this project",
            Scope::Always => "everywhere",
        }
    }

    /// The scope of a word.
    pub fn from_word(word: &str) -> Option<Scope> {
        [
            Scope::Once,
            Scope::Batch,
            Scope::Session,
            Scope::Project,
            Scope::Always,
        ]
        .into_iter()
        .find(|scope| scope.word() == word)
    }
}
