//! What is open: posted, listed, answered, ended. The first valid answer wins, and whatever else happens to a prompt is a denial.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round};
use sayso_core::text::json;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::events::{About, Event, EventKind};
use sayso_gate::prompts::{Answerer, Prompts, Refused, Seat, Ticket};

use super::feed::Feed;
use super::item::Posted;
use super::now_ms;

/// So many ended prompts are remembered, to tell who was first.
const REMEMBERED: usize = 16_384;

/// Keeps open prompts. One that several servers share would be another of these.
pub(super) trait Inbox: Send + Sync {
    /// Puts a prompt there, then tells of it. What is returned waits for its end, and takes it back when it is dropped.
    fn post(&self, posted: Posted) -> Waiting;
    /// What is open and wanted, the oldest first, behind a prompt with this id; and how many there are in all.
    fn list(
        &self,
        wanted: &dyn Fn(&Posted) -> bool,
        after: Option<&str>,
        most: usize,
    ) -> (Vec<Arc<Posted>>, usize);
    /// One of them, or how it ended; none where there was never such a prompt.
    fn find(&self, id: &str) -> Option<Result<Arc<Posted>, Over>>;
    /// Takes an answer.
    fn answer(&self, answer: Answer, by: &DecidedBy) -> Result<Over, Refused>;
    /// Somebody looks at it: it waits longer.
    fn activity(&self, id: &str, by: &DecidedBy) -> Result<(), Refused>;
    /// When it is denied, in milliseconds since 1970.
    fn due(&self, id: &str) -> Option<i64>;
    /// How many are open.
    fn len(&self) -> usize;
    /// Ends everything.
    fn close(&self);
}

/// How a prompt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Over {
    /// In a word.
    pub answer: &'static str,
    /// Which of how many confirmations it was the answer to.
    pub round: Round,
    /// How far the yes goes; none where it was no yes.
    pub scope: Option<Scope>,
    /// The session of the call that it was about.
    pub session: String,
    /// Who said so.
    pub by: Option<DecidedBy>,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl Over {
    /// Who said so, for people.
    pub(super) fn words(&self) -> Option<String> {
        self.by.as_ref().map(|by| visible(&by.words()).into_owned())
    }

    pub(super) fn node(&self) -> Node {
        Node::map([
            ("answer", Node::text(self.answer)),
            ("round", Node::text(self.round.word())),
            (
                "scope",
                self.scope
                    .map_or_else(|| Value::Null.into(), |scope| Node::text(scope.word())),
            ),
            ("session", Node::text(&self.session)),
            ("by", maybe(self.by.as_ref().map(DecidedBy::text))),
            ("by_words", maybe(self.words())),
            ("at", Value::Number(self.at.to_string()).into()),
        ])
    }
}

/// Prompts of this process.
pub(super) struct Here {
    queue: Prompts,
    seat: Seat,
    /// Taken by whoever answers.
    turn: Mutex<()>,
    /// One moment by both clocks: a deadline has one time, however often it is looked up.
    start: (Instant, i64),
    shared: Arc<Shared>,
}

struct Shared {
    feed: Arc<dyn Feed>,
    rows: Mutex<Rows>,
}

#[derive(Default)]
struct Rows {
    open: BTreeMap<u64, Arc<Posted>>,
    numbers: HashMap<String, u64>,
    next: u64,
    over: HashMap<String, Over>,
    oldest: VecDeque<String>,
}

/// Waits for the end of a prompt.
pub(super) struct Waiting {
    ticket: Ticket,
    posted: Arc<Posted>,
    shared: Arc<Shared>,
    done: bool,
}

impl Here {
    pub(super) fn new(feed: Arc<dyn Feed>) -> Here {
        let queue = Prompts::new();
        // Prompts wait here also while nobody looks.
        let seat = queue.join(Answerer::new("the inbox"));
        Here {
            queue,
            seat,
            turn: Mutex::new(()),
            start: (Instant::now(), now_ms()),
            shared: Arc::new(Shared {
                feed,
                rows: Mutex::default(),
            }),
        }
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.shared
            .rows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox for Here {
    fn post(&self, posted: Posted) -> Waiting {
        let posted = Arc::new(posted);
        {
            let mut rows = self.rows();
            let number = rows.next;
            rows.next += 1;
            // An id that was used before ends at once, and must not hide the prompt that has it.
            if !rows.numbers.contains_key(posted.id()) {
                rows.numbers.insert(posted.id().to_owned(), number);
                rows.open.insert(number, Arc::clone(&posted));
            }
        }
        // There first, told then: who answers at once finds it.
        let ticket = self.queue.open(Arc::clone(&posted.prompt));
        let due = self.due(posted.id());
        let text = format!("{{\"prompt\":{}}}", posted.summary(due));
        // The verdict comes before the question, in this order.
        if posted.prompt.round != Round::Second {
            let judged = event(
                EventKind::Check,
                &posted.prompt,
                About::Verdict(Arc::clone(&posted.prompt.verdict)),
            );
            self.shared.feed.tell_others(posted.session(), judged);
        }
        let event = event(
            EventKind::Requested,
            &posted.prompt,
            About::Prompt(Arc::clone(&posted.prompt)),
        );
        self.shared.feed.tell(
            "requested",
            posted.session(),
            Some(text),
            Some(event),
            Some(Arc::clone(&posted)),
        );
        Waiting {
            ticket,
            posted,
            shared: Arc::clone(&self.shared),
            done: false,
        }
    }

    fn list(
        &self,
        wanted: &dyn Fn(&Posted) -> bool,
        after: Option<&str>,
        most: usize,
    ) -> (Vec<Arc<Posted>>, usize) {
        let rows = self.rows();
        let from = after.map_or(0, |after| {
            rows.numbers
                .get(after)
                .map_or(u64::MAX, |number| number + 1)
        });
        let mut found = Vec::new();
        let mut total = 0;
        // One that was answered is open for a moment longer, until whoever asked has heard of it.
        let is_open = |posted: &Posted| !rows.over.contains_key(posted.id());
        for (number, posted) in rows
            .open
            .iter()
            .filter(|(_, posted)| is_open(posted) && wanted(posted))
        {
            total += 1;
            if *number >= from && found.len() < most {
                found.push(Arc::clone(posted));
            }
        }
        (found, total)
    }

    fn find(&self, id: &str) -> Option<Result<Arc<Posted>, Over>> {
        let rows = self.rows();
        if let Some(over) = rows.over.get(id) {
            return Some(Err(over.clone()));
        }
        rows.numbers
            .get(id)
            .and_then(|number| rows.open.get(number))
            .map(|posted| Ok(Arc::clone(posted)))
    }

    fn answer(&self, answer: Answer, by: &DecidedBy) -> Result<Over, Refused> {
        let prompt = match self.find(&answer.prompt) {
            Some(Ok(posted)) => Some(Arc::clone(&posted.prompt)),
            _ => None,
        };
        let ended = Ended::Answered {
            answer: answer.clone(),
            by: by.clone(),
        };
        let over = over(prompt.as_deref(), &ended);
        let id = answer.prompt.clone();
        // One after the other, so that whoever is refused can be told who was first.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.seat.answer_as(answer, by.clone())?;
        // Whoever comes second is told who was first, also before the one who asked has heard of it.
        self.rows().over.entry(id).or_insert_with(|| over.clone());
        Ok(over)
    }

    fn activity(&self, id: &str, by: &DecidedBy) -> Result<(), Refused> {
        self.seat.activity(id)?;
        if let Some(Ok(posted)) = self.find(id) {
            let due = posted
                .expires_at(self.due(id))
                .map_or_else(|| Value::Null.into(), number);
            let node = Node::map([
                ("prompt", Node::text(id)),
                ("by", Node::text(by.text())),
                ("by_words", Node::text(visible(&by.words()))),
                ("expires_at", due),
            ]);
            self.shared.feed.say("activity", posted.session(), &node);
        }
        Ok(())
    }

    fn due(&self, id: &str) -> Option<i64> {
        let after = self.seat.due(id)?.saturating_duration_since(self.start.0);
        Some(
            self.start
                .1
                .saturating_add(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    fn len(&self) -> usize {
        self.rows().open.len()
    }

    fn close(&self) {
        self.queue.close();
    }
}

impl Waiting {
    fn finish(&mut self, ended: &Ended) {
        if std::mem::replace(&mut self.done, true) {
            return;
        }
        let (id, prompt) = (self.posted.id(), &self.posted.prompt);
        let over = over(Some(prompt), ended);
        {
            let mut rows = self
                .shared
                .rows
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let is_this = rows.numbers.get(id).is_some_and(|number| {
                rows.open
                    .get(number)
                    .is_some_and(|one| Arc::ptr_eq(one, &self.posted))
            });
            if !is_this {
                return;
            }
            if let Some(number) = rows.numbers.remove(id) {
                rows.open.remove(&number);
            }
            rows.over
                .entry(id.to_owned())
                .or_insert_with(|| over.clone());
            rows.oldest.push_back(id.to_owned());
            if rows.oldest.len() > REMEMBERED {
                let oldest = rows.oldest.pop_front();
                oldest.map(|id| rows.over.remove(&id));
            }
        }
        let ours = Node::map([
            ("prompt", Node::text(id)),
            ("session", Node::text(self.posted.session())),
            ("call_id", Node::text(prompt.operation.id())),
            ("answer", Node::text(over.answer)),
            ("round", Node::text(over.round.word())),
            (
                "scope",
                over.scope
                    .map_or_else(|| Value::Null.into(), |scope| Node::text(scope.word())),
            ),
            ("by", maybe(over.by.as_ref().map(DecidedBy::text))),
            ("by_words", maybe(over.words())),
            ("at", number(over.at)),
        ]);
        let event = event(
            EventKind::Responded,
            prompt,
            About::Answer(Arc::clone(prompt), ended.clone()),
        );
        self.shared.feed.tell(
            "responded",
            self.posted.session(),
            Some(json::write_plain(&ours)),
            Some(event),
            None,
        );
    }
}

impl Future for Waiting {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended> {
        match Pin::new(&mut self.ticket).poll(context) {
            Poll::Ready(ended) => {
                self.finish(&ended);
                Poll::Ready(ended)
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Whoever asked is gone.
        self.finish(&Ended::Cancelled);
    }
}

/// How a prompt ended, in short.
fn over(prompt: Option<&Prompt>, ended: &Ended) -> Over {
    let answer = match ended {
        Ended::Answered { answer, .. } => match &answer.choice {
            Choice::Offer(index) => prompt
                .and_then(|prompt| prompt.offers.get(*index))
                .map_or("once", |offer| offer.scope.word()),
            Choice::Pattern { .. } => "pattern",
            Choice::Deny => "deny",
            Choice::Quit => "quit",
        },
        Ended::TimedOut => "timeout",
        Ended::Cancelled => "cancelled",
        Ended::Nobody => "nobody",
        Ended::Failed(_) => "failed",
    };
    let by = match ended {
        Ended::Answered { by, .. } => Some(by.clone()),
        _ => None,
    };
    let scope = match ended {
        Ended::Answered { answer, .. } => prompt.and_then(|prompt| prompt.scope_of(&answer.choice)),
        _ => None,
    };
    let session = prompt
        .map(|prompt| prompt.operation.session().to_owned())
        .unwrap_or_default();
    let round = prompt.map_or(Round::Only, |prompt| prompt.round);
    Over {
        answer,
        round,
        scope,
        session,
        by,
        at: now_ms(),
    }
}

fn event(kind: EventKind, prompt: &Arc<Prompt>, about: About) -> Event {
    Event {
        kind,
        at: now_ms() / 1000,
        operation: Some(Arc::clone(&prompt.operation)),
        about,
    }
}

fn maybe(text: Option<String>) -> Node {
    text.map_or_else(|| Value::Null.into(), Node::text)
}

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}
