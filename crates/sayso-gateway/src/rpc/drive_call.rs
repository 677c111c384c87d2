//! Takes a call through the gate: what has an answer at once takes no thread, and what is asked about waits on one of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use super::in_flight::{Calls, Open, Walk};

/// So many calls may wait for a person; more are denied.
const MOST_HELD: usize = 256;
/// A judge needs so much stack.
const STACK: usize = 4 << 20;

/// A gateway whose calls are walked.
pub(crate) trait Walked<T, E>: Send + Sync + 'static {
    /// The calls in its hands.
    fn calls(&self) -> &Calls<T, E>;

    /// A call is over.
    fn over(&self, open: &Open<T>, end: E);

    /// A call cannot even wait, and so is denied.
    fn no_room(&self, open: &Open<T>, why: &str);
}

/// Has a call judged: it is passed on or refused at once, or somebody is asked, and then it waits by itself.
pub(crate) fn walk<T, E>(gateway: &Arc<impl Walked<T, E>>, open: Arc<Open<T>>, mut walk: Walk<E>)
where
    T: Send + Sync + 'static,
    E: Send + 'static,
{
    let calls = gateway.calls();
    calls.add(&open);
    match walk.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(end) => gateway.over(&open, end),
        Poll::Pending if open.was_sent.load(Ordering::SeqCst) => {
            match calls.keep(&open, walk) {
                // The answer is there, or is just being passed on.
                Some(walk) if open.is_followed.load(Ordering::SeqCst) => {
                    drop(pollster::block_on(walk))
                }
                _ => {}
            }
            calls.remove(&open);
        }
        Poll::Pending => hold(gateway, open, walk),
    }
}

/// Waits with a call until somebody has answered, on a thread of its own.
fn hold<T, E>(gateway: &Arc<impl Walked<T, E>>, open: Arc<Open<T>>, walk: Walk<E>)
where
    T: Send + Sync + 'static,
    E: Send + 'static,
{
    let deny = |why: &str| {
        gateway.calls().remove(&open);
        gateway.no_room(&open, why);
    };
    if !gateway.calls().hold(&open, MOST_HELD) {
        return deny(&format!("{MOST_HELD} calls wait for a person already"));
    }
    let (own_gateway, own) = (Arc::clone(gateway), Arc::clone(&open));
    let wait = move || {
        if let Some(end) = pollster::block_on(own.unless_cancelled(walk)) {
            own_gateway.over(&own, end);
        }
        own_gateway.calls().remove(&own);
    };
    if let Err(error) = std::thread::Builder::new()
        .name("held".to_owned())
        .stack_size(STACK)
        .spawn(wait)
    {
        deny(&error.to_string());
    }
}
