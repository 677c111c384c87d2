//! Looks at the machine: answers the core's questions about paths, programs and git, and finds policy files.
//!
//! [`Machine::answer`](machine::Machine::answer) only looks at metadata, ignore files, git's configuration and settings of tools. It starts nothing,
//! writes nothing and waits for nothing, and what it cannot find out stays unanswered. [`seal`](seal::seal) tells whether files are still
//! what they were when somebody was asked about them, and [`content`](content::content) reads one for a person to look at;
//! [`tally`](tally::tally) counts what would go with a folder.

pub mod content;
mod databases;
pub mod machine;
pub mod policy_files;
pub mod seal;
pub mod tally;
pub mod trust;

pub mod bounded_file;
mod canonical;
mod ignore;
mod path_fact;
mod program;

mod case_rules;
mod file_cache;
mod file_patterns;
mod git;
pub mod locations;
mod project_settings;
mod search;
#[cfg(test)]
mod tests;
