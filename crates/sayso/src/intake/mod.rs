//! Doors: each file turns one wire format into operations and verdicts back into it.

pub mod batch;
pub mod jsonl;
