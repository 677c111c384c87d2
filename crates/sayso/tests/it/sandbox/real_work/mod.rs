//! Real work in the sandbox: projects whose dependencies were downloaded outside are built and tested without a network.
//!
//! `cargo test -p sayso --test it real_work -- --nocapture` prints how long each takes outside, in a sandbox for the command, and with
//! a session's folder for caches.

mod compiled;
mod desk;
mod javascript;
mod poisoning;
mod python;
mod refused;
mod repository;
mod servers;
