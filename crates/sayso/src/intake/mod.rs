//! Doors: each file turns one wire format into operations and verdicts back into it.

pub mod agent;
pub mod batch;
pub mod claude;
pub mod codex;
pub mod jsonl;
pub mod patch;
