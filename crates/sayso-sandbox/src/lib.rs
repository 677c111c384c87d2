//! Runs a command under terms: what was approved cannot do more than was approved.
//!
//! [`derive()`](derive::derive) makes a [`Profile`](profile::Profile) of terms: which paths may be written, read or not be seen, which network, which
//! limits. [`plan()`](plan::plan) makes a list of steps of it, which are data and can be printed; a back end carries them out. A profile is
//! never weaker than the terms, and a back end that cannot do all of it says what it does not.

pub mod alarm;
pub mod caches;
pub mod derive;
pub mod explain;
mod host_name;
#[cfg(target_os = "linux")]
pub mod linux;
pub mod macos;
pub mod plan;
mod private_paths;
pub mod profile;
pub mod proxy;
pub mod refusal;
pub mod signals;
mod symlinks;
pub mod toolchains;
pub mod workspace_scan;

// A platform brings its own modules under the same names: `backend`, `start` and what they need.
#[cfg(target_os = "linux")]
pub use linux::*;
