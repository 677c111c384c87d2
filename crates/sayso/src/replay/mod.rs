//! Judges what was recorded under another policy.

mod facts;
pub mod kept;
