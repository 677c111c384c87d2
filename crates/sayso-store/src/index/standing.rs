//! Rules and grants as rows.

use rusqlite::Transaction;
use sayso_core::node::Node;

use super::Trouble;
use crate::read::Stored;

/// Whether an entry of this kind can change what stands: only those are read as a whole, as most of a journal is none of them.
pub(super) fn concerns(kind: &str) -> bool {
    !matches!(kind, "asked" | "decided" | "finished")
}

/// Takes in one entry.
pub(super) fn take_in(_work: &Transaction<'_>, _stored: &Stored, _node: &Node) -> Result<(), Trouble> {
    Ok(())
}
