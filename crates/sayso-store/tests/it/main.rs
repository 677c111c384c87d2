//! The record on real files and with real processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod arguments;
mod basics;
mod faults;
mod folder;
mod following;
mod forging;
mod held;
mod history;
mod index;
mod killed;
mod many_processes;
mod pruned;
mod reading;
mod repaired;
mod scene;
mod segments;
mod snapshot;
mod standing;
mod tampering;
mod torn;
mod writer;
