//! Where a call stands among others: by itself, or as one of a batch.

use std::collections::HashMap;

use sayso_core::digest::Digest;
use sayso_core::grant::Grant;
use sayso_core::prompt::{Member, Position};

use crate::closing::End;

/// The turn of one call.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Which one of how many.
    pub place: Option<Position>,
    /// The batch it belongs to.
    pub batch: Option<String>,
    /// What was granted for this batch only.
    pub grants: Vec<Grant>,
    /// The other calls that one answer is for.
    pub group: Vec<Member>,
    /// Calls of the batch that were denied with another one of their group, by digest.
    pub(crate) denied: HashMap<Digest, End>,
    /// Somebody stopped the batch.
    pub quit: bool,
    /// How many grants of the batch there were before the call was asked about.
    pub(crate) grants_before: usize,
}

impl Turn {
    /// A call that stands alone.
    pub fn alone() -> Self {
        Turn::default()
    }

    /// How many calls follow in the batch.
    pub fn rest(&self) -> usize {
        self.place.map_or(0, |place| place.total.saturating_sub(place.index))
    }

    /// A grant of the batch was used.
    pub(crate) fn used(&mut self, id: &str) {
        for grant in self.grants.iter_mut().filter(|grant| grant.id == id) {
            grant.uses_left = grant.uses_left.map(|left| left.saturating_sub(1));
        }
    }

    /// What was asked about has changed, so nothing that was said of it counts.
    pub(crate) fn forget(&mut self) {
        self.grants.truncate(self.grants_before);
        self.quit = false;
    }
}
