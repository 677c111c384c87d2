//! Events as trees, for whoever is no Rust program: the fields that each system's listeners know, without secrets.

mod kollabor;
mod kollabor_spec;
mod opencode;
mod ours;

use sayso_core::node::{Node, Value};
use sayso_core::operation::Operation;
use sayso_core::outcome::Outcome;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::redact::redact;
use sayso_core::verdict::Verdict;

use super::names::{self, Names};
use super::{About, Event};
use crate::finished::Finished;
use crate::ports::Ran;

/// What goes with an event. The whole of it is redacted: arguments, reasons, messages and notes.
pub fn payload(event: &Event, names: Names) -> Node {
    let fields = match names {
        Names::Sayso => ours::fields(event),
        Names::KollaborSpec => kollabor_spec::fields(event),
        Names::Opencode => opencode::fields(event),
        Names::Kollabor => kollabor::fields(event),
    };
    redact(&map(fields))
}

/// The event as one message: its name and what goes with it. None where that system has no such event.
pub fn message(event: &Event, names: Names) -> Option<Node> {
    let name = names::name(event.kind, names)?;
    Some(Node::map([("type", Node::text(name)), ("data", payload(event, names))]))
}

type Fields = Vec<(&'static str, Node)>;

fn map(fields: Fields) -> Node {
    Node::map(fields)
}

fn number(value: impl ToString) -> Node {
    Value::Number(value.to_string()).into()
}

fn truth(value: bool) -> Node {
    Value::Bool(value).into()
}

fn nothing() -> Node {
    Value::Null.into()
}

fn text_or_nothing(text: Option<&str>) -> Node {
    text.map_or_else(nothing, Node::text)
}

/// The parts of an event, wherever they stand in it.
struct Parts<'a> {
    operation: Option<&'a Operation>,
    verdict: Option<&'a Verdict>,
    prompt: Option<&'a Prompt>,
    ended: Option<&'a Ended>,
    finished: Option<&'a Finished>,
    words: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(event: &'a Event) -> Self {
        let mut parts =
            Parts { operation: event.operation.as_deref(), verdict: None, prompt: None, ended: None, finished: None, words: None };
        match &event.about {
            About::Nothing => {}
            About::Verdict(verdict) => parts.verdict = Some(verdict),
            About::Prompt(prompt) => parts.prompt = Some(prompt),
            About::Answer(prompt, ended) => (parts.prompt, parts.ended) = (Some(prompt.as_ref()), Some(ended)),
            About::Finished(finished) => (parts.finished, parts.verdict) = (Some(finished.as_ref()), finished.verdict.as_deref()),
            About::Words(words) => parts.words = Some(words),
        }
        parts.verdict = parts.verdict.or(parts.prompt.map(|prompt| prompt.verdict.as_ref()));
        parts
    }

    fn tool_id(&self) -> Node {
        let finished = self.finished.map(|finished| finished.id.as_str());
        text_or_nothing(self.operation.map(Operation::id).or(finished))
    }

    fn prompt_id(&self) -> Node {
        let asked = self.prompt.map(|prompt| prompt.id.as_str());
        text_or_nothing(asked.or_else(|| self.finished.and_then(|finished| finished.prompt.as_deref())))
    }

    fn auto_approved(&self) -> bool {
        self.finished.is_some_and(|finished| finished.outcome == Outcome::AutoApproved)
    }

    /// The first reason, or what the agent is told, or the words of the event.
    fn reason(&self) -> Node {
        let told = self.finished.map(|finished| finished.message.as_str()).filter(|message| !message.is_empty());
        let reason = self.verdict.and_then(|verdict| verdict.reasons.first()).map(|reason| reason.text.as_str());
        text_or_nothing(self.words.or(told).or(reason))
    }
}

/// The call with its type and id beside the arguments, which cannot pass for them.
fn tool_data(parts: &Parts<'_>) -> Node {
    let Some(operation) = parts.operation else { return map(vec![("type", nothing()), ("id", parts.tool_id())]) };
    let own = map(vec![("type", Node::text(operation.kind().word())), ("id", Node::text(operation.id()))]);
    let args = operation.args().entries().iter().filter(|entry| own.get(&entry.key).is_none());
    Value::Map(own.entries().iter().chain(args).cloned().collect()).into()
}

fn result(parts: &Parts<'_>) -> Node {
    let (success, output, error) = match parts.finished.and_then(|finished| finished.ran.as_ref()) {
        Some(Ran::Done(node)) => (true, node.clone(), nothing()),
        Some(Ran::Failed { why, result }) => (false, result.clone(), Node::text(why.clone())),
        Some(Ran::NotRun(why)) => (false, nothing(), Node::text(why.clone())),
        None => (false, nothing(), nothing()),
    };
    map(vec![("success", truth(success)), ("output", output), ("error", error)])
}
