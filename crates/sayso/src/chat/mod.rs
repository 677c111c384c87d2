//! A session with a model: a conversation in which every call of a tool goes through the gate.

pub mod app;
pub mod base;
pub mod commands;
pub mod conversation;
pub mod history;
pub mod in_lines;
pub mod instructions;
pub mod kept;
pub mod model;
pub mod news;
pub mod offered;
pub mod once;
mod own;
mod probes;
pub mod served;
pub mod session;
pub(crate) mod shown;
mod slash;
mod tabs;
pub mod turn;
mod worded;

pub use shown::earlier;
