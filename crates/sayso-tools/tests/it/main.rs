//! The tools against real files, processes and servers, with real races.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod bad_input;
mod cut_off;
mod ground;
mod keeping;
mod looking;
mod races;
mod random;
mod round_trips;
mod session_undo;
mod terminal;
mod tree_digest;
mod web;
mod workspace;
mod workspace_cut_off;
mod workspace_limits;
