//! Text to words: bash as a tree, and what a single word and its options are. It knows no program by name.

pub(crate) mod bash;
pub(crate) mod characters;
pub(crate) mod comments;
pub(crate) mod field;
pub(crate) mod name_map;
pub(crate) mod name_set;
pub(crate) mod options;
pub(crate) mod placeholder;
