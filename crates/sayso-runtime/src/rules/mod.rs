//! Rules that people add: as a line of text, from a template, and what to warn of.

pub mod line;
pub mod templates;
pub mod typed;
