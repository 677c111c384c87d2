//! Judges what was recorded under another policy.

mod facts;
pub mod history;
pub mod recorded_call;
