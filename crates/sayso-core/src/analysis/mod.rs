//! What a call would do: effects, the questions that must be answered first, and the facts that answer them.

mod absent_targets;
pub mod draft;
pub mod effect;
mod expand_patterns;
pub mod fact;
mod invalidated_facts;
pub mod mcp_arguments;
pub mod own_files;
pub mod risk;
mod settle;
pub mod tool_effects;
mod tool_paths;
