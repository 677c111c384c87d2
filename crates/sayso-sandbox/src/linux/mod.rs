//! Linux: bubblewrap, or Landlock where that is missing, with a filter of system calls over both.
//!
//! `#[cfg(target_os)]` stands only where the crate declares this module. Another platform gets a module beside it with the same names.

pub mod backend;
mod bpf;
mod bubblewrap;
pub mod child;
mod error;
mod folder_pool;
pub mod init;
pub mod landlock;
mod mount_check;
pub mod path_check;
pub mod placeholders;
pub mod proxy_listener;
pub mod refusals;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub mod script_copies;
pub mod seccomp;
pub mod session;
pub mod start;
mod temp_dir;

pub use error::SetupError;
