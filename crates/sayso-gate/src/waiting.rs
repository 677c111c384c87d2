//! A call that somebody waits for: if the caller goes away, or something breaks on the way, the call still gets its end.

use std::sync::Arc;

use sayso_core::answer::outcome::Outcome;
use sayso_core::call::operation::Operation;

use crate::closing::End;
use crate::gate::Gate;
use crate::guarded::caught;

/// Ends a call as taken back, unless it was over before this is dropped.
pub(crate) struct Waiting<'a> {
    gate: &'a Gate,
    operation: Option<Arc<Operation>>,
}

impl<'a> Waiting<'a> {
    /// The call is frozen and has no end yet.
    pub(crate) fn start(gate: &'a Gate, operation: &Arc<Operation>) -> Self {
        Waiting {
            gate,
            operation: Some(Arc::clone(operation)),
        }
    }

    /// It has its end.
    pub(crate) fn over(mut self) {
        self.operation = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(operation) = self.operation.take() {
            // A panic in here would end the process, if another one is what brought us here.
            caught(
                || {
                    drop(
                        self.gate
                            .refuse_unjudged(&operation, &End::of(Outcome::Cancelled)),
                    )
                },
                drop,
            );
        }
    }
}
