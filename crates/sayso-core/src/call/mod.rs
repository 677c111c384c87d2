//! What is asked: one call of a tool, frozen, and what its arguments mean.

mod checks;
pub mod edit;
pub mod mcp_meaning;
pub mod operation;
pub mod tool;
pub mod tool_says;
pub mod url;
