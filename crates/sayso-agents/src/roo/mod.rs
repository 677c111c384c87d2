//! Roo Code.

pub mod import;
