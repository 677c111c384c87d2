//! A pattern that a person types at a prompt: who checks it, and what of the record it would have covered.

use crate::answer::learned_rule::LearnedRule;
use crate::answer::scope::Scope;
use crate::call::tool::Kind;
use crate::prompt::{Prompt, Stores};

/// Who knows about patterns: the gate that takes them, and the record.
pub trait Patterns: Send + Sync {
    /// The rule of a pattern that is typed at this prompt, or why the gate would not take it.
    fn check(&self, text: &str, prompt: &Prompt) -> Result<LearnedRule, String>;

    /// What else an answer would have covered, had it been given before; none where that is not known.
    fn earlier(&self, stores: &Stores, scope: Scope, prompt: &Prompt) -> Option<Earlier>;
}

/// What a pattern would have covered before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    /// So many different calls were looked at.
    pub looked_at: usize,
    /// There are more in the record.
    pub more: bool,
    /// So many of them fit, besides the one that is asked about.
    pub fit: usize,
    /// So many of these were denied.
    pub denied: usize,
}

impl Earlier {
    /// In words: "also matches 3 earlier commands, none denied".
    pub fn words(&self, prompt: &Prompt) -> String {
        let noun = if prompt.operation.kind() == Kind::Terminal {
            "command"
        } else {
            "call"
        };
        let calls = |count: usize| {
            if count == 1 {
                format!("1 earlier {noun}")
            } else {
                format!("{count} earlier {noun}s")
            }
        };
        let scope = if self.more {
            format!(" (of the last {})", self.looked_at)
        } else {
            String::new()
        };
        match (self.fit, self.denied) {
            (0, _) => format!("matches no other earlier {noun}{scope}"),
            (fit, 0) => format!("also matches {}, none denied{scope}", calls(fit)),
            (fit, denied) => format!(
                "also matches {}, {denied} of them DENIED{scope}",
                calls(fit)
            ),
        }
    }
}
