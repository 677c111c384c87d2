//! The product as people and programs use it: one binary of integration tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails by panicking, like the test itself"
)]

mod acp;
mod ask;
mod at_terminal;
mod audit;
mod bad_input;
mod bad_policy_files;
mod bypasses;
mod catastrophes;
mod changed_while_asked;
mod chat;
mod corpus;
mod desk;
mod doctor;
mod doctor_agents;
mod examples;
mod exec;
mod holes;
mod holes_commands;
mod holes_grants;
mod holes_policy;
mod hook;
mod import;
mod import_reports;
mod install;
mod known_programs;
mod mcp;
mod noise;
mod numbers;
mod packages;
mod path_classes;
mod policy;
mod program;
mod readings;
mod remembered;
mod replay_command;
mod replayed;
mod run;
mod run_attacks;
mod sandbox;
mod scene;
mod scripted;
mod seeds;
mod serve;
mod sessions;
mod siblings;
mod terminal;
mod undo;
mod version_before;
