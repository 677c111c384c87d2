//! The gate from outside: profiles, properties of the judge, and grants, over a scripted world.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

mod attack_kit;
mod bench;
mod config_keys;
mod events;
mod flow;
mod grant_reach;
mod grants;
mod library;
mod oracle;
mod presentation;
mod profiles;
mod prompts;
mod properties;
mod traced;
mod world;
