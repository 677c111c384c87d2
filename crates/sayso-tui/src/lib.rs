//! The prompt on a terminal: draws what is asked and turns keys into answers; it decides nothing.

pub mod asking;
pub mod block;
pub mod chat;
pub mod clock;
mod confirm;
pub mod content;
pub mod document;
pub mod draw;
pub mod entry;
pub mod fold;
pub mod key;
pub mod legend;
pub mod lines;
pub mod look;
pub mod paint;
pub mod patterns;
pub mod sure;
pub mod terminal;
pub mod theme;
pub mod views;
