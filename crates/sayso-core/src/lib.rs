//! What is asked and what is answered: operations, effects, facts, rules, grants and verdicts.
//!
//! [`decide`](decide::decide) is pure, total and synchronous: it reads no file, clock or environment, and it cannot fail.

pub mod decide;
pub mod decided_by;
pub mod diagnostic;
pub mod digest;
pub mod draft;
pub mod edit;
pub mod effect;
pub mod evidence;
pub mod explain;
pub mod fact;
pub mod grant;
pub mod installed;
pub mod keymap;
pub mod learned;
pub mod mcp_arguments;
pub mod mode;
pub mod node;
pub mod operation;
pub mod outcome;
pub mod packed;
pub mod paths;
pub mod patterns;
pub mod policy;
pub mod presentation;
pub mod prompt;
pub mod redact;
pub mod rest_of_batch;
pub mod sentence;
pub mod size;
pub mod text;
pub mod time;
pub mod tool;
pub mod tool_effects;
mod tool_paths;
pub mod tool_says;
pub mod url;
pub mod verdict;
pub mod visible;

mod absent;
mod spread;
mod stale;
