//! Asks the person about one operation: once, or twice with two separate prompts, and checks what comes back.

use std::sync::Arc;

use sayso_core::draft::Reading;
use sayso_core::grant::{Grant, GrantKey, Reach};
use sayso_core::operation::Operation;
use sayso_core::outcome::Outcome;
use sayso_core::presentation::Presentation;
use sayso_core::prompt::{Choice, Ended, Prompt, Round, Scope, Stores};
use sayso_core::verdict::{Confirm, Verdict};

use crate::approved::Yes;
use crate::closing::End;
use crate::entry::What;
use crate::events::{About, EventKind};
use crate::gate::Gate;
use crate::guarded::guarded;
use crate::offers::{self, Around};
use crate::turn::Turn;
use crate::{describe, pattern, presentation, seal};

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

impl Gate {
    /// Asks until there is an answer. Whatever goes wrong is a no.
    pub(crate) async fn ask(&self, operation: &Arc<Operation>, reading: &Reading, verdict: &Arc<Verdict>, turn: &mut Turn) -> Said {
        turn.grants_before = turn.grants.len();
        if let Some(end) = turn.denied.get(&operation.digest()) {
            return Said::No(end.clone());
        }
        if let Some(why) = self.flood.refusal(operation, self.now()) {
            return Said::No(End::trouble(&why));
        }
        let rounds: &[Round] = if verdict.confirm == Confirm::Double { &[Round::First, Round::Second] } else { &[Round::Only] };
        let mut said = None;
        for round in rounds {
            let prompt = match self.prompt(operation, reading, verdict, turn, *round) {
                Ok(prompt) => Arc::new(prompt),
                Err(why) => return Said::No(End::trouble(&format!("it could not be shown: {why}"))),
            };
            match self.put(&prompt).await {
                Ok((choice, by)) => said = Some((prompt, choice, by)),
                Err(end) => return Said::No(self.noticed(operation, End { prompt: Some(prompt.id.as_str().into()), ..end }, turn)),
            }
        }
        let Some((prompt, choice, by)) = said else { return Said::No(End::of(Outcome::Nobody)) };
        self.flood.approved(operation);
        let confirmations = u8::try_from(rounds.len()).unwrap_or(u8::MAX);
        match kept(&prompt, &choice) {
            Ok((scope, kept)) => Said::Yes(Yes { by, scope, prompt: prompt.id.as_str().into(), confirmations }, kept),
            Err(why) => Said::No(End::trouble(&why)),
        }
    }

    /// Shows one prompt and waits for its end.
    async fn put(&self, prompt: &Arc<Prompt>) -> Result<(Choice, String), End> {
        let open = self.flood.open(prompt);
        // The queue registers the prompt when it is called, so it can be answered before anybody hears of it.
        let waiting = guarded(
            || {
                let waiting = self.ports.ask.ask(Arc::clone(prompt));
                self.tell(EventKind::Requested, Some(&prompt.operation), About::Prompt(Arc::clone(prompt)));
                waiting
            },
            |why| Ended::Failed(format!("the prompt broke: {why}")),
        );
        let ended = waiting.await;
        drop(open);
        self.tell(EventKind::Responded, Some(&prompt.operation), About::Answer(Arc::clone(prompt), ended.clone()));
        match ended {
            Ended::TimedOut => Err(End::of(Outcome::TimedOut)),
            Ended::Cancelled => Err(End::of(Outcome::Cancelled)),
            Ended::Nobody => Err(End::of(Outcome::Nobody)),
            Ended::Failed(why) => Err(End::trouble(&why)),
            Ended::Answered { answer, by } => {
                // Whoever brought the answer, it counts only for this prompt, as it was shown.
                if answer.prompt != prompt.id || answer.digest != prompt.operation.digest() || !prompt.takes(&answer.choice) {
                    return Err(End::trouble("the answer was to another question"));
                }
                match answer.choice {
                    Choice::Deny => Err(End { note: answer.note, by: Some(by), ..End::of(Outcome::Denied) }),
                    Choice::Quit => Err(End { note: answer.note, by: Some(by), quit: true, ..End::of(Outcome::Cancelled) }),
                    choice => Ok((choice, by)),
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

    /// What the person looks at. What breaks on the way cannot be shown.
    pub(crate) fn present(&self, operation: &Operation, reading: &Reading, verdict: &Verdict) -> Result<Presentation, String> {
        let policy = self.policy();
        let settings = self.settings(&policy, operation);
        let build = || presentation::build(self.ports.world.as_ref(), operation, reading, verdict, settings);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(build)).unwrap_or_else(|panic| Err(crate::guarded::words(panic.as_ref())))
    }

    fn prompt(
        &self,
        operation: &Arc<Operation>,
        reading: &Reading,
        verdict: &Arc<Verdict>,
        turn: &Turn,
        round: Round,
    ) -> Result<Prompt, String> {
        let policy = self.policy();
        let settings = self.settings(&policy, operation);
        let presentation = self.present(operation, reading, verdict)?;
        let rest = turn
            .batch
            .as_deref()
            .map(|batch| (batch, turn.rest()))
            .filter(|_| round == Round::Only || settings.approve_all_covers_dangerous);
        let mut offers =
            offers::offers(operation, reading, verdict, Around { rest, rest_covers_danger: settings.approve_all_covers_dangerous });
        if !turn.group.is_empty() {
            // One answer for several is for these and no more.
            offers.retain(|offer| offer.scope == Scope::Once);
        }
        Ok(Prompt {
            id: self.ids.next("prompt"),
            operation: Arc::clone(operation),
            verdict: Arc::clone(verdict),
            title: describe::title(operation, verdict),
            description: describe::description(operation, verdict),
            presentation,
            round,
            place: turn.place,
            group: turn.group.clone(),
            alike: self.flood.alike(operation),
            offers,
            style: describe::style(operation, verdict, settings),
            asked: self.now(),
            timeout: Some(settings.approval_timeout).filter(|seconds| *seconds > 0),
        })
    }

    /// Keeps what the answer stores, and writes it down.
    pub(crate) fn keep(
        &self,
        operation: &Arc<Operation>,
        reading: &Reading,
        verdict: &Verdict,
        kept: Option<Kept>,
        turn: &mut Turn,
    ) -> Result<(), String> {
        let Some(Kept { key, reach, words }) = kept else { return Ok(()) };
        let seal = match seal::kept(&key, operation, reading) {
            files if files.is_empty() => None,
            files => Some(self.ports.world.seal(&files).ok_or("what it runs could not be looked at")?),
        };
        let grant = Grant {
            id: self.ids.next("grant"),
            key,
            agent: operation.agent().name.clone(),
            expires: None,
            uses_left: None,
            risk: verdict.risk,
            seal,
            reach,
        };
        if let Reach::Batch(_) = grant.reach {
            self.tell(EventKind::ApproveAll, Some(operation), About::Words(format!("✓ Approved {} remaining operations", turn.rest())));
            turn.grants.push(grant);
            return Ok(());
        }
        self.record(Some(operation), What::Granted { id: grant.id.clone(), words: words.clone() })?;
        let rule = matches!(grant.key, GrantKey::Pattern(_));
        self.ports.store.remember(grant)?;
        let words = if rule { format!("Auto-approval rule created: {words}") } else { format!("answer kept: {words}") };
        self.tell(EventKind::Updated, Some(operation), About::Words(words));
        Ok(())
    }

    /// Whether a grant was given for scripts that are no longer what they were.
    pub(crate) fn is_stale(&self, grant: &Grant, operation: &Operation, reading: &Reading) -> bool {
        // One of a batch is for exactly what was shown in it; a longer one only for the scripts.
        let files = || match grant.reach {
            Reach::Batch(_) => seal::files(operation, reading),
            _ => seal::kept(&grant.key, operation, reading),
        };
        grant.seal.is_some_and(|seal| self.ports.world.seal(&files()) != Some(seal))
    }
}

/// What a yes stores, by the prompt it was said to.
fn kept(prompt: &Prompt, choice: &Choice) -> Result<(Scope, Option<Kept>), String> {
    match choice {
        Choice::Offer(index) => {
            let offer = prompt.offers.get(*index).ok_or("the answer was not offered")?;
            let stored = offers::key_of(&offer.stores)?;
            Ok((offer.scope, stored.map(|(key, reach)| Kept { key, reach, words: offer.words.clone() })))
        }
        Choice::Pattern { text, scope } => {
            let pattern = pattern::check(text, &prompt.operation)?;
            let same = |stores: &Stores| matches!(stores, Stores::Rule { .. });
            let reach =
                prompt.offers.iter().find(|offer| offer.scope == *scope && same(&offer.stores)).and_then(|offer| match &offer.stores {
                    Stores::Rule { reach, .. } => Some(reach.clone()),
                    _ => None,
                });
            let reach = reach.ok_or("a pattern cannot be kept for that long")?;
            let words = format!("allow `{}` ({})", sayso_core::visible::visible(text), scope.word());
            Ok((*scope, Some(Kept { key: GrantKey::Pattern(Arc::new(pattern)), reach, words })))
        }
        Choice::Deny | Choice::Quit => Err("that is no yes".to_owned()),
    }
}
