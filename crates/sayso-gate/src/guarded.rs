//! Calls something that may break: a panic becomes a value, so it can be a denial and not a crash.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use crate::ports::Later;

/// Starts and awaits something; `broken` makes a value of a panic.
pub(crate) async fn guarded<'a, T>(start: impl FnOnce() -> Later<'a, T>, broken: impl Fn(String) -> T) -> T {
    let started = catch_unwind(AssertUnwindSafe(start));
    match started {
        Ok(mut later) => {
            poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| later.as_mut().poll(context))) {
                Ok(poll) => poll,
                Err(panic) => Poll::Ready(broken(words(panic.as_ref()))),
            })
            .await
        }
        Err(panic) => broken(words(panic.as_ref())),
    }
}

/// What a panic said.
pub(crate) fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it said nothing".to_owned())
}
