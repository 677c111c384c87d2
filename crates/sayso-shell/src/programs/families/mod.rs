//! Programs whose words need code of their own, one file for each kind of program. A row without code goes into [`super::table`].

pub(super) mod archives;
pub(super) mod builtins;
pub(super) mod conditions;
pub(super) mod connections;
pub(super) mod coreutils;
pub(super) mod destroy;
pub(super) mod fetch;
pub(super) mod filters;
pub(super) mod keys;
pub(super) mod machine;
pub(super) mod network;
pub(super) mod print_only;
pub(super) mod search;
pub(super) mod shared_names;
pub(super) mod text;
pub(super) mod tools;
pub(super) mod yaml;
