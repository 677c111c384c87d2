//! The prompt on a terminal: draws what is asked and turns keys into answers; it decides nothing.

pub mod block;
mod cells;
pub mod chat;
pub mod clock;
mod confirm;
pub mod content;
pub mod document;
pub mod draw;
pub mod fold;
pub mod key;
pub mod legend;
pub mod lines;
pub mod paint;
pub mod patterns;
pub mod prompt_state;
pub mod prompt_style;
pub mod safe_glyphs;
pub mod terminal;
pub mod text_cursor;
pub mod theme;
pub mod views;
