//! The record of everything sayso was asked, decided and ran, kept so that a change to it shows.

pub mod folder;
mod head;
pub mod held;
pub mod index;
pub mod journal;
mod key;
pub mod prune;
pub mod read;
pub mod record;
pub mod repair;
pub mod snapshot;
pub mod standing;
pub mod verify;

pub use folder::Folder;
pub use journal::{Appended, Journal, Sync};
pub use key::Key;
