//! The sandbox with real processes, files and sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod sealed;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod work;
