//! macOS: the text of a profile for `sandbox-exec`. **It was never run on a Mac.**
//!
//! The text is made and tested on every platform. No back end uses it: on macOS there is no sandbox yet.

pub mod seatbelt;
