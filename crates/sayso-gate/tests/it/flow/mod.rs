//! Whole calls through the gate, with scripted ports: every way a call can go, its end, its events and its entries.

mod batches;
mod changes;
mod delegations;
mod failures;
mod grants_given;
pub mod room;
mod starts;
mod table;
