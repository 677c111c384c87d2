//! Zed.

pub mod import;
