//! The prompt on a terminal: draws what is asked and turns keys into answers; it decides nothing.

pub mod fold;
pub mod key;
pub mod theme;
pub mod views;
