//! The prompt on a terminal: draws what is asked and turns keys into answers; it decides nothing.

pub mod theme;
