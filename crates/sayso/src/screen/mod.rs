//! What a person sees and answers in a terminal without a full screen: prompts as lines, answers as keys or words.

pub mod ago;
pub mod body;
pub mod columns;
pub mod fold;
pub mod line;
pub mod paint;
pub mod plain;
pub mod progress;
pub mod reply;
pub mod scripted;
