//! Calls something that may break: a panic becomes a value, so it can be a denial and not a crash.

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use sayso_core::analysis::fact::{Facts, Question, Surroundings};
use sayso_core::answer::grant::Grant;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::presentation::Undo;
use sayso_core::text::digest::Digest;

use crate::binding::Sealed;
use crate::entry::Entry;
use crate::error::{ContentError, StoreError};
use crate::ports::{Content, Copies, Later, Outlook, Spent, Store, Tally, World};

/// Starts and awaits something; `broken` makes a value of a panic.
pub(crate) async fn guarded<'a, T>(
    start: impl FnOnce() -> Later<'a, T>,
    broken: impl Fn(String) -> T,
) -> T {
    let started = catch_unwind(AssertUnwindSafe(start));
    match started {
        Ok(mut later) => {
            let out = unbroken(later.as_mut())
                .await
                .unwrap_or_else(|Panicked(why)| broken(why));
            // Its value is there already, so it no longer matters how it goes away.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(later)));
            out
        }
        Err(panic) => broken(words(panic.as_ref())),
    }
}

/// What a panic said.
pub(crate) struct Panicked(pub(crate) String);

/// Awaits something that may panic.
pub(crate) async fn unbroken<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = pin!(work);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(Panicked(words(panic.as_ref())))),
        },
    )
    .await
}

/// Calls something; `broken` makes a value of a panic.
pub(crate) fn caught<T>(call: impl FnOnce() -> T, broken: impl FnOnce(String) -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| broken(words(panic.as_ref())))
}

/// A world that cannot break the gate: where it breaks, it knows nothing, and what is not known is denied.
pub(crate) struct GuardedWorld(pub(crate) Arc<dyn World + Send + Sync>);

impl World for GuardedWorld {
    fn answer(&self, cwd: &str, workspace: &str, questions: &[Question]) -> Facts {
        caught(
            || self.0.answer(cwd, workspace, questions),
            |_| Facts {
                surroundings: Surroundings {
                    workspace: workspace.to_owned(),
                    cwd: cwd.to_owned(),
                    home: None,
                    own: Vec::new(),
                },
                answers: questions.iter().map(|_| None).collect(),
            },
        )
    }

    fn seal(&self, files: &[Sealed]) -> Option<Digest> {
        caught(|| self.0.seal(files), |_| None)
    }

    fn seal_keeping(&self, files: &[Sealed]) -> Option<(Digest, Copies)> {
        caught(|| self.0.seal_keeping(files), |_| None)
    }

    fn content(&self, path: &str, most: u64) -> Result<Option<Content>, ContentError> {
        caught(
            || self.0.content(path, most),
            |why| Err(ContentError::Panicked(why)),
        )
    }

    fn tally(&self, path: &str, entries: usize, time: Duration) -> Option<Tally> {
        caught(|| self.0.tally(path, entries, time), |_| None)
    }

    fn outlook(&self, operation: &Operation, verdict: &Verdict) -> Outlook {
        caught(
            || self.0.outlook(operation, verdict),
            |why| Outlook {
                undo: Undo::Impossible(why),
                failure: None,
            },
        )
    }
}

/// A store that cannot break the gate: where it breaks, nothing was granted, kept or written down.
pub(crate) struct GuardedStore {
    store: Arc<dyn Store>,
    /// Grants whose use could not be counted; they may be used up, so they hold no longer.
    uncounted: Mutex<HashSet<String>>,
}

impl GuardedStore {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        GuardedStore {
            store,
            uncounted: Mutex::default(),
        }
    }

    fn uncounted(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.uncounted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for GuardedStore {
    fn grants(&self) -> Arc<Vec<Grant>> {
        let grants = caught(|| self.store.grants(), |_| Arc::default());
        let uncounted = self.uncounted();
        if uncounted.is_empty() {
            return grants;
        }
        Arc::new(
            grants
                .iter()
                .filter(|grant| !uncounted.contains(&grant.id))
                .cloned()
                .collect(),
        )
    }

    fn remember(&self, grant: Grant) -> Result<(), StoreError> {
        caught(
            || self.store.remember(grant),
            |why| Err(StoreError::Panicked(why)),
        )
    }

    fn take(&self, grant: &str) -> bool {
        let broken = |_| {
            self.uncounted().insert(grant.to_owned());
            false
        };
        caught(|| self.store.take(grant), broken)
    }

    fn spent(&self) -> Option<Arc<dyn Spent>> {
        caught(|| self.store.spent(), |_| None)
    }

    fn spend(&self, rule: &str, most: u64) -> bool {
        caught(|| self.store.spend(rule, most), |_| false)
    }

    fn widest(&self) -> Scope {
        caught(|| self.store.widest(), |_| Scope::Once)
    }

    fn append(&self, entry: &Entry) -> Result<(), StoreError> {
        caught(
            || self.store.append(entry),
            |why| Err(StoreError::Panicked(why)),
        )
    }
}

/// What a panic said.
pub(crate) fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it said nothing".to_owned())
}
