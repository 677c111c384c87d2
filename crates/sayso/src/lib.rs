//! The program `sayso`: its commands, their arguments, and what they print.

pub mod agents;
pub mod canary;
pub mod cli;
pub mod exit_code;
pub mod expected;
pub mod export;
pub mod hook;
pub mod import;
pub mod install;
pub mod intake;
pub mod screen;
pub mod scripted;
