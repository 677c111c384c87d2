//! Allow, ask or deny: what a rule says, and what a verdict ends with.

use crate::packed::packed;

/// Allow, ask or deny; later ones are stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It may run without a question.
    Allow,
    /// A person has to say yes.
    Ask,
    /// It must not run.
    Deny,
}

packed! { enum Decision { Allow, Ask, Deny } }

impl Decision {
    /// The word used in policy files, JSON and messages.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }

    /// The decision of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Decision::Allow),
            "ask" => Some(Decision::Ask),
            "deny" => Some(Decision::Deny),
            _ => None,
        }
    }
}
