//! An answer while it comes: words and calls in pieces, and a limit on all of it.

use std::collections::BTreeMap;

use super::{Piece, Reply, Told, Usage};
use crate::conversation::{Answer, Wanted};

/// The longest text of an answer, in bytes.
pub const LONGEST_TEXT: usize = 2 << 20;
/// The longest arguments of all calls of an answer, in bytes.
pub const LONGEST_ARGUMENTS: usize = 16 << 20;
/// So many calls an answer may have.
pub const MOST_CALLS: usize = 64;
/// The longest name or id that a model may give.
const LONGEST_NAME: usize = 256;

/// What is wrong with an answer.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the answer is longer than {} MiB", LONGEST_TEXT >> 20)]
    TooLong,
    #[error("the answer calls more than {MOST_CALLS} tools at once")]
    TooManyCalls,
    #[error("the arguments of its calls are longer than {} MiB", LONGEST_ARGUMENTS >> 20)]
    ArgumentsTooLong,
    #[error("the name or the id of a call is longer than {LONGEST_NAME} bytes")]
    NameTooLong,
    #[error("a call names no tool")]
    NoTool,
    #[error("the answer has no {0}")]
    Missing(&'static str),
    /// The endpoint says so in these words.
    #[error("{0}")]
    Reported(String),
}

/// What came so far.
#[derive(Debug, Default)]
pub struct Partial {
    text: String,
    calls: BTreeMap<u64, Wanted>,
    arguments: usize,
    /// What it cost.
    pub usage: Usage,
    /// It ended because it was too long.
    pub is_cut: bool,
    /// The endpoint said that this was all.
    pub is_over: bool,
}

impl Partial {
    /// More words.
    ///
    /// # Errors
    /// When there are too many.
    pub fn text(&mut self, more: &str, told: Told<'_>) -> Result<(), AnswerError> {
        if more.is_empty() {
            return Ok(());
        }
        if self.text.len() + more.len() > LONGEST_TEXT {
            return Err(AnswerError::TooLong);
        }
        self.text.push_str(more);
        told(Piece::Text(more.to_owned()));
        Ok(())
    }

    /// More of the call at a place.
    ///
    /// # Errors
    /// When there are too many of them, or one is too long.
    pub fn call(
        &mut self,
        at: u64,
        id: &str,
        name: &str,
        arguments: &str,
        told: Told<'_>,
    ) -> Result<(), AnswerError> {
        if !self.calls.contains_key(&at) && self.calls.len() >= MOST_CALLS {
            return Err(AnswerError::TooManyCalls);
        }
        let call = self.calls.entry(at).or_insert_with(|| Wanted {
            id: String::new(),
            tool: String::new(),
            arguments: String::new(),
        });
        let is_new = call.tool.is_empty() && !name.is_empty();
        self.arguments += arguments.len();
        if self.arguments > LONGEST_ARGUMENTS {
            return Err(AnswerError::ArgumentsTooLong);
        }
        if call.id.is_empty() {
            call.id.push_str(id);
        }
        if is_new {
            call.tool.push_str(name);
        }
        if call.id.len() > LONGEST_NAME || call.tool.len() > LONGEST_NAME {
            return Err(AnswerError::NameTooLong);
        }
        call.arguments.push_str(arguments);
        if is_new {
            told(Piece::Call(name.to_owned()));
        }
        Ok(())
    }

    /// The whole of it.
    ///
    /// # Errors
    /// When a call has no name.
    pub fn whole(self) -> Result<Reply, AnswerError> {
        let mut calls: Vec<Wanted> = self.calls.into_values().collect();
        for (at, call) in calls.iter_mut().enumerate() {
            if call.tool.is_empty() {
                return Err(AnswerError::NoTool);
            }
            if call.id.is_empty() {
                // Some endpoints give none, and the result has to go back to something.
                call.id = format!("call_{at}");
            }
            if call.arguments.trim().is_empty() {
                call.arguments = "{}".to_owned();
            }
        }
        Ok(Reply {
            answer: Answer {
                text: self.text,
                calls,
            },
            usage: self.usage,
            is_cut: self.is_cut,
        })
    }
}
