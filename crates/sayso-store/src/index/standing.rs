//! Rules and grants as rows.

use rusqlite::Transaction;
use sayso_core::node::Node;

use super::Trouble;
use crate::read::Stored;

/// Takes in one entry.
pub(super) fn take_in(_work: &Transaction<'_>, _stored: &Stored, _node: &Node) -> Result<(), Trouble> {
    Ok(())
}
