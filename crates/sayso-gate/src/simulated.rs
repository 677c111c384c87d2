//! A person for tests: answers prompts by a script, and remembers what was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::answer::scope::Scope;
use sayso_core::prompt::{Answer, Choice, Ended, Prompt};

use crate::ports::{Ask, Later};

/// What the person says to one prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say {
    /// Yes, by the narrowest offer of this scope.
    Yes(Scope),
    /// Yes, by the offer with this index.
    Offer(usize),
    /// Yes, and keep this pattern.
    Pattern(String, Scope),
    /// No.
    No,
    /// No, and why.
    NoBecause(String),
    /// No, and nothing more of this batch.
    Quit,
    /// Nothing, until the time is over.
    Nothing,
    /// The host takes the call back.
    TakenBack,
    /// There is nobody.
    Gone,
    /// The screen breaks.
    Breaks,
    /// An answer that belongs to another prompt.
    ToAnother,
    /// An answer that belongs to another operation.
    ToOther,
}

/// A person who answers by a script, and with no when the script is over.
#[derive(Debug, Default)]
pub struct Simulated {
    script: Mutex<VecDeque<Say>>,
    seen: Mutex<Vec<Arc<Prompt>>>,
}

impl Simulated {
    /// A person with a script.
    pub fn new(script: impl IntoIterator<Item = Say>) -> Self {
        Simulated {
            script: Mutex::new(script.into_iter().collect()),
            seen: Mutex::default(),
        }
    }

    /// The prompts so far, in order.
    pub fn seen(&self) -> Vec<Arc<Prompt>> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds to the script.
    pub fn then(&self, say: Say) {
        self.script
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(say);
    }

    #[expect(clippy::panic, reason = "a screen that breaks is what is simulated")]
    fn say(&self, prompt: &Prompt) -> Ended {
        let say = self
            .script
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
            .unwrap_or(Say::No);
        let with = |answer: Answer| Ended::Answered {
            answer,
            by: "simulated".into(),
        };
        match say {
            Say::Yes(scope) => match prompt.yes(scope) {
                Some(index) => with(prompt.answer(Choice::Offer(index))),
                // What is not offered cannot be said.
                None => with(prompt.answer(Choice::Deny)),
            },
            Say::Offer(index) => with(prompt.answer(Choice::Offer(index))),
            Say::Pattern(text, scope) => with(prompt.answer(Choice::Pattern { text, scope })),
            Say::No => with(prompt.answer(Choice::Deny)),
            Say::NoBecause(note) => with(Answer {
                note: Some(note),
                ..prompt.answer(Choice::Deny)
            }),
            Say::Quit => with(prompt.answer(Choice::Quit)),
            Say::Nothing => Ended::TimedOut,
            Say::TakenBack => Ended::Cancelled,
            Say::Gone => Ended::Nobody,
            Say::Breaks => panic!("the simulated screen broke"),
            Say::ToAnother => with(Answer {
                prompt: "prompt-of-somebody-else".to_owned(),
                ..prompt.answer(Choice::Offer(0))
            }),
            Say::ToOther => {
                let digest = sayso_core::text::digest::Digest::of_bytes(b"something else");
                with(Answer {
                    digest,
                    ..prompt.answer(Choice::Offer(0))
                })
            }
        }
    }
}

impl Ask for Simulated {
    fn ask<'a>(&'a self, prompt: Arc<Prompt>) -> Later<'a, Ended> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::clone(&prompt));
        Box::pin(async move { self.say(&prompt) })
    }
}
