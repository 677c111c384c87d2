//! The controller: one pipeline that walks a call from the door to its end, over ports to the outside.
//!
//! [`pipeline`] is the place to start reading, and [`library`] the place to start using it in an agent of your own.

pub mod approved;
mod binding;
pub mod call_json;
pub mod describe;
pub mod entry;
pub mod error;
pub mod events;
pub mod finished;
pub mod flood;
pub mod ids;
pub mod library;
pub mod memory;
pub mod offers;
mod panic_guard;
pub mod pattern;
pub mod pipeline;
pub mod ports;
pub mod presentation;
pub mod prompts;
pub mod run_mode;
pub mod run_result;
mod scripts;
pub mod seal;
pub mod simulated;
pub mod stats;

pub use pipeline::{batch, batch_context, begin, gate, host, plugins, resume};
