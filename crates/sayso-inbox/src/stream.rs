//! A stream of events as the body of an answer: several that come close together go out as one piece.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Bytes;
use tokio::time::{Instant, Sleep, sleep};

use super::feed::Listening;

/// After so long without news a comment says that the line is open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// So long after a piece the next one waits, so that many events are few writes; and so much longer for each who listens, since what one event
/// costs is as much as they are.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_EACH: Duration = Duration::from_micros(250);
/// A piece is not longer than this, roughly.
const PIECE: usize = 64 << 10;

/// The events of one listener.
pub(super) struct Events {
    listening: Listening,
    alive: Pin<Box<Sleep>>,
    pause: Option<Pin<Box<Sleep>>>,
    ended: bool,
}

impl Events {
    pub(super) fn new(listening: Listening) -> Events {
        Events {
            listening,
            alive: Box::pin(sleep(KEEP_ALIVE)),
            pause: None,
            ended: false,
        }
    }

    /// The next piece; none at the end.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !self.listening.first.is_empty() {
            let first = std::mem::take(&mut self.listening.first).concat();
            return Poll::Ready(Some(Bytes::from(first)));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(pause) = &mut self.pause {
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        match self.listening.from.poll_recv(context) {
            Poll::Ready(Some(bytes)) => {
                self.alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
                let listeners = u32::try_from(self.listening.others()).unwrap_or(u32::MAX);
                self.pause = Some(Box::pin(sleep(
                    PAUSE.max(PAUSE_EACH.saturating_mul(listeners)),
                )));
                Poll::Ready(Some(self.gathered(bytes)))
            }
            Poll::Ready(None) => {
                self.ended = true;
                Poll::Ready(None)
            }
            Poll::Pending => match self.alive.as_mut().poll(context) {
                Poll::Ready(()) => {
                    self.alive.as_mut().reset(Instant::now() + KEEP_ALIVE);
                    // It is polled again at once, and waits then.
                    Poll::Ready(Some(Bytes::from_static(b": still here\n\n")))
                }
                Poll::Pending => Poll::Pending,
            },
        }
    }

    /// What waits already, behind this one.
    fn gathered(&mut self, first: Bytes) -> Bytes {
        let Ok(second) = self.listening.from.try_recv() else {
            return first;
        };
        let mut all = Vec::with_capacity(first.len() + second.len() + 4096);
        all.extend_from_slice(&first);
        all.extend_from_slice(&second);
        while all.len() < PIECE {
            match self.listening.from.try_recv() {
                Ok(more) => all.extend_from_slice(&more),
                Err(_) => break,
            }
        }
        Bytes::from(all)
    }
}
