//! Why a pattern that somebody typed into a prompt is not kept.

use sayso_core::text::visible::visible;
use thiserror::Error;

use super::PortError;

/// Why a pattern that somebody typed is not kept.
#[derive(Clone, Debug, Error)]
#[allow(missing_docs)]
pub enum PatternError {
    #[error("no pattern can be kept for this call")]
    NotTaken,
    #[error("{0}")]
    NoRule(PortError),
    #[error("the pattern holds a secret, which would stay in the record; put `*` in its place")]
    HoldsSecret,
    #[error("what this command runs is not in its words")]
    NotInWords,
    #[error("what this call is about cannot be named exactly")]
    Unnamed,
    #[error("`{}` {why}{}", visible(.pattern), would_do(.nearest.as_deref()))]
    Refused {
        pattern: String,
        why: Misfit,
        /// The nearest pattern that would do.
        nearest: Option<String>,
    },
}

/// What is wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum Misfit {
    #[error("allows far more than this call")]
    TooBroad,
    #[error("does not fit this call")]
    OtherCall,
    #[error(
        "has wildcards, and a file that something runs or obeys is only covered by its own name"
    )]
    ActiveFile,
}

fn would_do(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; `{}` would do", visible(nearest))
    })
}

// bridge: until every caller is typed
impl From<PatternError> for String {
    fn from(error: PatternError) -> String {
        error.to_string()
    }
}
