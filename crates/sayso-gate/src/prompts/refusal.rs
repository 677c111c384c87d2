//! Why an answer did not count.

use std::fmt;

use sayso_core::prompt::patterns::TypedPatternError;

/// Why an answer did not count. The prompt it was for is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There was never such a prompt.
    Unknown,
    /// Somebody else answered first.
    AlreadyAnswered,
    /// It came too late: the prompt had ended.
    Late,
    /// The prompt was shown with another digest.
    OtherDigest,
    /// The prompt does not take this answer.
    NotOffered,
    /// Whoever answers may not answer prompts of that session.
    NotYours,
    /// The pattern is no pattern, does not fit the call, or allows too much.
    BadPattern(TypedPatternError),
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Refused::Unknown => "there is no such prompt",
            Refused::AlreadyAnswered => "the prompt was answered already",
            Refused::Late => "the prompt has ended",
            Refused::OtherDigest => "the prompt is about something else now",
            Refused::NotOffered => "the prompt does not take this answer",
            Refused::NotYours => "the prompt belongs to another session",
            Refused::BadPattern(why) => return write!(out, "the pattern cannot be kept: {why}"),
        })
    }
}

impl std::error::Error for Refused {}
