//! What the gateways for JSON-RPC over streams have in common: lines that pass byte for byte, messages that are read strictly, and calls
//! that wait for a person or for their answer.
//!
//! `message` reads what is judged, whole and strictly, and `peek` looks only at the outside. `outlet` and `pipe` are the two ways out, and
//! `signals` passes signals on to the process behind the gateway. `workspace_gates` has a gate for each workspace, `in_flight` keeps the
//! calls that are not answered yet, `drive_call` takes them through the gate, and `inbox` brings a question to the person.

pub(crate) mod drive_call;
pub(crate) mod in_flight;
pub mod inbox;
pub(crate) mod message;
pub(crate) mod outlet;
pub(crate) mod peek;
pub(crate) mod pipe;
pub(crate) mod signals;
pub(crate) mod workspace_gates;

pub(crate) use sayso_runtime::workbench::now;

use crate::error::GatewayError;

/// A word that nobody can guess.
///
/// # Errors
/// When the system has none.
pub(crate) fn random_word() -> Result<String, GatewayError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(GatewayError::Random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
