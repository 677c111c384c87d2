//! Who can answer: their name, whose prompts they may see, and how those reach them.

use std::sync::mpsc::{Receiver, Sender};

use sayso_core::prompt::Prompt;

use super::seat::Deliver;

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
