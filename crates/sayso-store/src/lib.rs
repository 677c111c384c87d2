//! The record of everything sayso was asked, decided and ran, kept so that a change to it shows.

mod chain_head;
pub mod folder;
pub mod held_operations;
pub mod index;
pub mod journal;
mod key;
pub mod prune;
pub mod read;
pub mod record;
pub mod repair;
pub mod rules_and_grants;
pub mod snapshot;
pub mod verify;

pub use folder::{Folder, FolderError, WriteError};
pub use journal::{Appended, Journal, JournalError, Sync};
pub use key::{Key, KeyError};
