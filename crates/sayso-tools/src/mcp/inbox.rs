//! What a server has said and nobody has taken yet: never more than the one answer that is waited for, and a few marks.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::text::node::Node;

use super::Patience;
use super::error::{McpError, ServerEnd, WaitError};
use super::wire::Said;

/// So many requests of a server are refused; more are dropped.
const MOST_WANTED: usize = 1000;
/// How often whoever waits looks whether it is worth it.
const LOOK: Duration = Duration::from_millis(50);

/// An answer, or what came in its place.
pub(super) type Answer = Result<Node, McpError>;

#[derive(Debug, Default)]
struct State {
    awaited: Option<String>,
    answer: Option<Answer>,
    wanted: VecDeque<(String, String)>,
    all_wanted: usize,
    has_changed: bool,
    ended: Option<ServerEnd>,
}

/// The inbox.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    news: Condvar,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the server says. What nobody waits for is thrown away.
    pub(super) fn put(&self, said: Result<Said, McpError>) {
        let mut state = self.state();
        match said {
            Ok(Said::Answer(id, answer)) if state.awaited.as_ref() == Some(&id) => {
                (state.awaited, state.answer) = (None, Some(answer));
            }
            Ok(Said::Request(id, method)) if state.all_wanted < MOST_WANTED => {
                state.all_wanted += 1;
                state.wanted.push_back((id, method));
            }
            Ok(Said::Notice(method)) if method == "notifications/tools/list_changed" => {
                state.has_changed = true
            }
            Ok(_) => return,
            // It may be the answer; nobody can tell, so nobody waits for it.
            Err(why) if state.awaited.is_some() => {
                (state.awaited, state.answer) = (None, Some(Err(why)))
            }
            Err(_) => return,
        }
        self.news.notify_all();
    }

    /// The server is of no use any more.
    pub(super) fn end(&self, why: ServerEnd) {
        let mut state = self.state();
        state.ended.get_or_insert(why);
        self.news.notify_all();
    }

    /// Why the server is of no use any more.
    pub(super) fn ended(&self) -> Option<ServerEnd> {
        self.state().ended.clone()
    }

    /// Only the answer to this request counts from now on.
    pub(super) fn await_id(&self, id: Option<String>) {
        let mut state = self.state();
        (state.awaited, state.answer) = (id, None);
    }

    /// Whether the server said that its tools are others; it is forgotten by that.
    pub(super) fn take_changed(&self) -> bool {
        std::mem::take(&mut self.state().has_changed)
    }

    /// The same, not forgotten.
    pub(super) fn has_changed(&self) -> bool {
        self.state().has_changed
    }

    /// Waits for the answer, or for something that the server wants first.
    pub(super) fn wait(&self, patience: Patience<'_>) -> Next {
        let mut state = self.state();
        loop {
            // First: an answer ends the waiting, and the server may wait for this one.
            if let Some((id, method)) = state.wanted.pop_front() {
                return Next::Wanted(id, method);
            }
            if let Some(answer) = state.answer.take() {
                return Next::Answer(answer);
            }
            if let Some(ended) = &state.ended {
                return Next::Answer(Err(McpError::Ended(ended.clone())));
            }
            if let Some(why) = patience.is_over() {
                state.awaited = None;
                return Next::Over(why);
            }
            state = self
                .news
                .wait_timeout(state, LOOK)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// What comes next.
pub(super) enum Next {
    Answer(Answer),
    Wanted(String, String),
    Over(WaitError),
}
