//! The asking side of a prompt: waits for its end, as a future or on a thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use sayso_core::prompt::Ended;

use super::Shared;

/// Waits for the end of one prompt. Dropping it takes the prompt back.
pub struct Ticket {
    shared: Arc<Shared>,
    number: u64,
    done: bool,
}

impl Ticket {
    pub(super) fn new(shared: Arc<Shared>, number: u64) -> Self {
        Ticket {
            shared,
            number,
            done: false,
        }
    }

    /// Waits on this thread.
    pub fn wait(mut self) -> Ended {
        let mut desk = self.shared.desk();
        loop {
            if let Some(end) = desk.take(self.number, &mut None) {
                self.done = true;
                drop(desk);
                return end;
            }
            desk = self
                .shared
                .bell
                .wait(desk)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}

impl Future for Ticket {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended> {
        let mut waker = Some(context.waker().clone());
        let end = self.shared.desk().take(self.number, &mut waker);
        match end {
            Some(end) => {
                self.done = true;
                Poll::Ready(end)
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.done {
            let number = self.number;
            self.shared.at_desk(|desk| desk.drop_ticket(number));
        }
    }
}
