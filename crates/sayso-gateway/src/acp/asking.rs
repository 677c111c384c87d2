//! Brings a question to the person: to the inbox, if somebody watches it, and else to the editor. Where neither can ask it, it is a no.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Choice, Ended, Prompt, Round};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::ports::{Ask, Later};
use tokio::sync::oneshot;

use super::answered::Answered;
use super::message::{Id, text};
use super::open_requests::{Calls, Open};
use super::options;
use super::options::{Choices, ONCE};
use super::{question, replies};
use crate::rpc::inbox::{LONGEST, in_inbox};
use crate::rpc::outlet::Outlet;
use crate::rpc::random_word;
use sayso_runtime::ask_inbox;

/// So many questions that were given up are known, for answers that come too late.
const MOST_LATE: usize = 4096;

/// Asks the person.
pub(super) struct Asks {
    state: PathBuf,
    calls: Arc<Calls>,
    editor: Arc<Outlet>,
    /// What was said yes to a moment ago.
    pub answered: Answered,
    asked: Mutex<HashMap<Id, Asked>>,
    late: Mutex<HashSet<Id>>,
}

/// A question that the editor asks.
struct Asked {
    prompt: Arc<Prompt>,
    open: Arc<Open>,
    tell: oneshot::Sender<Ended>,
    until: Instant,
    /// It is a question of sayso's own.
    is_ours: bool,
}

impl Asks {
    pub(super) fn new(state: &Path, calls: Arc<Calls>, editor: Arc<Outlet>) -> Asks {
        Asks {
            state: state.to_owned(),
            calls,
            editor,
            answered: Answered::default(),
            asked: Mutex::default(),
            late: Mutex::default(),
        }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Id, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn late(&self) -> MutexGuard<'_, HashSet<Id>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the editor is asked about this request now.
    pub(super) fn is_with_editor(&self, open: &Open) -> bool {
        self.asked()
            .values()
            .any(|asked| asked.open.call == open.call)
    }

    /// Whether an answer to a question under this id may still come, though nobody waits for it any more.
    pub(super) fn was_given_up(&self, id: &Id) -> bool {
        self.late().contains(id)
    }

    /// Takes an answer of the editor; false if it is to something else.
    pub(super) fn answers(&self, id: &Id, line: &[u8]) -> bool {
        let Some(asked) = self.asked().remove(id) else {
            return self.late().remove(id);
        };
        let ended = asked.ended(line);
        // If the call is gone, the answer does not count.
        let _ = asked.tell.send(ended);
        true
    }

    /// Ends what nobody has answered in time.
    pub(super) fn expire(&self) {
        let now = Instant::now();
        let due: Vec<Id> = self
            .asked()
            .iter()
            .filter(|(_, asked)| asked.until <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in due {
            if let Some(asked) = self.give_up(&id) {
                let _ = asked.tell.send(Ended::TimedOut);
            }
        }
    }

    /// Forgets a question; an answer that still comes is none any more.
    fn give_up(&self, id: &Id) -> Option<Asked> {
        let asked = self.asked().remove(id)?;
        let mut late = self.late();
        if late.len() < MOST_LATE {
            late.insert(id.clone());
        }
        Some(asked)
    }

    /// Whether the person said yes to the very same when the agent asked for it.
    fn was_answered(&self, prompt: &Prompt, open: &Open) -> bool {
        let about = &open.about;
        // What must be asked about may be more than what was shown then: a folder can have become a link since.
        let must_be = prompt.verdict.reasons.iter().any(|reason| reason.must_ask);
        let can_be = prompt.round == Round::Only
            && about.choices.is_none()
            && !about.what.is_empty()
            && !must_be;
        can_be
            && about
                .what
                .iter()
                .all(|what| self.answered.take(&about.session, what))
    }

    /// Asks by the editor.
    async fn by_editor(&self, prompt: Arc<Prompt>, open: Arc<Open>) -> Ended {
        let failed = |why: &str| {
            let reason = prompt
                .verdict
                .reasons
                .first()
                .map(|reason| visible(&reason.text()).into_owned())
                .unwrap_or_default();
            Ended::Failed(format!("a person has to be asked: {reason}; and {why}"))
        };
        if prompt.round != Round::Only {
            let place = ask_inbox::where_to_answer(&self.state, &open.about.bench.settings);
            return failed(&format!(
                "it takes two confirmations, and the dialog of the editor has one. {place}"
            ));
        }
        let (id, line, is_ours) = match &open.about.choices {
            Some(choices) => {
                let address = open.address();
                let line = if choices.lasts {
                    options::without_lasting(&address.line)
                } else {
                    Some(address.line.clone())
                };
                (address.id.clone(), line, false)
            }
            None => {
                let Ok(word) = random_word() else {
                    return failed("the system gives no random numbers");
                };
                let id = Id::text(&format!("sayso-{word}"));
                let call = question::tool_call(&prompt, &format!("sayso-{word}"));
                let line = call.map(|call| replies::question(&id, &open.about.session, call));
                (id, line, true)
            }
        };
        let Some(line) = line else {
            return failed(
                "it is too much for the dialog of the editor; open the inbox with `sayso serve`",
            );
        };
        let (tell, told) = oneshot::channel();
        let until = Instant::now() + prompt.timeout.map_or(LONGEST, Duration::from_secs);
        // Known before it is said: the answer may come at once.
        self.asked().insert(
            id.clone(),
            Asked {
                prompt,
                open,
                tell,
                until,
                is_ours,
            },
        );
        // Whoever stops waiting takes the question back.
        let _asked = Forget(self, id);
        self.editor.say(line);
        told.await.unwrap_or(Ended::Cancelled)
    }
}

impl Asked {
    /// What an answer of the editor says. Everything but a plain yes is a no.
    fn ended(&self, line: &[u8]) -> Ended {
        let answered = |choice| Ended::Answered {
            answer: self.prompt.answer(choice),
            by: DecidedBy::Dialog("the editor".to_owned()),
        };
        let keep = |yes: bool| {
            if !self.is_ours {
                *self
                    .open
                    .about
                    .editor
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = Some((yes, line.to_vec()));
            }
        };
        let node = std::str::from_utf8(line)
            .ok()
            .and_then(|text| json::read(text, &Limits::default()).ok());
        let Some(outcome) = node
            .as_ref()
            .and_then(|node| node.get("result"))
            .and_then(|result| result.get("outcome"))
        else {
            return Ended::Failed("the editor did not answer the question".to_owned());
        };
        let picked = text(outcome, "optionId").unwrap_or_default();
        let kind = |choices: &Choices| (choices.kind(picked) == Some(ONCE), choices.is_no(picked));
        let (is_yes, is_no) = match (&self.open.about.choices, self.is_ours) {
            (Some(choices), false) => kind(choices),
            _ => (picked == "sayso-once", picked == "sayso-deny"),
        };
        match text(outcome, "outcome") {
            Some("selected") if is_yes => {
                let Some(once) = self.prompt.offer(Scope::Once) else {
                    return Ended::Failed("it cannot be allowed for once".to_owned());
                };
                keep(true);
                answered(Choice::Offer(once))
            }
            Some("selected") if is_no => {
                keep(false);
                answered(Choice::Deny)
            }
            Some("cancelled") => {
                keep(false);
                Ended::Cancelled
            }
            _ => Ended::Failed(
                "the editor's answer is none that counts: only a yes for once does".to_owned(),
            ),
        }
    }
}

/// Forgets a question when nobody waits for it any more.
struct Forget<'a>(&'a Asks, Id);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.give_up(&self.1);
    }
}

impl Ask for Asks {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        Box::pin(async move {
            let Some(open) = self.calls.asked(prompt.operation.id()) else {
                return Ended::Failed("it was taken back".to_owned());
            };
            if let Some(once) = prompt
                .offer(Scope::Once)
                .filter(|_| self.was_answered(&prompt, &open))
            {
                let answer = prompt.answer(Choice::Offer(once));
                return Ended::Answered {
                    answer,
                    by: DecidedBy::Dialog("the editor".to_owned()),
                };
            }
            // Only the person can tell which of several answers is meant, and only the editor shows them.
            if open
                .about
                .choices
                .as_ref()
                .is_some_and(|choices| choices.has_several)
            {
                return self.by_editor(prompt, open).await;
            }
            match self.is_for_inbox(&open).await {
                Ok(true) => in_inbox(&self.state, prompt, false).await,
                Ok(false) => self.by_editor(prompt, open).await,
                Err(ended) => ended,
            }
        })
    }
}

impl Asks {
    /// Whether the inbox is where the person looks. It is asked on a thread of its own, since it may take its time.
    async fn is_for_inbox(&self, open: &Open) -> Result<bool, Ended> {
        let (tell, told) = oneshot::channel();
        let (state, bench) = (self.state.clone(), Arc::clone(&open.about.bench));
        let look = move || tell.send(ask_inbox::is_asked_there(&state, &bench.settings));
        std::thread::Builder::new()
            .name("inbox".to_owned())
            .spawn(look)
            .map_err(|error| Ended::Failed(format!("nobody could be asked: {error}")))?;
        match told.await {
            Ok(is_there) => is_there.map_err(|why| Ended::Failed(why.to_string())),
            Err(_) => Err(Ended::Failed("nobody could be asked".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_nobody_asked_has_no_answer() {
        let outlet = Outlet::start(Box::new(std::io::sink())).unwrap();
        let asks = Asks::new(Path::new("/nonexistent"), Arc::default(), outlet);
        assert!(!asks.answers(&Id::text("x"), b"{}"));
    }
}
