//! The text of a held command: every part of it by name, and nothing that is guessed when it is read.

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::outcome::Outcome;
use sayso_core::answer::run_mode::Run as How;
use sayso_core::answer::scope::Scope;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};

use super::resume::{Granted, Held};
use crate::approved::Yes;
use crate::binding::Extent;
use crate::call_json::{self, list, pair};
use crate::run_mode;

const EXTENTS: [(Extent, &str); 4] = [
    (Extent::All, "all"),
    (Extent::Scripts, "scripts"),
    (Extent::OwnPrograms, "own_programs"),
    (Extent::Nothing, "nothing"),
];
const HOWS: [How; 5] = [
    How::Interactive,
    How::ApproveAll,
    How::Yolo,
    How::Strict,
    How::Nobody,
];

/// A held command as a value. What only a host's own tools have (what a tool says of itself, an MCP server) no held command has.
pub(crate) fn node(held: &Held) -> Node {
    let Held {
        call,
        digest,
        outcome,
        yes,
        granted,
        how,
        risk,
        contained,
        seals,
        reading,
        answered_by_host,
    } = held;
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let two = |one: &str, other: &str| list(vec![Node::text(one), Node::text(other)]);
    let mut parts = call_json::parts(call);
    parts.extend([
        ("digest", Node::text(digest.to_string())),
        ("outcome", Node::text(outcome.word())),
        ("how", Node::text(run_mode::word(*how))),
        ("risk", Node::text(risk.word())),
        ("contained", Value::Bool(*contained).into()),
        ("answered_by_host", Value::Bool(*answered_by_host).into()),
        (
            "seals",
            list(
                seals
                    .iter()
                    .map(|(extent, digest)| two(extent_word(*extent), &digest.to_string()))
                    .collect(),
            ),
        ),
    ]);
    parts.extend(reading.map(|digest| ("reading", Node::text(digest.to_string()))));
    parts.extend(yes.as_ref().map(|yes| {
        let count = Value::Number(yes.confirmations.to_string()).into();
        let parts = [
            ("by", Node::text(yes.by.text())),
            ("scope", Node::text(yes.scope.word())),
            ("prompt", Node::text(&*yes.prompt)),
        ];
        (
            "yes",
            Node::map(parts.into_iter().chain([("confirmations", count)])),
        )
    }));
    parts.extend(granted.as_ref().map(|granted| {
        (
            "granted",
            Node::map([
                ("id", Node::text(&granted.id)),
                ("stays", Value::Bool(granted.stays).into()),
            ]),
        )
    }));
    Node::map(parts)
}

/// The held command of a value; none if a part is missing or is not what it has to be.
pub(crate) fn held(node: &Node) -> Option<Held> {
    let word = |key: &str| node.get(key)?.as_text();
    // No call of an MCP server is held.
    let call = call_json::read(node)
        .ok()
        .filter(|call| call.mcp.is_none())?;
    // Of a held command, all of it was written.
    node.get("metadata")?;
    let seal = |node: &Node| {
        let (extent, digest) = pair(node)?;
        let extent = EXTENTS.iter().find(|(_, word)| *word == extent)?.0;
        Some((extent, Digest::parse(&digest)?))
    };
    Some(Held {
        call,
        digest: Digest::parse(word("digest")?)?,
        outcome: Outcome::from_word(word("outcome")?).filter(|outcome| outcome.ran())?,
        yes: maybe(node, "yes", yes)?,
        granted: maybe(node, "granted", granted)?,
        how: HOWS
            .into_iter()
            .find(|how| word("how") == Some(run_mode::word(*how)))?,
        risk: Risk::from_word(word("risk")?)?,
        contained: node.get("contained")?.as_bool()?,
        answered_by_host: node.get("answered_by_host")?.as_bool()?,
        seals: list(node.get("seals")?)?
            .iter()
            .map(seal)
            .collect::<Option<_>>()?,
        reading: maybe(node, "reading", |node| Digest::parse(node.as_text()?))?,
    })
}

/// A part that may be missing; one that is there must be right.
fn maybe<T>(node: &Node, key: &str, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
    match node.get(key) {
        None => Some(None),
        Some(node) => read(node).map(Some),
    }
}

fn yes(node: &Node) -> Option<Yes> {
    let word = |key: &str| node.get(key)?.as_text();
    Some(Yes {
        by: word("by")?.into(),
        scope: Scope::from_word(word("scope")?)?,
        prompt: word("prompt")?.into(),
        confirmations: u8::try_from(node.get("confirmations")?.as_whole()?).ok()?,
        kept: None,
        typed: None,
    })
}

fn granted(node: &Node) -> Option<Granted> {
    Some(Granted {
        id: node.get("id")?.as_text()?.to_owned(),
        stays: node.get("stays")?.as_bool()?,
    })
}

fn extent_word(extent: Extent) -> &'static str {
    EXTENTS
        .iter()
        .find(|(one, _)| *one == extent)
        .map_or("all", |(_, word)| word)
}
