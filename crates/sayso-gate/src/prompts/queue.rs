//! The state of the queue, without locks or time of its own: what is open, who sits there, what has ended.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::task::Waker;
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};

use super::answerer::{Answerer, Post, Seated};
use super::refusal::Refused;
use crate::pattern;

/// So many ended prompts are remembered, to tell a late answer from one to a prompt that never was.
const REMEMBERED: usize = 4096;
/// Activity puts the end off, but not beyond so many times the whole wait.
pub(crate) const LONGEST_WAIT: u32 = 4;

/// What a prompt has come to.
enum Slot {
    Open {
        due: Option<Instant>,
        wait: Duration,
        last: Instant,
    },
    Ended(Ended),
}

struct Row {
    prompt: Arc<Prompt>,
    slot: Slot,
    waker: Option<Waker>,
    /// The seats that it could not be shown at, and why.
    unshown: BTreeMap<u64, String>,
}

impl Row {
    fn new(prompt: Arc<Prompt>, slot: Slot) -> Self {
        Row {
            prompt,
            slot,
            waker: None,
            unshown: BTreeMap::new(),
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.slot, Slot::Open { .. })
    }
}

/// The queue's state. Numbers grow, so their order is the order of asking.
#[derive(Default)]
pub(super) struct Desk {
    rows: BTreeMap<u64, Row>,
    numbers: HashMap<String, u64>,
    open: usize,
    next: u64,
    /// Those with an end in time, the next first.
    due: BTreeSet<(Instant, u64)>,
    /// Whether an ended prompt was answered.
    ended: HashMap<String, bool>,
    oldest_ended: VecDeque<String>,
    seated: BTreeMap<u64, Seated>,
    closed: bool,
    kept: bool,
    /// Grows with every change, for those who wait for news.
    version: u64,
    /// Those who wait for news as a future.
    readers: BTreeMap<u64, Waker>,
    awake: Vec<Waker>,
}

impl Desk {
    pub(super) fn len(&self) -> usize {
        self.open
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// A number that was not given before.
    fn number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Registers a prompt, and posts it to whoever does not come for it.
    pub(super) fn open(
        &mut self,
        prompt: Arc<Prompt>,
        wait: Option<Duration>,
        now: Instant,
    ) -> u64 {
        let number = self.number();
        let twice = self.numbers.contains_key(&prompt.id) || self.ended.contains_key(&prompt.id);
        let anybody = self
            .seated
            .values()
            .any(|seated| seated.answerer.may(&prompt));
        let end = match (twice, self.closed, anybody) {
            (true, ..) => Some(Ended::Failed(
                "the id of the prompt was used before".to_owned(),
            )),
            (_, true, _) => Some(Ended::Cancelled),
            (_, _, false) => Some(Ended::Nobody),
            _ => None,
        };
        if let Some(end) = end {
            self.rows.insert(number, Row::new(prompt, Slot::Ended(end)));
            return number;
        }
        let waits = wait.unwrap_or_default();
        let slot = Slot::Open {
            due: wait.and_then(|wait| now.checked_add(wait)),
            wait: waits,
            last: now
                .checked_add(waits.saturating_mul(LONGEST_WAIT))
                .unwrap_or(now),
        };
        if let Slot::Open { due: Some(due), .. } = slot {
            self.due.insert((due, number));
        }
        self.numbers.insert(prompt.id.clone(), number);
        let mut row = Row::new(prompt, slot);
        for (seat, seated) in self
            .seated
            .iter()
            .filter(|(_, seated)| seated.answerer.may(&row.prompt))
        {
            // Only a number: a screen that hangs keeps no prompts.
            if seated
                .post
                .as_ref()
                .is_some_and(|post| post.send(number).is_err())
            {
                row.unshown
                    .insert(*seat, "there is no thread to show it".to_owned());
            }
        }
        self.rows.insert(number, row);
        self.open += 1;
        self.news();
        self.end_unseen(number);
        number
    }

    /// Whoever takes a seat gets what is open already.
    pub(super) fn sit(&mut self, answerer: Answerer) -> (u64, Option<Post>) {
        let seat = self.number();
        let (post, numbers) = answerer.deliver.is_some().then(channel).unzip();
        let open = self
            .rows
            .iter()
            .filter(|(_, row)| row.is_open() && answerer.may(&row.prompt));
        let open = open
            .filter(|(number, _)| {
                post.as_ref()
                    .is_some_and(|post: &Sender<u64>| post.send(**number).is_ok())
            })
            .count();
        self.seated.insert(seat, Seated { answerer, post });
        (seat, numbers.map(|numbers| Post { numbers, open }))
    }

    /// Prompts that nobody else sees end at once: a screen that is gone answers nothing any more. Whoever left is given back, to be dropped
    /// outside of the lock.
    pub(super) fn leave(&mut self, seat: u64) -> Option<Seated> {
        let left = self.seated.remove(&seat);
        let open: Vec<u64> = self
            .rows
            .iter()
            .filter(|(_, row)| row.is_open())
            .map(|(number, _)| *number)
            .collect();
        for number in open {
            self.end_unseen(number);
        }
        left
    }

    /// A prompt, if it is still open.
    pub(super) fn prompt(&self, number: u64) -> Option<Arc<Prompt>> {
        self.rows
            .get(&number)
            .filter(|row| row.is_open())
            .map(|row| Arc::clone(&row.prompt))
    }

    /// A prompt could not be shown at a seat.
    pub(super) fn fail(&mut self, number: u64, seat: u64, why: String) {
        if let Some(row) = self.rows.get_mut(&number) {
            row.unshown.insert(seat, why);
            self.end_unseen(number);
        }
    }

    /// Ends a prompt that nobody is there for, or that could not be shown to anybody who is.
    fn end_unseen(&mut self, number: u64) {
        let Some(row) = self.rows.get(&number) else {
            return;
        };
        let mut there = self
            .seated
            .iter()
            .filter(|(_, seated)| seated.answerer.may(&row.prompt))
            .map(|(seat, _)| seat)
            .peekable();
        if there.peek().is_none() {
            return self.end(number, Ended::Nobody);
        }
        let Some(why) = there
            .map(|seat| row.unshown.get(seat).map(String::as_str))
            .collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let why = format!("the prompt could not be shown: {}", why.join("; "));
        self.end(number, Ended::Failed(why));
    }

    /// What is open for somebody, the oldest first.
    pub(super) fn pending(&self, seat: u64) -> Vec<Arc<Prompt>> {
        let Some(Seated { answerer, .. }) = self.seated.get(&seat) else {
            return Vec::new();
        };
        let open = self
            .rows
            .values()
            .filter(|row| row.is_open() && answerer.may(&row.prompt));
        open.map(|row| Arc::clone(&row.prompt)).collect()
    }

    /// Takes an answer, if it is the first valid one. `by` is who gave it, where several people answer at one seat.
    pub(super) fn answer(
        &mut self,
        seat: u64,
        answer: Answer,
        by: Option<DecidedBy>,
    ) -> Result<(), Refused> {
        let Some(number) = self.numbers.get(&answer.prompt).copied() else {
            return Err(match self.ended.get(&answer.prompt) {
                Some(true) => Refused::AlreadyAnswered,
                Some(false) => Refused::Late,
                None => Refused::Unknown,
            });
        };
        let Seated { answerer, .. } = self.seated.get(&seat).ok_or(Refused::NotYours)?;
        let row = self.rows.get(&number).ok_or(Refused::Unknown)?;
        if !answerer.may(&row.prompt) {
            return Err(Refused::NotYours);
        }
        if answer.digest != row.prompt.operation.digest() {
            return Err(Refused::OtherDigest);
        }
        if !row.prompt.takes(&answer.choice) {
            return Err(Refused::NotOffered);
        }
        if let Choice::Pattern { text, .. } = &answer.choice {
            pattern::check(text, &row.prompt).map_err(Refused::BadPattern)?;
        }
        let by = by.unwrap_or_else(|| answerer.name.as_str().into());
        self.end(number, Ended::Answered { answer, by });
        Ok(())
    }

    /// Somebody is at the prompt: its end is put off, up to a limit.
    pub(super) fn activity(&mut self, seat: u64, id: &str, now: Instant) -> Result<(), Refused> {
        let number = self.numbers.get(id).copied().ok_or(Refused::Late)?;
        let may = self
            .seated
            .get(&seat)
            .zip(self.rows.get(&number))
            .is_some_and(|(seated, row)| seated.answerer.may(&row.prompt));
        match self.rows.get_mut(&number).map(|row| &mut row.slot) {
            Some(Slot::Open { due, wait, last }) if may => {
                let Some(before) = *due else { return Ok(()) };
                let later = now
                    .checked_add(*wait)
                    .unwrap_or(before)
                    .min(*last)
                    .max(before);
                *due = Some(later);
                self.due.remove(&(before, number));
                self.due.insert((later, number));
                Ok(())
            }
            _ => Err(Refused::NotYours),
        }
    }

    /// When an open prompt is denied; none where it waits, or is not open.
    pub(super) fn due(&self, id: &str) -> Option<Instant> {
        match self.rows.get(self.numbers.get(id)?)?.slot {
            Slot::Open { due, .. } => due,
            Slot::Ended(_) => None,
        }
    }

    pub(super) fn expire(&mut self, now: Instant) {
        let due: Vec<u64> = self
            .due
            .iter()
            .take_while(|(due, _)| *due <= now)
            .map(|(_, number)| *number)
            .collect();
        for number in due {
            self.end(number, Ended::TimedOut);
        }
    }

    /// When the next one is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(due, _)| *due)
    }

    pub(super) fn end_all(&mut self, end: &Ended, which: impl Fn(&Prompt) -> bool) {
        let numbers: Vec<u64> = self
            .rows
            .iter()
            .filter(|(_, row)| which(&row.prompt))
            .map(|(number, _)| *number)
            .collect();
        for number in numbers {
            self.end(number, end.clone());
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.end_all(&Ended::Cancelled, |_| true);
        self.news();
    }

    /// Whether a keeper has to be started now.
    pub(super) fn hire_keeper(&mut self) -> bool {
        !std::mem::replace(&mut self.kept, true)
    }

    /// The keeper has nothing more to do.
    pub(super) fn rest_keeper(&mut self) {
        self.kept = false;
    }

    /// There is no keeper, so nothing that can be due may stay open.
    pub(super) fn dismiss_keeper(&mut self, why: &str) {
        self.kept = false;
        self.end_all(&Ended::Failed(why.to_owned()), |prompt| {
            prompt.timeout.is_some()
        });
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Ends a prompt that is open; one that has ended stays as it is.
    fn end(&mut self, number: u64, end: Ended) {
        let Some(row) = self
            .rows
            .get_mut(&number)
            .filter(|row| matches!(row.slot, Slot::Open { .. }))
        else {
            return;
        };
        let answered = matches!(end, Ended::Answered { .. });
        if let Slot::Open { due: Some(due), .. } = row.slot {
            self.due.remove(&(due, number));
        }
        row.slot = Slot::Ended(end);
        self.awake.extend(row.waker.take());
        let id = row.prompt.id.clone();
        self.numbers.remove(&id);
        self.open -= 1;
        self.ended.insert(id.clone(), answered);
        self.oldest_ended.push_back(id);
        if self.oldest_ended.len() > REMEMBERED {
            let oldest = self.oldest_ended.pop_front();
            oldest.map(|id| self.ended.remove(&id));
        }
        self.news();
    }

    /// The end of a prompt, for its ticket; the waker is called when it comes. The one from before is given back, to be dropped outside
    /// of the lock: a task may go with it, and tickets with that.
    pub(super) fn take(&mut self, number: u64, waker: &mut Option<Waker>) -> Option<Ended> {
        if let Some(Row {
            slot: Slot::Open { .. },
            waker: kept,
            ..
        }) = self.rows.get_mut(&number)
        {
            std::mem::swap(kept, waker);
            return None;
        }
        match self.rows.remove(&number).map(|row| row.slot) {
            Some(Slot::Ended(end)) => Some(end),
            // Taken before: nothing can be answered twice.
            _ => Some(Ended::Cancelled),
        }
    }

    /// The ticket is gone: the host took the call back.
    pub(super) fn drop_ticket(&mut self, number: u64) {
        self.end(number, Ended::Cancelled);
        self.rows.remove(&number);
    }

    /// Somebody waits for news, in a slot of their own. The waker from before is given back, to be dropped outside of the lock.
    pub(super) fn wait_for_news(&mut self, slot: &mut Option<u64>, waker: Waker) -> Option<Waker> {
        let slot = *slot.get_or_insert_with(|| self.number());
        self.readers.insert(slot, waker)
    }

    /// They do so no longer.
    pub(super) fn stop_waiting(&mut self, slot: u64) -> Option<Waker> {
        self.readers.remove(&slot)
    }

    fn news(&mut self) {
        self.version += 1;
        self.awake
            .extend(std::mem::take(&mut self.readers).into_values());
    }

    pub(super) fn take_wakers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.awake)
    }
}
