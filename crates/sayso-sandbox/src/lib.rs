//! Runs a command under terms: what was approved cannot do more than was approved.
//!
//! [`derive()`](derive::derive) makes a [`Profile`](profile::Profile) of terms: which paths may be written, read or not be seen, which network, which
//! limits. [`plan()`](plan::plan) makes a list of steps of it, which are data and can be printed; a back end carries them out. A profile is
//! never weaker than the terms, and a back end that cannot do all of it says what it does not.

pub mod alarm;
pub mod backend;
mod bounds;
mod bpf;
mod bubblewrap;
#[cfg(target_os = "linux")]
pub mod child;
pub mod derive;
pub mod explain;
pub mod found;
mod found_git;
#[cfg(target_os = "linux")]
pub mod inner;
#[cfg(target_os = "linux")]
pub mod landlock;
mod links;
mod mounted;
mod people;
pub mod placeholders;
pub mod plan;
mod pool;
pub mod profile;
pub mod proxy;
mod scratch;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub mod sealed;
#[cfg(target_os = "linux")]
pub mod seccomp;
pub mod seen;
pub mod signals;
pub mod start;
pub mod toolchains;
