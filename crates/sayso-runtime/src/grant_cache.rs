//! What is remembered, for a process that runs for a while: grants and counts as the store has them, looked up anew when something changed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::answer::grant::{Grant, Reach};
use sayso_core::text::node::Node;
use sayso_gate::memory::Counts;
use sayso_shell::Bash;
use sayso_store::index::{Index, IndexError};
use sayso_store::journal::Journal;
use sayso_store::rules_and_grants::generation::{Generation, Mark};
use sayso_store::rules_and_grants::{Standing, What, grant_fields};

use crate::rules_layer::RulesError;

/// A grant for a session ends after this, in seconds, also where nobody said that the session is over.
const LONGEST_SESSION: i64 = 24 * 60 * 60;

/// The copy of a process.
pub struct Shelf {
    state: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    generation: Option<Generation>,
    /// The changes that the copy knows.
    seen: Option<Mark>,
    index: Option<Index>,
    grants: Arc<Vec<Grant>>,
    spent: Arc<Counts>,
}

impl Shelf {
    /// The copy for the store in this state folder; nothing is read yet.
    pub fn new(state: PathBuf) -> Self {
        let inner = Inner {
            generation: None,
            seen: None,
            index: None,
            grants: Arc::default(),
            spent: Arc::default(),
        };
        Shelf {
            state,
            inner: Mutex::new(inner),
        }
    }

    /// The folder that it is kept in.
    pub fn state(&self) -> &std::path::Path {
        &self.state
    }

    /// All grants that count. Where they cannot be read there are none: it is asked again.
    pub fn grants(&self) -> Arc<Vec<Grant>> {
        self.with(|inner| Arc::clone(&inner.grants))
            .unwrap_or_default()
    }

    /// How often limited rules were used.
    pub fn spent(&self) -> Option<Arc<Counts>> {
        self.with(|inner| Arc::clone(&inner.spent)).ok()
    }

    /// Uses something that may only be used so often; see [`Index::take`].
    pub fn take(
        &self,
        journal: &Journal,
        about: Vec<(&'static str, Node)>,
        id: &str,
        most: Option<u64>,
    ) -> bool {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        // Most have no number of uses. Whether one still stands was looked up for this call.
        if most.is_none()
            && inner
                .grants
                .iter()
                .any(|grant| grant.id == id && grant.uses_left.is_none())
        {
            return true;
        }
        let taken = inner
            .index(&self.state)
            .and_then(|index| index.take(journal, about, id, most));
        inner.seen = None;
        taken.unwrap_or(false)
    }

    fn with<T>(&self, look: impl FnOnce(&Inner) -> T) -> Result<T, RulesError> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.renew(&self.state)?;
        Ok(look(&inner))
    }
}

impl Inner {
    fn index(&mut self, state: &std::path::Path) -> Result<&mut Index, IndexError> {
        let index = match self.index.take() {
            Some(index) => index,
            None => Index::open(state, &mut |_| {})?,
        };
        Ok(self.index.insert(index))
    }

    /// Looks up what is remembered if it has changed since.
    fn renew(&mut self, state: &std::path::Path) -> Result<(), RulesError> {
        let generation = match &mut self.generation {
            Some(generation) => generation,
            none => none.insert(Generation::open(state)?),
        };
        let now = generation.now(state)?;
        if self.seen == Some(now) {
            return Ok(());
        }
        if now == Mark::Never {
            (self.grants, self.spent) = (Arc::default(), Arc::default());
            self.seen = Some(now);
            return Ok(());
        }
        if now == Mark::Unknown {
            // Counted from here on; where that fails, it is looked up for each call.
            let _ = generation.grow(state);
        }
        let index = self.index(state)?;
        index.refresh()?;
        let (standing, spent) = (index.standing()?, index.spent()?);
        self.grants = Arc::new(grants(&standing));
        self.spent = Arc::new(Counts(spent.into_iter().collect()));
        self.seen = Some(now).filter(|now| *now != Mark::Unknown);
        Ok(())
    }
}

/// The grants among what is remembered. One that cannot be read is left out: it is asked again.
pub fn grants(standing: &[Standing]) -> Vec<Grant> {
    let read = |one: &Standing| match &one.what {
        What::Grant(grant) if one.enabled => {
            let grant = grant_fields::read(&one.id, grant, &Bash).ok()?;
            Some(Grant {
                expires: one.expires,
                uses_left: one.uses_left,
                ..grant
            })
        }
        _ => None,
    };
    standing.iter().filter_map(read).collect()
}

/// A grant with an end: one for a session must not outlive it, whatever becomes of the process.
pub fn with_end(grant: &Grant, now: i64) -> Grant {
    let end = now.saturating_add(LONGEST_SESSION);
    let expires = match grant.reach {
        Reach::Session(_) => Some(grant.expires.map_or(end, |given| given.min(end))),
        _ => grant.expires,
    };
    Grant {
        expires,
        ..grant.clone()
    }
}
