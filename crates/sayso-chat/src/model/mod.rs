//! Models: somebody who gets a conversation and answers it, in pieces, with words and with calls of tools.

pub mod anthropic;
pub mod configured;
pub mod events;
pub mod key;
pub mod openai;
pub mod partial;
pub mod remote;
pub mod scripted;
pub mod wire;

use std::sync::atomic::AtomicBool;

use sayso_core::text::node::Node;

use super::conversation::{Answer, Said};
use remote::{StatusError, TryError};

/// A tool, as a model is told of it.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its arguments, as a JSON Schema.
    pub schema: Node,
}

/// What a model is asked.
pub struct Request<'a> {
    /// What it has to know beside the conversation.
    pub system: &'a str,
    /// The conversation; the last thing was said by the person, or is the result of calls.
    pub said: &'a [Said],
    /// The tools it may call.
    pub tools: &'a [Offered],
    /// The person does not want the answer any more.
    pub stopped: &'a AtomicBool,
}

/// What comes while a model answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// More of its words.
    Text(String),
    /// It begins to write a call of this tool.
    Call(String),
    /// The answer broke off and is asked for again, from the start, for this reason.
    Again(String),
}

/// Gets the pieces.
pub type Told<'a> = &'a mut dyn FnMut(Piece);

/// A whole answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What was said.
    pub answer: Answer,
    /// What it cost, where the endpoint says.
    pub usage: Usage,
    /// It reached its longest length, and ends in the middle.
    pub is_cut: bool,
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens that were read.
    pub input: u64,
    /// Tokens that were written.
    pub output: u64,
    /// In dollars, where the endpoint or the person's file says what a token costs.
    pub cost: Option<f64>,
}

impl Usage {
    /// With another one.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
    }

    /// As short as can be; none where nobody counted.
    pub fn short(&self) -> Option<String> {
        let count = |count: u64| match count {
            0..1000 => count.to_string(),
            1000..1_000_000 => format!("{}.{}k", count / 1000, count % 1000 / 100),
            _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
        };
        let cost = self
            .cost
            .map(|cost| format!(" ${cost:.2}"))
            .unwrap_or_default();
        (self.input > 0 || self.output > 0)
            .then(|| format!("{} in {} out{cost}", count(self.input), count(self.output)))
    }

    /// In a few words; none where nobody counted.
    pub fn words(&self) -> Option<String> {
        if self.input == 0 && self.output == 0 {
            return None;
        }
        let cost = self
            .cost
            .map(|cost| format!(" · ${cost:.4}"))
            .unwrap_or_default();
        Some(format!(
            "{} tokens in, {} out{cost}",
            self.input, self.output
        ))
    }
}

/// Why a model gave no answer.
#[allow(missing_docs, reason = "the messages say it")]
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The person stopped it.
    #[error("the turn was stopped")]
    Stopped,
    #[error("the model `{model}` gave no answer in {tries} tries: {last}")]
    NoAnswer {
        model: String,
        tries: u32,
        last: TryError,
    },
    #[error("the model `{model}` wants to be left alone for {seconds} s: {last}")]
    LeaveAlone {
        model: String,
        seconds: u64,
        last: TryError,
    },
    /// The words are those of the error, without the key.
    #[error("the answer of the model `{}` cannot be used: {}", .0, .1)]
    Unusable(String, String),
    #[error("the model `{}` cannot be used: {}{}", .0, .1, .1.hint())]
    Refused(String, StatusError),
}

/// Somebody who answers.
pub trait Model: Send + Sync {
    /// What the person calls it.
    fn name(&self) -> &str;

    /// Answers a conversation. What it says on the way is only sure when all of it is there.
    ///
    /// # Errors
    /// Why there is no answer.
    fn answer(&self, request: &Request<'_>, told: Told<'_>) -> Result<Reply, ModelError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_cost_is_told_where_somebody_counted() {
        let mut usage = Usage::default();
        assert_eq!((usage.words(), usage.short()), (None, None));
        usage.add(Usage {
            input: 1234,
            output: 56,
            cost: None,
        });
        assert_eq!(
            (
                usage.words().unwrap().as_str(),
                usage.short().unwrap().as_str()
            ),
            ("1234 tokens in, 56 out", "1.2k in 56 out")
        );
        usage.add(Usage {
            input: 2_000_000,
            output: 999,
            cost: Some(0.25),
        });
        assert_eq!(usage.short().unwrap(), "2.0M in 1.0k out $0.25");
    }
}
