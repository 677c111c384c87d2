//! The file tools on real files, with real races and real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod bad_input;
mod cut_off;
mod ground;
mod keeping;
mod looking;
mod races;
mod random;
mod round_trips;
