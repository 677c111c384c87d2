//! `sayso run` through the real program: batches, modes, answers, results, bad input, and what a kill leaves.

mod answers;
mod bad_batches;
mod bad_calls;
mod batches;
mod commands;
mod entries;
mod findings;
mod heads;
mod killed;
pub mod killed_at_each_step;
mod modes;
mod no_record;
mod recorded;
mod results;
mod shapes;
mod stopped;
