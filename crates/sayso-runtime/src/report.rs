//! Verdicts as JSON for programs and as text for people.

use sayso_core::analysis::effect::{Effect, Target};
use sayso_core::answer::explain;
use sayso_core::answer::rule_id::{BUILT_IN, Check};
use sayso_core::answer::verdict::{Reason, Verdict};
use sayso_core::call::operation::Operation;
use sayso_core::text::count::count;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_gate::batch::Completed;
use sayso_gate::pipeline::Judged;

use crate::explained;

/// The verdict in the shape of `sayso check --json`.
pub fn json(id: &Node, judged: &Judged) -> Node {
    let verdict = &judged.verdict;
    let text = |text: &str| Node::text(text);
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    Node::map([
        ("id", id.clone()),
        ("decision", text(verdict.decision.word())),
        ("risk", text(verdict.risk.word())),
        ("tier", text(verdict.tier.word())),
        ("confirm", text(verdict.confirm.word())),
        (
            "reasons",
            list(verdict.reasons.iter().map(reason).collect()),
        ),
        (
            "effects",
            list(
                verdict
                    .effects
                    .iter()
                    .map(|one| effect(one, judged))
                    .collect(),
            ),
        ),
        ("digest", text(&verdict.digest.to_string())),
    ])
}

fn reason(reason: &Reason) -> Node {
    Node::map([
        ("rule", Node::text(reason.rule.name())),
        ("source", Node::text(reason.rule.source())),
        ("text", Node::text(reason.text())),
    ])
}

fn effect(effect: &Effect, judged: &Judged) -> Node {
    let mut entries = vec![("kind", Node::text(effect.kind.word()))];
    match &effect.target {
        Target::Path(place) => {
            let path = place
                .fact
                .as_ref()
                .map_or(&place.written, |fact| &fact.canonical);
            entries.push(("path", Node::text(path)));
            if *path != place.written {
                entries.push(("written", Node::text(&place.written)));
            }
        }
        Target::UnknownPath(written) => entries.push(("written", Node::text(written))),
        Target::Url(url) => {
            entries.push(("url", Node::text(&url.written)));
            entries.push(("host", Node::text(&url.host)));
        }
        Target::Host(host) => entries.push(("host", Node::text(host))),
        Target::Tool(name) => entries.push(("tool", Node::text(name))),
        Target::McpTool { server, tool } => {
            entries.push(("server", Node::text(server)));
            entries.push(("tool", Node::text(tool)));
        }
        Target::Agent(name) => entries.push(("agent", Node::text(name))),
        Target::Command => {
            let words = effect
                .part
                .and_then(|part| judged.reading.commands.get(part))
                .map_or(&[][..], |command| command.words.as_slice());
            entries.push((
                "argv",
                Value::List(words.iter().map(Node::text).collect()).into(),
            ));
        }
        Target::Nothing => {}
    }
    entries.push(("certain", Value::Bool(effect.certain).into()));
    let manners = [
        ("recursive", effect.manner.recursive),
        ("overwrite", effect.manner.overwrite),
        ("moved_away", effect.manner.moved_away),
        ("redirect", effect.manner.redirect),
    ];
    entries.extend(
        manners
            .into_iter()
            .filter(|(_, is)| *is)
            .map(|(name, is)| (name, Value::Bool(is).into())),
    );
    if let Some(part) = effect.part {
        entries.push(("part", Value::Number(part.to_string()).into()));
    }
    if let Some(note) = &effect.note {
        entries.push(("note", Node::text(note)));
    }
    Node::map(entries)
}

/// The verdict for people with everything behind it: the word that made it so, the parts, and what was tried.
pub fn explained(operation: &Operation, judged: &Judged) -> String {
    let verdict = &judged.verdict;
    with_trace(explained::lines(operation, judged), verdict)
}

/// The verdict for people.
pub fn text(operation: &Operation, verdict: &Verdict) -> String {
    with_trace(explain::lines(operation, verdict), verdict)
}

fn with_trace(mut lines: Vec<String>, verdict: &Verdict) -> String {
    if !verdict.trace.is_empty() {
        lines.push("  tried, in order:".to_owned());
        lines.extend(
            verdict
                .trace
                .iter()
                .map(|line| format!("    {}", visible(line))),
        );
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The denial of a call that is no operation, in the same shape.
pub fn malformed(id: &Node, malformed: &sayso_core::call::operation::Malformed) -> Node {
    let why = Node::map([
        ("rule", Node::text(Check::Malformed.word())),
        ("source", Node::text(BUILT_IN)),
        (
            "text",
            Node::text(format!("the call is malformed: {}", malformed.0)),
        ),
    ]);
    let nothing = || Value::List(Vec::new()).into();
    Node::map([
        ("id", id.clone()),
        ("decision", Node::text("deny")),
        ("risk", Node::text("unknown")),
        ("tier", Node::text("none")),
        ("confirm", Node::text("none")),
        ("reasons", Value::List(vec![why]).into()),
        ("effects", nothing()),
        ("digest", Value::Null.into()),
    ])
}

/// How many calls did their work.
pub fn completed(counts: Completed) -> String {
    let Completed {
        completed,
        failed,
        total,
    } = counts;
    let failed = if failed > 0 {
        format!(", {failed} failed")
    } else {
        String::new()
    };
    format!(
        "Completed: {completed}/{}{failed}",
        count(total, "operation")
    )
}
