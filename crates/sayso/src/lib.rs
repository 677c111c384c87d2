//! The program `sayso`: its commands, their arguments, and what they print.

pub mod cli;
pub mod exit_code;
pub mod expected;
pub mod screen;
