//! What git would do: its settings, index and data, read without starting it.

pub(crate) mod config;
pub(crate) mod fact;
mod harmless_settings;
mod helpers;
pub(crate) mod index;
mod links;
pub(crate) mod nested;
mod outside;
pub(crate) mod password;
pub(crate) mod repository;
pub(crate) mod syntax;
