//! Our own fields: everything that is known at that point.

use sayso_core::prompt::{Answer, Choice, Ended, Prompt, Round};
use sayso_core::text::node::{Node, Value};

use super::super::Event;
use super::super::names::{self, Names};
use super::{Fields, Parts, nothing, number, text_or_nothing, truth};
use crate::run_result::Ran;

pub(super) fn fields(event: &Event) -> Fields {
    let parts = Parts::of(event);
    let mut out = vec![
        (
            "event",
            text_or_nothing(names::name(event.kind, Names::Sayso)),
        ),
        ("at", number(event.at)),
    ];
    if let Some(operation) = parts.operation {
        let agent = operation.agent();
        out.extend([
            ("id", Node::text(operation.id())),
            ("tool", Node::text(operation.tool())),
            ("kind", Node::text(operation.kind().word())),
            ("args", operation.args().clone()),
            ("cwd", Node::text(operation.cwd())),
            ("workspace", Node::text(operation.workspace())),
            ("agent", Node::text(agent.name.clone())),
            (
                "parents",
                Value::List(agent.parents.iter().map(Node::text).collect()).into(),
            ),
            ("session", Node::text(operation.session())),
            ("batch", text_or_nothing(operation.batch())),
            ("digest", Node::text(operation.digest().to_string())),
        ]);
    }
    if let Some(verdict) = parts.verdict {
        let reason = |reason: &sayso_core::answer::verdict::Reason| {
            Node::map([
                ("rule", Node::text(reason.rule.name())),
                ("source", Node::text(reason.rule.source())),
                ("text", Node::text(reason.text())),
            ])
        };
        out.extend([
            ("decision", Node::text(verdict.decision.word())),
            ("risk", Node::text(verdict.risk.word())),
            ("tier", Node::text(verdict.tier.word())),
            ("confirm", Node::text(verdict.confirm.word())),
            (
                "reasons",
                Value::List(verdict.reasons.iter().map(reason).collect()).into(),
            ),
        ]);
    }
    if let Some(prompt) = parts.prompt {
        out.extend([
            ("prompt", Node::text(prompt.id.clone())),
            ("title", Node::text(prompt.title.clone())),
            ("description", Node::text(prompt.description.clone())),
            (
                "round",
                number(if prompt.round == Round::Second { 2 } else { 1 }),
            ),
            (
                "rounds",
                number(if prompt.round == Round::Only { 1 } else { 2 }),
            ),
            (
                "index",
                prompt
                    .place
                    .map_or_else(nothing, |place| number(place.index)),
            ),
            (
                "total",
                prompt
                    .place
                    .map_or_else(nothing, |place| number(place.total)),
            ),
            ("timeout", prompt.timeout.map_or_else(nothing, number)),
            ("asked_at", number(prompt.asked)),
        ]);
    }
    if let Some(ended) = parts.ended {
        out.extend([
            ("answer", Node::text(answer_word(parts.prompt, ended))),
            ("by", text_or_nothing(by(ended).as_deref())),
        ]);
    }
    if let Some(finished) = parts.finished {
        out.extend([
            ("outcome", Node::text(finished.outcome.word())),
            ("auto_approved", truth(parts.auto_approved())),
            ("message", Node::text(finished.message.clone())),
            ("note", text_or_nothing(finished.note.as_deref())),
            ("prompt", parts.prompt_id()),
            (
                "by",
                text_or_nothing(finished.yes.as_ref().map(|yes| yes.by.text()).as_deref()),
            ),
            (
                "scope",
                text_or_nothing(finished.yes.as_ref().map(|yes| yes.scope.word())),
            ),
        ]);
        if let Some(ran) = &finished.ran {
            out.push(("succeeded", truth(matches!(ran, Ran::Done(_)))));
        }
    }
    if let Some(words) = parts.words {
        out.push(("words", Node::text(words)));
    }
    out
}

fn by(ended: &Ended) -> Option<String> {
    match ended {
        Ended::Answered { by, .. } => Some(by.text()),
        _ => None,
    }
}

fn answer_word(prompt: Option<&Prompt>, ended: &Ended) -> &'static str {
    match ended {
        Ended::Answered {
            answer: Answer { choice, .. },
            ..
        } => match choice {
            Choice::Offer(index) => prompt
                .and_then(|prompt| prompt.offers.get(*index))
                .map_or("once", |offer| offer.scope.word()),
            Choice::Pattern { .. } => "pattern",
            Choice::Deny => "deny",
            Choice::Quit => "quit",
        },
        Ended::TimedOut => "timeout",
        Ended::Cancelled => "cancelled",
        Ended::Nobody => "nobody",
        Ended::Failed(_) => "failed",
    }
}
