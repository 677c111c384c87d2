//! A tree to plain steps: each command with its words, redirects, folders and variables, also commands inside of others.
//!
//! [`commands`] starts the walk; [`words`] expands the words of a step. [`nested`], [`remote`] and [`launchers`] walk what a command starts.

mod assigned;
pub(crate) mod commands;
mod constructs;
pub(crate) mod directories;
mod endless;
mod environment_names;
pub(crate) mod file_listers;
pub(crate) mod find_tests;
mod functions;
pub(crate) mod known_programs;
pub(crate) mod launcher_options;
pub(crate) mod launchers;
pub(crate) mod nested;
mod pipe_names;
mod remote;
mod substitution_output;
mod trim_pattern;
pub(crate) mod variables;
mod words;
pub(crate) mod wrappers;
