//! A prompt as plain lines of text, for terminals that cannot be painted on, and the answers that are typed to it.

pub mod body;
pub mod fold;
pub mod paint;
pub mod plain;
pub mod reply;
pub mod scrolled;
