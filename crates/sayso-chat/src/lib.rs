//! A session with a model: a conversation in which every call of a tool goes through the gate.
//!
//! `model` asks a model and reads its answer piece by piece, `turn` runs what the model wants until it has no more calls, and `runtime` has
//! the policy, the gate and the tools. There are three ways to see a turn: `one_turn` prints it, `in_lines` is a whole session in lines, and
//! `app` is the screen, where the turn works on a thread of its own and sends `turn_events`. `slash` carries out what starts with `/`,
//! `tabs` are the settings. `session` keeps what was said.

pub mod app;
mod command_error;
pub mod commands;
pub mod conversation;
mod error;
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
pub mod session_state;
pub mod settings_file;
pub mod settings_text;
mod slash;
mod tabs;
pub mod tool_schemas;
pub mod turn;
pub mod turn_events;

pub use app::turn_view::earlier;
pub use command_error::{CommandError, Misuse};
pub use error::SourceError;
