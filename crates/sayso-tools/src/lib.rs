//! The tools that sayso itself runs. They decide nothing: what reaches them was approved, and they do exactly that or say why not.

pub mod backups;
pub mod beneath;
pub mod changes;
pub mod comparison;
mod contents;
pub mod files;
pub mod keeping;
pub mod lines;
pub mod listing;
pub mod listings;
pub mod making;
pub mod mcp;
pub mod private_folder;
pub mod promise;
pub mod prune;
pub mod recover;
pub mod replace;
pub mod result;
pub mod state;
pub mod survey;
pub mod terminal;
pub mod tree;
pub mod undo;
pub mod web;
