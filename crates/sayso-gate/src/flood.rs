//! Against tiredness: many questions that are alike are said to be so, and after repeated denials alike ones are denied without asking.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use sayso_core::call::operation::Operation;
use sayso_core::call::tool::Role;
use sayso_core::prompt::{Alike, Prompt};

use crate::error::FloodError;

/// After so many denials in a row, alike calls are denied for a while.
const MOST_DENIALS: u32 = 5;
/// For so many seconds.
const PAUSE: i64 = 60;
/// So many kinds of denied calls are kept; beyond that, those whose pause is over are forgotten.
const MOST_KINDS: usize = 1000;
/// So many prompts of one session may be open.
const MOST_OPEN: usize = 20_000;

/// Keeps what is open and what was denied.
#[derive(Debug, Default)]
pub struct Flood(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// What is open, in the order it was asked, by what it says.
    open: HashMap<Likeness, BTreeMap<u64, String>>,
    next: u64,
    open_of_session: HashMap<String, usize>,
    denied: HashMap<Likeness, (u32, i64)>,
}

/// What makes two calls alike: who calls, in which session, which tool, and for commands the program and its subcommand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Likeness {
    session: String,
    agent: String,
    tool: String,
    words: Vec<String>,
}

impl Likeness {
    fn of(operation: &Operation) -> Self {
        // As it is read and not as it is spelled, or a blank more would make it another one.
        let first = operation
            .command()
            .and_then(|text| sayso_shell::analyse(text).commands.into_iter().next());
        let words = first.map(|command| command.words.into_iter().take(2).collect());
        let of_server = || {
            [Role::Server, Role::ServerTool]
                .into_iter()
                .filter_map(|role| operation.text(role).map(str::to_owned))
                .collect()
        };
        let words = words.unwrap_or_else(of_server);
        Likeness {
            session: operation.session().to_owned(),
            agent: operation.agent().name.clone(),
            tool: operation.kind().word().to_owned(),
            words,
        }
    }
}

/// A prompt that is open; it counts until this is dropped.
pub(crate) struct Open {
    state: Arc<Mutex<State>>,
    likeness: Likeness,
    number: u64,
}

impl Flood {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why a call is denied without asking, if it is.
    pub(crate) fn refusal(&self, operation: &Operation, now: i64) -> Option<FloodError> {
        let likeness = Likeness::of(operation);
        let mut state = self.state();
        if state
            .open_of_session
            .get(operation.session())
            .is_some_and(|open| *open >= MOST_OPEN)
        {
            return Some(FloodError::TooManyOpen { count: MOST_OPEN });
        }
        match state.denied.get(&likeness) {
            Some((count, last)) if *count >= MOST_DENIALS && is_paused(*last, now) => {
                Some(FloodError::Paused {
                    count: *count,
                    seconds_left: PAUSE.saturating_sub(now.saturating_sub(*last)),
                })
            }
            Some((count, _)) if *count >= MOST_DENIALS => {
                state.denied.remove(&likeness);
                None
            }
            _ => None,
        }
    }

    /// Somebody said no.
    pub(crate) fn denied(&self, operation: &Operation, now: i64) {
        let mut state = self.state();
        if state.denied.len() >= MOST_KINDS {
            state.denied.retain(|_, (_, last)| is_paused(*last, now));
        }
        let row = state.denied.entry(Likeness::of(operation)).or_default();
        *row = (row.0.saturating_add(1), now);
    }

    /// Somebody said yes.
    pub(crate) fn approved(&self, operation: &Operation) {
        self.state().denied.remove(&Likeness::of(operation));
    }

    /// A prompt opens.
    pub(crate) fn open(&self, prompt: &Prompt) -> Open {
        let likeness = Likeness::of(&prompt.operation);
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state
            .open
            .entry(likeness.clone())
            .or_default()
            .insert(number, prompt.description.clone());
        *state
            .open_of_session
            .entry(likeness.session.clone())
            .or_default() += 1;
        Open {
            state: Arc::clone(&self.0),
            likeness,
            number,
        }
    }

    /// How many open prompts are like this operation, and where it differs from the first.
    pub(crate) fn alike(&self, operation: &Operation) -> Option<Alike> {
        let state = self.state();
        let open = state
            .open
            .get(&Likeness::of(operation))
            .filter(|open| !open.is_empty())?;
        let mine = sayso_core::answer::explain::subject(operation);
        let differs = open
            .values()
            .next()
            .filter(|first| **first != mine)
            .map(|first| vec![first.clone(), mine]);
        Some(Alike {
            count: open.len() + 1,
            differs: differs.unwrap_or_default(),
        })
    }
}

/// Whether the pause after a denial lasts still.
fn is_paused(last: i64, now: i64) -> bool {
    now.saturating_sub(last) < PAUSE
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = state.open.get_mut(&self.likeness) {
            open.remove(&self.number);
            if open.is_empty() {
                state.open.remove(&self.likeness);
            }
        }
        if let Some(count) = state.open_of_session.get_mut(&self.likeness.session) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.open_of_session.remove(&self.likeness.session);
            }
        }
    }
}
