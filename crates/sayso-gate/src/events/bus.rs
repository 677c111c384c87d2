//! Tells observers what happened, the most important first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use super::Event;

/// Somebody who is told what happens.
pub type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// Who is told.
#[derive(Default)]
pub struct Bus(RwLock<Vec<(i32, Observer)>>);

impl Bus {
    /// Tells somebody from now on; a higher priority is told sooner.
    pub fn observe(&self, priority: i32, observer: Observer) {
        let mut observers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        observers.push((priority, observer));
        observers.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    }

    /// Tells everybody.
    pub fn publish(&self, event: &Event) {
        for (_, observer) in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = catch_unwind(AssertUnwindSafe(|| observer(event)));
        }
    }
}
