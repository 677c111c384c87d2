//! Entries of the record for programs and for people: the same words in the terminal, in the chat and over HTTP.

pub mod call;
pub mod decided_by;
pub mod stats;

use jiff::Timestamp;

/// RFC 3339 in UTC, for programs.
pub fn rfc3339(at: i64) -> String {
    Timestamp::from_millisecond(at).map_or_else(|_| format!("{at} ms"), |time| format!("{time:.3}"))
}
