//! The controller: one pipeline that walks a call from the door to its end, over ports to the outside.
//!
//! [`pipeline`] is the place to start reading, and [`library`] the place to start using it in an agent of your own.

pub mod approved;
mod asking;
pub mod batch;
pub mod brief;
mod closing;
mod delegation;
pub mod describe;
pub mod entry;
pub mod events;
pub mod finished;
pub mod flood;
pub mod gate;
mod guarded;
pub mod held;
mod held_text;
pub mod host;
pub mod ids;
pub mod library;
pub mod memory;
mod noting;
pub mod offers;
pub mod pattern;
pub mod pipeline;
pub mod plugins;
pub mod ports;
pub mod presentation;
pub mod prompts;
mod remaining;
mod scripts;
pub mod seal;
mod seal_builds;
mod seal_names;
pub mod simulated;
mod spending;
pub mod start;
pub mod stats;
mod sync;
pub mod turn;
mod waiting;
mod widths;
