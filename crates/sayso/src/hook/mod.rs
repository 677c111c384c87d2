//! What hooks have in common with the gateways: the time they have, the inbox, and what is kept of a call until it has run.

pub mod deadline;
pub mod inbox;
pub mod pending;
