//! The tools that sayso itself runs. They decide nothing: what reaches them was approved, and they do exactly that or say why not.

mod backup_contents;
pub mod backups;
pub mod build;
pub mod change_error;
pub mod changes;
pub mod files;
pub mod lines;
pub mod list_workspace;
pub mod listing;
pub mod listing_cache;
pub mod mcp;
pub mod open_nofollow;
pub mod path_state;
mod platform;
pub mod private_folder;
pub mod prune;
pub mod recover;
pub mod replace;
pub mod result;
pub mod terminal;
pub mod tree;
pub mod undo;
pub mod undoable;
pub mod web;
pub mod workspace_backup;
mod workspace_change;
pub mod workspace_diff;
