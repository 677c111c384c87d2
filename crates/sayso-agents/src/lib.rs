//! The agents: a folder for each, with its hook, its settings, its rules and how it is tried; beside them what they share. The registry has
//! a row for each, and nothing else knows all of them.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod crush;
pub mod cursor;
pub mod droid;
pub mod gemini;
pub mod generic;
pub mod goose;
pub mod opencode;
pub mod qwen;
pub mod roo;
pub mod vscode;
pub mod windsurf;
pub mod zed;

pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod probe;
pub mod program;
pub mod registry;
pub mod scripted_model;
pub mod which;

pub use registry::ALL;
pub use which::{Scope, Which};
