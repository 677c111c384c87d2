//! The answering side of the queue: who may answer which prompts, and the seat from which they see and answer them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::prompt::{Answer, Prompt};

use super::refusal::Refused;
use super::{Prompts, Shared};
use crate::error::{PortError, port_error};
use crate::panic_guard::caught;

/// Somebody who can answer.
#[derive(Clone)]
pub struct Answerer {
    /// Who, by a name that the door vouches for; it goes into the record.
    pub name: String,
    /// Whose prompts.
    pub reaches: Reaches,
    /// How a prompt is handed over, where somebody does not come for it. It is called on a thread of the seat's own, one prompt at a time,
    /// and on the thread that joins for what is open already; one that hangs holds up nobody else.
    pub deliver: Option<Deliver>,
}

/// Whose prompts somebody may answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaches {
    /// Everybody's.
    All,
    /// Those of one session.
    Session(String),
}

impl Answerer {
    /// Somebody who may answer everything, and comes for it.
    pub fn new(name: impl Into<String>) -> Self {
        Answerer {
            name: name.into(),
            reaches: Reaches::All,
            deliver: None,
        }
    }

    pub(super) fn may(&self, prompt: &Prompt) -> bool {
        match &self.reaches {
            Reaches::All => true,
            Reaches::Session(session) => prompt.operation.session() == session,
        }
    }
}

/// Somebody who sits there.
pub(super) struct Seated {
    pub(super) answerer: Answerer,
    /// Where the numbers of prompts go that have to be handed over.
    pub(super) post: Option<Sender<u64>>,
}

/// What a new seat has to hand over: the numbers of prompts, of which so many were open when it came.
pub(super) struct Post {
    pub(super) numbers: Receiver<u64>,
    pub(super) open: usize,
}

/// Hands a prompt to somebody who does not come for it. An error, or a panic, means that it was not shown.
pub type Deliver = Arc<dyn Fn(&Arc<Prompt>) -> Result<(), PortError> + Send + Sync>;

/// A place from which prompts are answered. When it is dropped, nobody sits there any more.
pub struct Seat {
    shared: Arc<Shared>,
    number: u64,
}

/// Hands prompts over at one seat.
struct Courier {
    shared: Arc<Shared>,
    seat: u64,
    deliver: Deliver,
}

impl Courier {
    /// Shows what is open already, then starts the thread that shows what comes. It ends when nobody sits there any more.
    fn start(self, post: Post) {
        post.numbers
            .try_iter()
            .take(post.open)
            .for_each(|number| self.hand_over(number));
        let work = move || {
            post.numbers
                .iter()
                .for_each(|number| self.hand_over(number))
        };
        // If there is no thread, the post is gone with it, and what comes is not shown here.
        drop(
            std::thread::Builder::new()
                .name("sayso-screen".to_owned())
                .spawn(work),
        );
    }

    /// Hands over one prompt, unless it has ended. A panic is an error.
    fn hand_over(&self, number: u64) {
        let Some(prompt) = self.shared.desk().prompt(number) else {
            return;
        };
        if let Err(why) = caught(
            || (self.deliver)(&prompt),
            |_| Err(port_error("the screen broke")),
        ) {
            self.shared
                .at_desk(|desk| desk.fail(number, self.seat, why.to_string()));
        }
    }
}

/// Waits for news. Its waker goes with it.
struct Changed<'a> {
    shared: &'a Shared,
    version: u64,
    slot: Option<u64>,
}

impl Future for Changed<'_> {
    type Output = u64;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u64> {
        let waker = context.waker().clone();
        let mut desk = self.shared.desk();
        if desk.version() != self.version || desk.is_closed() {
            return Poll::Ready(desk.version());
        }
        let before = desk.wait_for_news(&mut self.slot, waker);
        drop(desk);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Changed<'_> {
    fn drop(&mut self) {
        let waker = self
            .slot
            .and_then(|slot| self.shared.desk().stop_waiting(slot));
        drop(waker);
    }
}

impl Seat {
    pub(super) fn new(shared: Arc<Shared>, answerer: Answerer) -> Self {
        let deliver = answerer.deliver.clone();
        let (number, post) = shared.at_desk(|desk| desk.sit(answerer));
        if let (Some(deliver), Some(post)) = (deliver, post) {
            Courier {
                shared: Arc::clone(&shared),
                seat: number,
                deliver,
            }
            .start(post);
        }
        Seat { shared, number }
    }

    /// What is open, the oldest first.
    pub fn pending(&self) -> Vec<Arc<Prompt>> {
        self.shared.desk().pending(self.number)
    }

    /// Answers. The first valid answer wins.
    pub fn answer(&self, answer: Answer) -> Result<(), Refused> {
        self.shared
            .at_desk(|desk| desk.answer(self.number, answer, None))
    }

    /// The same for a door where several people answer, each by a name that it vouches for.
    pub fn answer_as(&self, answer: Answer, by: DecidedBy) -> Result<(), Refused> {
        self.shared
            .at_desk(|desk| desk.answer(self.number, answer, Some(by)))
    }

    /// When an open prompt is denied, if nobody answers; none where it waits, or is not open.
    pub fn due(&self, prompt: &str) -> Option<Instant> {
        self.shared.desk().due(prompt)
    }

    /// Somebody is looking at a prompt: it waits longer, up to a limit.
    pub fn activity(&self, prompt: &str) -> Result<(), Refused> {
        self.shared
            .at_desk(|desk| desk.activity(self.number, prompt, Instant::now()))
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
            desk = self
                .shared
                .bell
                .wait_timeout(desk, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
        desk.version()
    }

    /// The same as a future, without a limit.
    pub async fn changed(&self, version: u64) -> u64 {
        Changed {
            shared: &self.shared,
            version,
            slot: None,
        }
        .await
    }

    /// The queue it belongs to.
    pub fn prompts(&self) -> Prompts {
        Prompts(Arc::clone(&self.shared))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let left = self.shared.at_desk(|desk| desk.leave(self.number));
        drop(left);
    }
}
