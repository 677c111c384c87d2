//! Events: who is told what and when, under which names, and that nobody who is told can change anything.

mod bus;
mod ends;
mod names;
mod payloads;
mod plugins;
mod stats;
