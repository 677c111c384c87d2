//! The answering side of the queue: sees what is open, answers, and says when somebody is at a prompt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use sayso_core::prompt::{Answer, Prompt};

use super::desk::Answerer;
use super::refused::Refused;
use super::{Prompts, Shared};

/// Hands a prompt to somebody who does not come for it. An error, or a panic, means that it was not shown.
pub type Deliver = Arc<dyn Fn(&Arc<Prompt>) -> Result<(), String> + Send + Sync>;

/// A place from which prompts are answered. When it is dropped, nobody sits there any more.
pub struct Seat {
    shared: Arc<Shared>,
    number: u64,
}

/// Calls it, and takes a panic for an error.
pub(super) fn deliver(deliver: &Deliver, prompt: &Arc<Prompt>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| deliver(prompt))).unwrap_or_else(|_| Err("the screen broke".to_owned()))
}

impl Seat {
    pub(super) fn new(shared: Arc<Shared>, answerer: Answerer) -> Self {
        let number = shared.at_desk(|desk| desk.sit(answerer));
        Seat { shared, number }
    }

    /// What is open, the oldest first.
    pub fn pending(&self) -> Vec<Arc<Prompt>> {
        self.shared.desk().pending(self.number)
    }

    /// Answers. The first valid answer wins.
    pub fn answer(&self, answer: Answer) -> Result<(), Refused> {
        self.shared.at_desk(|desk| desk.answer(self.number, answer))
    }

    /// Somebody is looking at a prompt: it waits longer, up to a limit.
    pub fn activity(&self, prompt: &str) -> Result<(), Refused> {
        self.shared.at_desk(|desk| desk.activity(self.number, prompt, Instant::now()))
    }

    /// A number that is another one after every change.
    pub fn version(&self) -> u64 {
        self.shared.desk().version()
    }

    /// Waits on this thread until something changed since `version`, or for so long.
    pub fn wait(&self, version: u64, longest: Duration) -> u64 {
        let end = Instant::now().checked_add(longest);
        let mut desk = self.shared.desk();
        while desk.version() == version && !desk.is_closed() {
            let left = end.map_or(longest, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            desk = self.shared.bell.wait_timeout(desk, left).unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        desk.version()
    }

    /// The same as a future, without a limit.
    pub async fn changed(&self, version: u64) -> u64 {
        std::future::poll_fn(|context| {
            let mut desk = self.shared.desk();
            if desk.version() != version || desk.is_closed() {
                return Poll::Ready(desk.version());
            }
            desk.wait_for_news(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// The queue it belongs to.
    pub fn prompts(&self) -> Prompts {
        Prompts(Arc::clone(&self.shared))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.at_desk(|desk| desk.leave(self.number));
    }
}
