//! A pattern that a person types at a prompt: who checks it, and what of the record it would have covered.

use std::fmt;

use crate::answer::learned_rule::LearnedRule;
use crate::answer::scope::Scope;
use crate::call::tool::Kind;
use crate::policy::pattern_error::PatternError;
use crate::prompt::{Prompt, Stores};

/// Who knows about patterns: the gate that takes them, and the record.
pub trait Patterns: Send + Sync {
    /// The rule of a pattern that is typed at this prompt, or why the gate would not take it.
    fn check(&self, text: &str, prompt: &Prompt) -> Result<LearnedRule, TypedPatternError>;

    /// What else an answer would have covered, had it been given before; none where that is not known.
    fn earlier(&self, stores: &Stores, scope: Scope, prompt: &Prompt) -> Option<Earlier>;
}

/// Why a pattern that a person types is not taken.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedPatternError {
    /// Nothing was typed yet; this is one that would do.
    Nothing {
        example: String,
    },
    Pattern(PatternError),
    /// Patterns cannot be checked here.
    NotHere,
    /// The prompt offers none.
    NotOffered,
    CannotBeKept,
    HoldsSecret,
    NotInItsWords,
    NoExactTarget,
    Unfit {
        /// What was typed, fit to be shown.
        pattern: String,
        why: Unfit,
        /// One that would do.
        nearest: Option<String>,
    },
}

/// Why a pattern does not fit a call.
#[allow(missing_docs, reason = "the names and messages say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    Other,
    TooWide,
    WildcardsOverActiveFile,
}

impl fmt::Display for TypedPatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TypedPatternError::Nothing { example } => {
                return write!(f, "type a pattern, such as `{example}`");
            }
            TypedPatternError::Pattern(error) => return error.fmt(f),
            TypedPatternError::NotHere => "patterns cannot be checked here",
            TypedPatternError::NotOffered => "no pattern is offered here",
            TypedPatternError::CannotBeKept => "no pattern can be kept for this call",
            TypedPatternError::HoldsSecret => {
                "the pattern holds a secret, which would stay in the record; put `*` in its place"
            }
            TypedPatternError::NotInItsWords => "what this command runs is not in its words",
            TypedPatternError::NoExactTarget => {
                "what this call is about cannot be named exactly"
            }
            TypedPatternError::Unfit {
                pattern,
                why,
                nearest,
            } => {
                let why = match why {
                    Unfit::Other => "does not fit this call",
                    Unfit::TooWide => "allows far more than this call",
                    Unfit::WildcardsOverActiveFile => {
                        "has wildcards, and a file that something runs or obeys is only covered by its own name"
                    }
                };
                write!(f, "`{pattern}` {why}")?;
                return match nearest {
                    Some(nearest) => write!(f, "; `{nearest}` would do"),
                    None => Ok(()),
                };
            }
        })
    }
}

impl std::error::Error for TypedPatternError {}

impl From<PatternError> for TypedPatternError {
    fn from(error: PatternError) -> Self {
        TypedPatternError::Pattern(error)
    }
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
