//! Asks the person about one operation: once, or twice with two separate prompts, and checks what comes back.

use std::sync::Arc;

use sayso_core::analysis::draft::Reading;
use sayso_core::answer::decided_by::DecidedBy;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::rest_of_batch::RestOfBatch;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::{Confirm, Verdict};
use sayso_core::call::operation::Operation;
use sayso_core::prompt::patterns::TypedPatternError;
use sayso_core::prompt::{Choice, Ended, Prompt, Round};

use super::batch_context::Turn;
use super::gate::Gate;
use super::lifecycle::End;
use super::recording_world::Noting;
use super::seal_check::Shown;
use crate::approved::Yes;
use crate::binding::Sealed;
use crate::entry::What;
use crate::error::{CallError, PresentError, StoreError};
use crate::events::{About, EventKind};
use crate::offers::{self, Around};
use crate::panic_guard::{caught, guarded};
use crate::presentation::Built;
use crate::prompts::LONGEST_WAIT;
use crate::{describe, pattern, presentation};

/// What came of asking.
pub(crate) enum Said {
    /// Yes, and what to keep of it.
    Yes(Yes, Option<Kept>),
    /// Anything else.
    No(End),
}

/// What an answer stores.
pub(crate) struct Kept {
    key: GrantKey,
    reach: Reach,
    words: String,
}

/// A yes to one prompt.
struct Answered {
    choice: Choice,
    by: DecidedBy,
    typed: Option<String>,
}

impl Gate {
    /// The question about an operation, with the bytes of files that it shows, or why there is none.
    pub(crate) fn question(
        &self,
        operation: &Arc<Operation>,
        reading: &Reading,
        verdict: &Arc<Verdict>,
        turn: &mut Turn,
    ) -> Result<(Arc<Prompt>, Vec<Sealed>), Box<End>> {
        turn.grants_before = turn.grants.len();
        if let Some(end) = turn.denied.get(&operation.digest()) {
            return Err(Box::new(end.clone()));
        }
        if let Some(why) = self.flood.refusal(operation, self.now()) {
            return Err(Box::new(End::problem(CallError::Flooded(why))));
        }
        let round = if verdict.confirm == Confirm::Double {
            Round::First
        } else {
            Round::Only
        };
        let prompt = self.prompt(operation, reading, verdict, turn, round);
        prompt
            .map(|(prompt, bytes)| (Arc::new(prompt), bytes))
            .map_err(|why| Box::new(End::problem(CallError::NotShown(why))))
    }

    /// Asks until there is an answer. Whatever goes wrong is a no.
    pub(crate) async fn ask(&self, mut prompt: Arc<Prompt>, turn: &mut Turn) -> Said {
        let mut answered = self.put(&prompt).await;
        let twice = prompt.round == Round::First;
        let mut first_key = None;
        if let (true, Ok(first)) = (twice, &answered) {
            first_key.clone_from(&first.typed);
            // A prompt with an id of its own: the answer to the first is none to this one. It confirms what was chosen, and nothing else.
            let Some(second) = prompt.second(self.ids.next("prompt"), self.now(), &first.choice)
            else {
                return Said::No(End::problem(CallError::NotOffered));
            };
            prompt = Arc::new(second);
            answered = self.put(&prompt).await;
        }
        let Answered { choice, by, typed } = match answered {
            Ok(answered) => answered,
            Err(end) => {
                let end = End {
                    prompt: Some(prompt.id.as_str().into()),
                    ..end
                };
                return Said::No(self.noticed(&prompt.operation, end, turn));
            }
        };
        self.flood.approved(&prompt.operation);
        match kept(&prompt, &choice) {
            Ok((scope, kept)) => {
                let confirmations = if twice { 2 } else { 1 };
                // The key that chose the answer; the one that confirmed it says only yes.
                let typed = first_key.or(typed).map(Into::into);
                Said::Yes(
                    Yes {
                        by,
                        scope,
                        confirmations,
                        prompt: prompt.id.as_str().into(),
                        kept: None,
                        typed,
                    },
                    kept,
                )
            }
            Err(why) => Said::No(End::problem(why)),
        }
    }

    /// Shows one prompt and waits for its end.
    async fn put(&self, prompt: &Arc<Prompt>) -> Result<Answered, End> {
        // Nobody is asked anything that the record does not know of.
        let asked = What::Asked {
            prompt: prompt.id.clone(),
            round: prompt.round,
        };
        if let Err(why) = self.record(Some(&prompt.operation), asked) {
            return Err(End::problem(CallError::Unrecorded(why)));
        }
        let open = self.flood.open(prompt);
        // The queue registers the prompt when it is called, so it can be answered before anybody hears of it.
        let waiting = guarded(
            || {
                let waiting = self.ports.ask.ask(Arc::clone(prompt));
                self.tell(
                    EventKind::Requested,
                    Some(&prompt.operation),
                    About::Prompt(Arc::clone(prompt)),
                );
                waiting
            },
            |why| Ended::Failed(format!("the prompt broke: {why}")),
        );
        let ended = in_time(prompt, waiting.await, self.now());
        drop(open);
        self.tell(
            EventKind::Responded,
            Some(&prompt.operation),
            About::Answer(Arc::clone(prompt), ended.clone()),
        );
        match ended {
            Ended::TimedOut => Err(End::of(Outcome::TimedOut)),
            Ended::Cancelled => Err(End::of(Outcome::Cancelled)),
            Ended::Nobody => Err(End::of(Outcome::Nobody)),
            Ended::Failed(why) => Err(End::problem(CallError::PromptFailed(why))),
            Ended::Answered { answer, by } => {
                // Whoever brought the answer, it counts only for this prompt, as it was shown.
                if answer.prompt != prompt.id
                    || answer.digest != prompt.operation.digest()
                    || !prompt.takes(&answer.choice)
                {
                    return Err(End::problem(CallError::OtherQuestion));
                }
                let (note, typed) = (answer.note, answer.typed);
                match answer.choice {
                    Choice::Deny => Err(End {
                        note,
                        typed,
                        by: Some(by),
                        ..End::of(Outcome::Denied)
                    }),
                    Choice::Quit => Err(End {
                        note,
                        typed,
                        by: Some(by),
                        quit: true,
                        ..End::of(Outcome::Cancelled)
                    }),
                    choice => Ok(Answered { choice, by, typed }),
                }
            }
        }
    }

    /// What a refusal means for what follows.
    fn noticed(&self, operation: &Operation, end: End, turn: &mut Turn) -> End {
        if end.outcome == Outcome::Denied {
            self.flood.denied(operation, self.now());
        }
        turn.quit |= end.quit;
        end
    }

    /// What the person looks at, and which bytes of files it was made from. What breaks on the way cannot be shown.
    pub(crate) fn present(
        &self,
        operation: &Operation,
        reading: &Reading,
        verdict: &Verdict,
    ) -> Result<(Built, Vec<Sealed>), PresentError> {
        let policy = self.policy();
        let settings = self.settings(&policy, operation);
        let noting = Noting::new(self.ports.world.as_ref());
        let built = caught(
            || presentation::build(&noting, operation, reading, verdict, settings),
            |why| Err(PresentError::Panicked(why)),
        )?;
        Ok((built, noting.bytes()))
    }

    fn prompt(
        &self,
        operation: &Arc<Operation>,
        reading: &Reading,
        verdict: &Arc<Verdict>,
        turn: &Turn,
        round: Round,
    ) -> Result<(Prompt, Vec<Sealed>), PresentError> {
        let policy = self.policy();
        let settings = self.settings(&policy, operation);
        let (built, bytes) = self.present(operation, reading, verdict)?;
        let rest = if turn.batch.is_some() { turn.rest() } else { 0 };
        let rest_covers = RestOfBatch::new(settings.approve_all_covers_dangerous);
        let mut offers = offers::offers(operation, reading, verdict, Around { rest, rest_covers });
        let widest = self.ports.store.widest();
        offers.retain(|offer| offer.scope <= widest);
        if !turn.group.is_empty() {
            // One answer for several is for these and no more.
            offers.retain(|offer| offer.scope == Scope::Once);
            for offer in &mut offers {
                offer.words = format!("allow these {} once", turn.group.len() + 1);
            }
        }
        let prompt = Prompt {
            id: self.ids.next("prompt"),
            operation: Arc::clone(operation),
            verdict: Arc::clone(verdict),
            title: describe::title(operation, verdict),
            description: describe::description(operation, verdict),
            sentence: built.sentence,
            why: built.why,
            presentation: built.presentation,
            round,
            place: turn.place,
            group: turn.group.clone(),
            alike: self.flood.alike(operation),
            offers,
            style: describe::style(operation, verdict, settings),
            asked: self.now(),
            timeout: Some(settings.approval_timeout).filter(|seconds| *seconds > 0),
        };
        Ok((prompt, bytes))
    }

    /// Keeps what the answer stores, and writes it down. Tells the id and the words of what was kept.
    pub(crate) fn keep(
        &self,
        operation: &Arc<Operation>,
        shown: &Shown,
        verdict: &Verdict,
        kept: Option<Kept>,
        turn: &mut Turn,
    ) -> Result<Option<Arc<(String, String)>>, StoreError> {
        let Some(Kept { key, reach, words }) = kept else {
            return Ok(None);
        };
        let seal = shown.kept(&key);
        let grant = Grant {
            id: self.ids.next("grant"),
            key,
            agent: operation.agent().line(),
            expires: None,
            uses_left: None,
            risk: verdict.risk,
            seal,
            reach,
        };
        if let Reach::Batch(_) = grant.reach {
            let id = grant.id.clone();
            turn.grants.push(grant);
            let policy = self.policy();
            let covers = RestOfBatch::new(
                self.settings(&policy, operation)
                    .approve_all_covers_dangerous,
            );
            let words = self.approved_rest(turn, covers);
            self.tell(
                EventKind::ApproveAll,
                Some(operation),
                About::Words(words.clone()),
            );
            return Ok(Some(Arc::new((id, words))));
        }
        self.record(
            Some(operation),
            What::Granted {
                grant: Box::new(grant.clone()),
                words: words.clone(),
            },
        )?;
        let rule = matches!(grant.key, GrantKey::Rule(_));
        let id = grant.id.clone();
        self.ports.store.remember(grant)?;
        let words = if rule {
            format!("Auto-approval rule created: {words}")
        } else {
            format!("answer kept: {words}")
        };
        self.tell(
            EventKind::Updated,
            Some(operation),
            About::Words(words.clone()),
        );
        Ok(Some(Arc::new((id, words))))
    }
}

/// A yes long after the prompt's time is none, whoever kept it open: every way of asking has the limit that the queue has.
fn in_time(prompt: &Prompt, ended: Ended, now: i64) -> Ended {
    let is_yes = matches!(&ended, Ended::Answered { answer, .. } if !matches!(answer.choice, Choice::Deny | Choice::Quit));
    let longest = prompt.timeout.map(|seconds| {
        i64::try_from(seconds.saturating_mul(LONGEST_WAIT.into())).unwrap_or(i64::MAX)
    });
    match longest {
        Some(longest) if is_yes && now.saturating_sub(prompt.asked) > longest => Ended::TimedOut,
        _ => ended,
    }
}

/// What a yes stores, by the prompt it was said to.
fn kept(prompt: &Prompt, choice: &Choice) -> Result<(Scope, Option<Kept>), CallError> {
    let (scope, key, words) = match choice {
        Choice::Offer(index) => {
            let offer = prompt.offers.get(*index).ok_or(CallError::NotOffered)?;
            (
                offer.scope,
                offers::key_of(&offer.stores)
                    .map_err(|why| CallError::Unkeepable(TypedPatternError::Pattern(why)))?,
                offer.words.clone(),
            )
        }
        Choice::Pattern { text, scope } => {
            let rule = pattern::check(text, prompt).map_err(CallError::Unkeepable)?;
            let words = rule.words(*scope);
            (*scope, Some(GrantKey::Rule(Arc::new(rule))), words)
        }
        // A no is not kept.
        Choice::Deny | Choice::Quit => return Err(CallError::NotOffered),
    };
    let Some(key) = key else {
        return Ok((scope, None));
    };
    let reach = scope
        .reach(&prompt.operation)
        .ok_or(CallError::ScopeTooWide)?;
    Ok((scope, Some(Kept { key, reach, words })))
}
