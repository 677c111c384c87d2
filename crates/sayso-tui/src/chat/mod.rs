//! A conversation on the whole screen: what was said, what runs, what is asked, and a line to type in. It draws and takes keys; it decides
//! nothing.
//!
//! How a reader tells who speaks: the first two columns belong to sayso. What a model wrote stands behind `▍`, what a tool brought behind
//! `┆`, on every row; neither can reach those columns, nor the tones of a prompt, a banner or the bar.

pub mod draw;
pub mod input;
pub mod item;
pub mod markdown;
pub mod search;
pub mod settings;
pub mod transcript;
