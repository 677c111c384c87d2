//! Doors: each file turns one wire format into operations and verdicts back into it.

pub mod agent;
pub mod batch;
pub mod claude;
mod claude_rules;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod crush;
pub mod cursor;
pub mod dialect;
pub mod droid;
pub mod gemini;
pub mod generic;
pub mod goose;
pub mod jsonl;
pub mod opencode;
pub mod patch;
pub mod qwen;
pub mod windsurf;

use crate::agents::Which;
use agent::Agent;

/// How the hook of an agent is answered.
pub fn of(which: Which) -> &'static dyn Agent {
    match which {
        Which::Claude => &claude::Claude,
        Which::Codex => &codex::Codex,
        Which::Gemini => &gemini::GEMINI,
        Which::Qwen => &qwen::QWEN,
        Which::Copilot => &copilot::COPILOT,
        Which::Opencode => &opencode::OPENCODE,
        Which::Cline => &cline::CLINE,
        Which::Cursor => &cursor::CURSOR,
        Which::Windsurf => &windsurf::WINDSURF,
        Which::Droid => &droid::DROID,
        Which::Crush => &crush::CRUSH,
        Which::Goose => &goose::GOOSE,
        Which::Generic => &generic::GENERIC,
    }
}
