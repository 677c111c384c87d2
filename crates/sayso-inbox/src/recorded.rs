//! What the inbox writes into the record, and what it looks up there.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::text::node::{Node, Value};
use sayso_store::index::Index;
use sayso_store::journal::{Journal, Sync};
use sayso_store::record;
use sayso_store::rules_and_grants::Standing;
use sayso_store::rules_and_grants::change::{self, Change};

use super::error::SourceError;
use super::problem::Problem;

/// The record.
#[derive(Clone)]
pub(super) struct Recorded(Arc<Inner>);

struct Inner {
    state: PathBuf,
    user: u32,
    journal: Mutex<Option<Arc<Journal>>>,
    index: Mutex<Option<Index>>,
}

impl Recorded {
    pub(super) fn new(state: &Path, user: u32) -> Recorded {
        Recorded(Arc::new(Inner {
            state: state.to_owned(),
            user,
            journal: Mutex::new(None),
            index: Mutex::new(None),
        }))
    }

    pub(super) fn state(&self) -> &Path {
        &self.0.state
    }

    fn journal(&self) -> Result<Arc<Journal>, SourceError> {
        let mut journal = self
            .0
            .journal
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match &*journal {
            Some(journal) => Ok(Arc::clone(journal)),
            None => Ok(Arc::clone(
                journal.insert(Arc::new(Journal::open(&self.0.state)?)),
            )),
        }
    }

    fn who(&self) -> Vec<(&'static str, Node)> {
        vec![("user", Value::Number(self.0.user.to_string()).into())]
    }

    /// Writes an entry that belongs to no call.
    pub(super) fn note(
        &self,
        kind: &str,
        fields: Vec<(&'static str, String)>,
    ) -> Result<(), SourceError> {
        let mut all = self.who();
        all.extend(
            fields
                .iter()
                .map(|(name, value)| (*name, record::text(value))),
        );
        self.journal()?.append(kind, all, Sync::System)?;
        Ok(())
    }

    /// Everything that is remembered.
    pub(super) fn standing(&self) -> Result<Vec<Standing>, Problem> {
        sayso_runtime::rules_layer::standing(&self.0.state).map_err(Problem::broken)
    }

    /// Takes something back that is remembered, and says who did.
    pub(super) fn remove(&self, one: &Standing, by: &str) -> Result<(), Problem> {
        let mut about = self.who();
        about.push(("by", record::text(by)));
        about.extend(
            one.session()
                .map(|session| ("session", record::text(session))),
        );
        about.push(("words", record::text(&format!("taken back: {}", one.words))));
        let journal = self.journal().map_err(Problem::broken)?;
        change::write(&journal, about, &Change::Removed(&one.id), Sync::Disk)
            .map(drop)
            .map_err(Problem::broken)
    }

    /// Looks something up, with all that is recorded by now. It takes its time, so it is not called where others wait.
    pub(super) fn look<T, E: Display>(
        &self,
        look: impl FnOnce(&Index) -> Result<T, E>,
    ) -> Result<Option<T>, Problem> {
        if !self.0.state.join("journal").exists() {
            return Ok(None);
        }
        let mut slot = self.0.index.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match slot.take() {
            Some(mut index) => index.refresh().map(|()| index),
            None => Index::open(&self.0.state, &mut |_| {}),
        };
        let index = index.map_err(Problem::broken)?;
        let found = look(&index).map_err(Problem::broken)?;
        *slot = Some(index);
        Ok(Some(found))
    }
}
