//! Prompts and presentations as values for programs: what HTTP, SSE and MCP clients are sent, under names that never change.

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::explain;
use sayso_core::answer::verdict::Reason;
use sayso_core::prompt::presentation::{
    Body, Change, Diff, DiffLine, Hunk, Mark, Piece, Presentation, Undo, content_heading,
};
use sayso_core::prompt::{Offer, Prompt, Round, Stores, Why};
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;

use super::binary;

/// A prompt as a value. Every text in it can be shown as it is, but for `arguments`, `call_id` and `session`, which stand as they came.
pub fn prompt_to_node(prompt: &Prompt) -> Node {
    let operation = &prompt.operation;
    let verdict = &prompt.verdict;
    let presentation = &prompt.presentation;
    let dangerous = verdict.tier != Tier::None;
    Node::map([
        ("id", text(&prompt.id)),
        ("session", text(operation.session())),
        ("call_id", text(operation.id())),
        ("digest", text(&operation.digest().to_string())),
        ("tool", text(&visible(operation.tool()))),
        ("kind", text(operation.kind().word())),
        ("sentence", text(&prompt.sentence)),
        ("why", list(&prompt.why, why)),
        ("message", text(&prompt.description)),
        ("title", text(&prompt.title)),
        ("arguments", operation.args().clone()),
        ("details", pairs(&presentation.details)),
        ("is_dangerous", truth(dangerous)),
        (
            "warning",
            presentation
                .warnings
                .first()
                .map_or(null(), |warning| text(warning)),
        ),
        ("warnings", texts(&presentation.warnings)),
        ("level", text(verdict.level().word())),
        ("risk", text(verdict.risk.word())),
        ("tier", text(verdict.tier.word())),
        ("confirm", text(verdict.confirm.word())),
        ("reasons", list(&verdict.reasons, reason)),
        ("requested_at", number(prompt.asked)),
        ("context", context(prompt)),
        ("preview", to_node(presentation)),
        ("offers", list(&prompt.offers, offer)),
        (
            "place",
            prompt.place.map_or(null(), |place| {
                Node::map([
                    ("index", number(place.index)),
                    ("total", number(place.total)),
                ])
            }),
        ),
        ("round", text(round(prompt.round))),
        (
            "group",
            list(&prompt.group, |member| {
                let preview = to_node(&member.presentation);
                Node::map([
                    ("digest", text(&member.digest.to_string())),
                    ("description", text(&member.description)),
                    ("preview", preview),
                ])
            }),
        ),
        (
            "alike",
            prompt.alike.as_ref().map_or(null(), |alike| {
                Node::map([
                    ("count", number(alike.count)),
                    ("differs", texts(&alike.differs)),
                ])
            }),
        ),
        ("style", text(prompt.style.word())),
        ("timeout", prompt.timeout.map_or(null(), number)),
    ])
}

/// A presentation as a value, with all that is cut from the screen under `full`.
pub fn to_node(presentation: &Presentation) -> Node {
    let mut node = body(&presentation.body);
    let Value::Map(entries) = &mut node.value else {
        return node;
    };
    let more = Node::map([
        ("details", pairs(&presentation.details)),
        ("deciding", number(presentation.deciding)),
        ("warnings", texts(&presentation.warnings)),
        ("undo", presentation.undo.as_ref().map_or(null(), undo)),
        ("hidden_lines", number(presentation.hidden_lines)),
        ("full", presentation.full.as_deref().map_or(null(), body)),
    ]);
    if let Value::Map(more) = more.into_value() {
        entries.extend(more);
    }
    node
}

/// Whether `sayso undo` can take the call back, with where the backup will be or why there is none, and the sentence for a person.
fn undo(undo: &Undo) -> Node {
    let (backup, why) = match undo {
        Undo::Possible => (null(), null()),
        Undo::Kept(place) => (text(&visible(place)), null()),
        Undo::Impossible(why) => (null(), text(&visible(why))),
    };
    Node::map([
        ("possible", truth(undo.is_possible())),
        ("backup", backup),
        ("why", why),
        ("words", text(&undo.words())),
    ])
}

fn context(prompt: &Prompt) -> Node {
    let operation = &prompt.operation;
    let agent = operation.agent();
    Node::map([
        ("agent", text(&visible(&agent.name))),
        (
            "parents",
            list(&agent.parents, |parent| text(&visible(parent))),
        ),
        ("folder", text(&visible(&operation.cwd()))),
        ("workspace", text(&visible(operation.workspace()))),
        (
            "batch",
            operation
                .batch()
                .map_or(null(), |batch| text(&visible(batch))),
        ),
        (
            "group",
            operation
                .group()
                .map_or(null(), |group| text(&visible(group))),
        ),
        (
            "effects",
            texts(&super::effect_lines::plainly(&prompt.verdict.effects)),
        ),
        (
            "summary",
            text(&explain::first_line(operation, &prompt.verdict)),
        ),
    ])
}

fn why(why: &Why) -> Node {
    let rule = why.rule.as_deref().map_or(null(), text);
    Node::map([
        ("text", text(&why.text)),
        ("warning", truth(why.is_warning)),
        ("rule", rule),
    ])
}

fn reason(reason: &Reason) -> Node {
    Node::map([
        ("decision", text(reason.decision.word())),
        ("rule", text(&visible(reason.rule.name()))),
        ("source", text(&visible(&reason.rule.source()))),
        ("text", text(&visible(&reason.text()))),
        ("must_ask", truth(reason.must_ask)),
    ])
}

fn offer(offer: &Offer) -> Node {
    let stores = match offer.stores {
        Stores::Nothing => "nothing",
        Stores::Grant(_) => "grant",
        Stores::Rule(_) => "rule",
    };
    let rule = offer.rule();
    Node::map([
        ("scope", text(offer.scope.word())),
        ("width", text(offer.width())),
        ("words", text(&offer.words)),
        ("stores", text(stores)),
        ("key", rule.map_or(null(), |rule| text(rule.key.word()))),
        (
            "pattern",
            rule.map_or(null(), |rule| text(&visible(&rule.pattern))),
        ),
    ])
}

fn round(round: Round) -> &'static str {
    match round {
        Round::Only => "only",
        Round::First => "first",
        Round::Second => "second",
    }
}

fn body(body: &Body) -> Node {
    let kind = ("type", text(body.word()));
    let language = |language: &Option<&'static str>| ("language", language.map_or(null(), text));
    match body {
        Body::Text(lines) => Node::map([kind, ("lines", texts(lines))]),
        Body::Diff(diff) => Node::map([
            kind,
            ("path", text(&diff.path)),
            language(&diff.language),
            ("added", number(diff.added)),
            ("removed", number(diff.removed)),
            ("notes", texts(&diff.notes)),
            ("hunks", hunks(diff)),
        ]),
        Body::Content {
            path,
            language: written,
            lines,
            size,
            notes,
            over,
        } => Node::map([
            kind,
            ("path", text(path)),
            language(written),
            ("size", number(size)),
            ("notes", texts(notes)),
            ("lines", texts(lines)),
            ("over", over.as_deref().map_or(null(), text)),
            (
                "heading",
                text(&content_heading(path, *size, *written, over.as_deref())),
            ),
        ]),
        Body::Command {
            lines,
            marks,
            folder,
            parts,
            effects,
        } => Node::map([
            kind,
            ("lines", texts(lines)),
            ("marks", list(marks, mark)),
            ("folder", text(folder)),
            (
                "parts",
                list(parts, |part| {
                    Node::map([
                        ("program", text(&part.program)),
                        ("effects", texts(&part.effects)),
                    ])
                }),
            ),
            ("effects", texts(effects)),
        ]),
        Body::Structured(rows) => Node::map([kind, ("rows", pairs(rows))]),
        Body::Binary { path, media, size } => Node::map([
            kind,
            ("path", text(path)),
            ("media", text(media)),
            ("size", number(size)),
            ("words", text(&binary::words(media, *size))),
        ]),
    }
}

/// A piece of a line, by its bytes.
fn mark(mark: &Mark) -> Node {
    Node::map([
        ("line", number(mark.line)),
        ("start", number(mark.start)),
        ("end", number(mark.end)),
        ("meaning", text(mark.meaning.word())),
    ])
}

fn hunks(diff: &Diff) -> Node {
    let piece = |piece: &Piece| {
        Node::map([
            ("text", text(&piece.text)),
            ("emphasised", truth(piece.emphasised)),
        ])
    };
    let line = |line: &DiffLine| {
        let change = match line.change {
            Change::Same => "same",
            Change::Removed => "removed",
            Change::Added => "added",
        };
        Node::map([
            ("change", text(change)),
            ("old", line.old.map_or(null(), number)),
            ("new", line.new.map_or(null(), number)),
            ("pieces", list(&line.pieces, piece)),
        ])
    };
    list(&diff.hunks, |hunk: &Hunk| {
        Node::map([
            ("old_start", number(hunk.old_start)),
            ("new_start", number(hunk.new_start)),
            ("lines", list(&hunk.lines, line)),
        ])
    })
}

fn text(text: &str) -> Node {
    Node::text(text)
}

fn null() -> Node {
    Value::Null.into()
}

fn truth(value: bool) -> Node {
    Value::Bool(value).into()
}

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Node) -> Node {
    Value::List(items.iter().map(one).collect()).into()
}

fn texts(items: &[String]) -> Node {
    list(items, |item| text(item))
}

/// Names may come twice, so these are a list and not a map.
fn pairs(rows: &[(String, String)]) -> Node {
    list(rows, |(label, value)| {
        Node::map([("label", text(label)), ("value", text(value))])
    })
}
