//! The program `sayso`: commands, doors, and the composition of all parts.

pub mod assemble;
pub mod bounded;
pub mod bounding;
pub mod canary;
pub mod cli;
pub mod exit_code;
pub mod expected;
mod explained;
mod git_identity;
pub mod heads;
pub mod holding;
pub mod hook;
pub mod install;
pub mod intake;
pub mod learned;
pub mod lineage;
pub mod newcomers;
pub mod quick;
pub mod record_folder;
pub mod recorder;
pub mod replay;
pub mod report;
pub mod runner;
pub mod screen;
pub mod scripted;
mod shelf;
pub mod workbench;
