//! A session with a model: a conversation in which every call of a tool goes through the gate.

pub mod app;
pub mod commands;
pub mod conversation;
pub mod history;
pub mod in_lines;
pub mod instructions;
pub mod mcp_tools;
pub mod model;
pub mod one_turn;
mod probes;
mod report_lines;
pub mod runtime;
pub mod session;
pub mod settings_file;
pub mod settings_text;
mod slash;
mod tabs;
pub mod tool_schemas;
pub mod turn;
pub mod turn_events;

pub use app::turn_view::earlier;
