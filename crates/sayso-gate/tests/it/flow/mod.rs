//! Whole calls through the gate, with scripted ports: every way a call can go, its end, its events and its entries.

mod attack;
mod attack_display;
mod attack_failures;
mod attack_seals;
mod batches;
mod begun;
mod broken;
mod bypasses_a;
mod bypasses_d;
mod changes;
mod delegations;
mod failures;
mod grants_given;
mod held;
mod judgements;
pub mod room;
mod rules_given;
mod seeds;
mod starts;
mod table;
