//! Where a call stands among others: by itself, or as one of a batch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::IntoIter;

use sayso_core::answer::grant::Grant;
use sayso_core::answer::rule_id::GrantId;
use sayso_core::call::operation::Call;
use sayso_core::prompt::{Member, Position};
use sayso_core::text::digest::Digest;

use super::lifecycle::End;

/// The turn of one call.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Which one of how many.
    pub place: Option<Position>,
    /// The batch it belongs to.
    pub batch: Option<String>,
    /// What was granted for the rest of this batch.
    pub grants: Vec<Grant>,
    /// What was granted to single calls of it, with another one of their group, by digest; each is used up by one call.
    pub(crate) approved: HashMap<Digest, Vec<Grant>>,
    /// The other calls that one answer is for.
    pub group: Vec<Member>,
    /// Calls of the batch that were denied with another one of their group, by digest.
    pub(crate) denied: HashMap<Digest, End>,
    /// Somebody stopped the batch.
    pub quit: bool,
    /// How many grants of the batch there were before the call was asked about.
    pub(crate) grants_before: usize,
    /// The calls that follow in the batch.
    pub(crate) calls: Option<Arc<Mutex<IntoIter<Call>>>>,
}

impl Turn {
    /// A call that stands alone.
    pub fn alone() -> Self {
        Turn::default()
    }

    /// How many calls follow in the batch.
    pub fn rest(&self) -> usize {
        self.place
            .map_or(0, |place| place.total.saturating_sub(place.index))
    }

    /// The calls that follow in the batch, where it is one.
    pub(crate) fn following(&self) -> Option<MutexGuard<'_, IntoIter<Call>>> {
        self.calls
            .as_deref()
            .map(|calls| calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The grants of the batch that may be for a call.
    pub(crate) fn grants_for(&self, digest: Digest) -> impl Iterator<Item = &Grant> {
        self.grants
            .iter()
            .chain(self.approved.get(&digest).into_iter().flatten())
    }

    /// A grant of the batch was used by a call; says whether it was one.
    pub(crate) fn take(&mut self, digest: Digest, id: &GrantId) -> bool {
        if let Some(grants) = self.approved.get_mut(&digest)
            && let Some(at) = grants.iter().position(|grant| id.is_of(grant))
        {
            grants.remove(at);
            return true;
        }
        self.grants.iter().any(|grant| id.is_of(grant))
    }

    /// What was asked about has changed, so nothing that was said of it counts.
    pub(crate) fn forget(&mut self) {
        self.grants.truncate(self.grants_before);
        self.quit = false;
    }
}
