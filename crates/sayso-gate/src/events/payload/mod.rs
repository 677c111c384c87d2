//! Events as trees, for whoever is no Rust program: the fields that each system's listeners know, without secrets.

mod kollabor;
mod kollabor_spec;
mod opencode;
mod sayso;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::Reason;
use sayso_core::answer::verdict::Verdict;
use sayso_core::call::operation::Operation;
use sayso_core::prompt::{Ended, Prompt};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::redact::redact;

use super::names::{self, Names};
use super::{About, Event};
use crate::finished::Finished;
use crate::run_result::Ran;

/// What goes with an event. The whole of it is redacted: arguments, reasons, messages and notes.
pub fn payload(event: &Event, names: Names) -> Node {
    let fields = match names {
        Names::Sayso => sayso::fields(event),
        Names::KollaborSpec => kollabor_spec::fields(event),
        Names::Opencode => opencode::fields(event),
        Names::Kollabor => kollabor::fields(event),
    };
    redact(&map(fields))
}

/// The event as one message: its name and what goes with it. None where that system has no such event.
pub fn message(event: &Event, names: Names) -> Option<Node> {
    let name = names::name(event.kind, names)?;
    Some(Node::map([
        ("type", Node::text(name)),
        ("data", payload(event, names)),
    ]))
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
    /// An entry of the record stands for all of these where another process did it.
    entry: Option<&'a Node>,
}

impl<'a> Parts<'a> {
    fn of(event: &'a Event) -> Self {
        let mut parts = Parts {
            operation: event.operation.as_deref(),
            verdict: None,
            prompt: None,
            ended: None,
            finished: None,
            words: None,
            entry: None,
        };
        match &event.about {
            About::Nothing => {}
            About::Verdict(verdict) => parts.verdict = Some(verdict),
            About::Prompt(prompt) => parts.prompt = Some(prompt),
            About::Answer(prompt, ended) => {
                (parts.prompt, parts.ended) = (Some(prompt.as_ref()), Some(ended))
            }
            About::Finished(finished) => {
                (parts.finished, parts.verdict) =
                    (Some(finished.as_ref()), finished.verdict.as_deref())
            }
            About::Words(words) => parts.words = Some(words),
            About::Entry(entry) => parts.entry = Some(entry),
        }
        parts.verdict = parts
            .verdict
            .or(parts.prompt.map(|prompt| prompt.verdict.as_ref()));
        parts
    }

    /// A text of the entry.
    fn of_entry(&self, key: &str) -> Option<&'a str> {
        self.entry
            .and_then(|entry| entry.get(key))
            .and_then(Node::as_text)
    }

    fn tool_id(&self) -> Node {
        let finished = self.finished.map(|finished| finished.id.as_str());
        text_or_nothing(
            self.operation
                .map(Operation::id)
                .or(finished)
                .or_else(|| self.of_entry("call")),
        )
    }

    fn session(&self) -> Node {
        text_or_nothing(
            self.operation
                .map(Operation::session)
                .or_else(|| self.of_entry("session")),
        )
    }

    fn tool_name(&self) -> Option<&'a str> {
        self.operation
            .map(Operation::tool)
            .or_else(|| self.of_entry("tool"))
    }

    fn tool_type(&self) -> Option<&'static str> {
        let of_name = |name: &str| {
            sayso_core::call::tool::find(name)
                .map_or(sayso_core::call::tool::Kind::Custom, |tool| tool.kind)
        };
        let kind = self
            .operation
            .map(Operation::kind)
            .or_else(|| self.of_entry("tool").map(of_name));
        kind.map(sayso_core::call::tool::Kind::word)
    }

    fn risk(&self) -> Option<Risk> {
        self.verdict
            .map(|verdict| verdict.risk)
            .or_else(|| self.of_entry("risk").and_then(Risk::from_word))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.finished
            .map(|finished| finished.outcome)
            .or_else(|| self.of_entry("outcome").and_then(Outcome::from_word))
    }

    /// How far the yes went.
    fn scope(&self) -> Option<Scope> {
        let yes = self
            .finished
            .and_then(|finished| finished.yes.as_ref())
            .map(|yes| yes.scope);
        yes.or_else(|| self.of_entry("scope").and_then(Scope::from_word))
    }

    fn prompt_id(&self) -> Node {
        let asked = self.prompt.map(|prompt| prompt.id.as_str());
        let asked = asked.or_else(|| {
            self.finished
                .and_then(|finished| finished.prompt.as_deref())
        });
        text_or_nothing(asked.or_else(|| self.of_entry("prompt")))
    }

    fn auto_approved(&self) -> bool {
        self.outcome() == Some(Outcome::AutoApproved)
    }

    /// The first reason, or what the agent is told, or the words of the event.
    fn reason(&self) -> Node {
        let told = self
            .finished
            .map(|finished| finished.message.as_str())
            .filter(|message| !message.is_empty());
        let reason = self
            .verdict
            .and_then(|verdict| verdict.reasons.first())
            .map(Reason::text);
        let entry = || {
            ["words", "note", "message", "why"]
                .into_iter()
                .find_map(|key| self.of_entry(key))
        };
        text_or_nothing(self.words.or(told).or(reason.as_deref()).or_else(entry))
    }
}

/// The call with its type and id beside the arguments, which cannot pass for them. The type is the caller's own name of the tool; its kind stands
/// beside it where that is another word.
fn tool_data(parts: &Parts<'_>) -> Node {
    let mut own = vec![
        ("type", text_or_nothing(parts.tool_name())),
        ("id", parts.tool_id()),
    ];
    let kind = parts
        .tool_type()
        .filter(|kind| Some(*kind) != parts.tool_name());
    own.extend(kind.map(|kind| ("tool_kind", Node::text(kind))));
    let own = map(own);
    let args = parts
        .operation
        .map(Operation::args)
        .or_else(|| parts.entry.and_then(|entry| entry.get("args")));
    let args = args
        .map_or(&[][..], Node::entries)
        .iter()
        .filter(|entry| own.get(&entry.key).is_none());
    Value::Map(own.entries().iter().chain(args).cloned().collect()).into()
}

fn result(parts: &Parts<'_>) -> Node {
    let (success, output, error) = match parts.finished.and_then(|finished| finished.ran.as_ref()) {
        Some(Ran::Done(node)) => (true, node.clone(), nothing()),
        Some(Ran::Failed { why, result }) => (false, result.clone(), Node::text(why.clone())),
        Some(Ran::NotRun(why)) => (false, nothing(), Node::text(why.clone())),
        None => {
            let succeeded = parts
                .entry
                .and_then(|entry| entry.get("succeeded"))
                .and_then(Node::as_bool);
            (succeeded.unwrap_or(false), nothing(), nothing())
        }
    };
    map(vec![
        ("success", truth(success)),
        ("output", output),
        ("error", error),
    ])
}
