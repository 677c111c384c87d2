//! A store that lives as long as the process: grants of this run, and the record for whoever looks.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::answer::grant::Grant;
use sayso_core::decide::Uses;

use crate::entry::Entry;
use crate::error::StoreError;
use crate::ports::{Spent, Store};

/// So many entries of the record are kept.
pub const MOST_ENTRIES: usize = 10_000;

/// A store in memory. Of the record it keeps the last [`MOST_ENTRIES`] entries; whoever needs all of it brings a store of their own.
///
/// Grants stay until they are used up, taken back, or their session ends. One whose scripts have changed stays, too: it allows nothing,
/// and would again if they were as they were.
#[derive(Debug, Default)]
pub struct Memory {
    grants: Mutex<Arc<Vec<Grant>>>,
    entries: Mutex<VecDeque<Entry>>,
    spent: Mutex<Arc<Counts>>,
}

/// How often rules were used.
#[derive(Clone, Debug, Default)]
pub struct Counts(pub HashMap<String, u64>);

impl Uses for Counts {
    fn count(&self, rule: &str) -> u64 {
        self.0.get(rule).copied().unwrap_or(0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was recorded last, the oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.entries).iter().cloned().collect()
    }

    /// Takes a grant back; says whether there was one.
    pub fn revoke(&self, id: &str) -> bool {
        let mut grants = lock(&self.grants);
        let before = grants.len();
        Arc::make_mut(&mut grants).retain(|grant| grant.id != id);
        grants.len() < before
    }

    /// Takes back all grants of a session: it ended.
    pub fn end_session(&self, session: &str) {
        let of_session = |grant: &Grant| matches!(&grant.reach, sayso_core::answer::grant::Reach::Session(name) if name == session);
        Arc::make_mut(&mut lock(&self.grants)).retain(|grant| !of_session(grant));
    }
}

impl Store for Memory {
    fn grants(&self) -> Arc<Vec<Grant>> {
        Arc::clone(&lock(&self.grants))
    }

    fn remember(&self, grant: Grant) -> Result<(), StoreError> {
        Arc::make_mut(&mut lock(&self.grants)).push(grant);
        Ok(())
    }

    fn take(&self, grant: &str) -> bool {
        let mut grants = lock(&self.grants);
        let Some(at) = grants.iter().position(|one| one.id == grant) else {
            return false;
        };
        // Most grants have no number of uses, and are not copied for being used.
        let Some(left) = grants.get(at).and_then(|one| one.uses_left) else {
            return true;
        };
        let grants = Arc::make_mut(&mut grants);
        match grants.get_mut(at) {
            Some(one) if left > 1 => one.uses_left = Some(left - 1),
            _ => drop(grants.remove(at)),
        }
        left > 0
    }

    fn spent(&self) -> Option<Arc<dyn Spent>> {
        let counts: Arc<Counts> = Arc::clone(&lock(&self.spent));
        Some(counts)
    }

    fn spend(&self, rule: &str, most: u64) -> bool {
        let mut spent = lock(&self.spent);
        let count = Arc::make_mut(&mut spent)
            .0
            .entry(rule.to_owned())
            .or_default();
        let left = *count < most;
        *count += u64::from(left);
        left
    }

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        let mut entries = lock(&self.entries);
        let oldest = if entries.len() >= MOST_ENTRIES {
            entries.pop_front()
        } else {
            None
        };
        entries.push_back(entry.clone());
        drop(entries);
        drop(oldest);
        Ok(())
    }
}
