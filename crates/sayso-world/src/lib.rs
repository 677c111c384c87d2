//! Looks at the machine: answers the core's questions about paths, programs and git, and finds policy files.
//!
//! [`Machine::answer`](machine::Machine::answer) only looks at metadata, ignore files, git's configuration and settings of tools. It starts nothing,
//! writes nothing and waits for nothing, and what it cannot find out stays unanswered. [`seal`](seal::seal) tells whether files are still
//! what they were when somebody was asked about them, and [`content`](content::content) reads one for a person to look at;
//! [`tally`](tally::tally) counts what would go with a folder.

pub mod bounded_file;
mod canonical;
mod case_rules;
pub mod content;
mod databases;
mod file_cache;
mod file_patterns;
mod git;
mod ignore;
pub mod locations;
pub mod machine;
mod path_fact;
mod platform;
pub mod policy_files;
mod program;
mod project_settings;
pub mod seal;
mod search;
pub mod tally;
pub mod trust;

#[cfg(test)]
mod tests;
