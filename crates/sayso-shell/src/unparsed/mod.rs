//! What can be seen in a text that could not be read as a whole: its words and segments, for deny rules and the search for danger.

pub(crate) mod command_texts;
pub(crate) mod language_names;
pub(crate) mod other_shells;
pub(crate) mod redirects;
pub(crate) mod split;
pub(crate) mod stdin_scripts;
pub(crate) mod words;
