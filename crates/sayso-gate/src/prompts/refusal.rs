//! Why an answer did not count.

use std::mem::discriminant;

use sayso_core::prompt::patterns::TypedPatternError;
use thiserror::Error;

/// Why an answer did not count. The prompt it was for is as it was.
#[derive(Clone, Debug, Error)]
pub enum Refused {
    /// There was never such a prompt.
    #[error("there is no such prompt")]
    Unknown,
    /// Somebody else answered first.
    #[error("the prompt was answered already")]
    AlreadyAnswered,
    /// It came too late: the prompt had ended.
    #[error("the prompt has ended")]
    Late,
    /// The prompt was shown with another digest.
    #[error("the prompt is about something else now")]
    OtherDigest,
    /// The prompt does not take this answer.
    #[error("the prompt does not take this answer")]
    NotOffered,
    /// Whoever answers may not answer prompts of that session.
    #[error("the prompt belongs to another session")]
    NotYours,
    /// The pattern is no pattern, does not fit the call, or allows too much.
    #[error("the pattern cannot be kept: {0}")]
    BadPattern(TypedPatternError),
}

/// Two are the same where the answer is refused for the same kind of reason.
impl PartialEq for Refused {
    fn eq(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other)
    }
}

impl Eq for Refused {}
