//! Prompts on a screen: what they look like, what keys do to them, and that two of them never read the same.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "everything here is a test"
)]

mod asking;
mod compact;
mod injective;
mod letters;
mod painting;
mod prompts;
mod snapshots;
mod text;
