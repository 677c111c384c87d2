//! Doors: each file turns one wire format into operations and verdicts back into it.

pub mod agent;
pub mod batch;
pub mod claude;
mod claude_rules;
pub mod codex;
pub mod jsonl;
pub mod patch;
