//! A prompt as it lies in the inbox: what the queue needs of it, and what a screen is shown, as text that is made once.

use std::borrow::Cow;
use std::sync::Arc;

use sayso_core::analysis::risk::Tier;
use sayso_core::answer::scope::Scope;
use sayso_core::prompt::Prompt;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::visible;
use sayso_core::text::{Limits, json};
use sayso_gate::presentation::prompt_to_node;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// A hook, which holds the call.
    Hook,
    /// An operation that was submitted here.
    Http,
}

/// A prompt in the inbox.
pub(super) struct Posted {
    /// As the queue has it.
    pub prompt: Arc<Prompt>,
    /// Whoever asks gives up then, in milliseconds since 1970.
    pub latest: Option<i64>,
    summary: String,
    /// What else a screen needs; none where it can be made of the prompt at any time.
    rest: Option<String>,
    pin: bool,
}

/// Stands in a summary, from a document with the same names.
const OF_SUMMARY: [&str; 19] = [
    "id",
    "session",
    "call_id",
    "digest",
    "tool",
    "kind",
    "title",
    "message",
    "sentence",
    "level",
    "is_dangerous",
    "warning",
    "risk",
    "tier",
    "confirm",
    "round",
    "place",
    "alike",
    "style",
];
const LIMITS: Limits = Limits {
    bytes: 64 << 20,
    depth: 256,
    nodes: 4_000_000,
};

impl Posted {
    /// A prompt with the document that a screen shows, as `prompt_to_node` makes it.
    pub(super) fn new(
        prompt: Arc<Prompt>,
        document: &Node,
        door: Door,
        latest: Option<i64>,
        pin: bool,
    ) -> Posted {
        let opened = super::now_ms();
        let get = |key: &str| {
            document
                .get(key)
                .cloned()
                .unwrap_or_else(|| Value::Null.into())
        };
        let agent = prompt.operation.agent();
        let mut summary: Vec<(&str, Node)> =
            OF_SUMMARY.iter().map(|key| (*key, get(key))).collect();
        summary.extend([
            ("agent", Node::text(visible(&agent.name))),
            (
                "parents",
                texts(
                    agent
                        .parents
                        .iter()
                        .map(|parent| visible(parent).into_owned()),
                ),
            ),
            (
                "workspace",
                Node::text(visible(prompt.operation.workspace())),
            ),
            (
                "group_id",
                prompt
                    .operation
                    .group()
                    .map_or_else(|| Value::Null.into(), |group| Node::text(visible(group))),
            ),
            (
                "group_size",
                number(document.get("group").map_or(0, |group| group.items().len()) + 1),
            ),
            (
                "door",
                Node::text(if door == Door::Hook { "hook" } else { "http" }),
            ),
            ("requested_at", get("requested_at")),
            ("opened_at", number(opened)),
        ]);
        let summary = inside(&Node::map(summary));
        // Of thousands that wait, a few are looked at.
        let rest = (door == Door::Hook).then(|| rest(&prompt, document, pin));
        Posted {
            prompt,
            latest,
            summary,
            rest,
            pin,
        }
    }

    fn rest(&self) -> Cow<'_, str> {
        match &self.rest {
            Some(rest) => rest.into(),
            None => rest(&self.prompt, &prompt_to_node(&self.prompt), self.pin).into(),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.prompt.id
    }

    pub(super) fn session(&self) -> &str {
        self.prompt.operation.session()
    }

    /// For a list. `due` is when it is denied, in milliseconds since 1970.
    pub(super) fn summary(&self, due: Option<i64>) -> String {
        format!("{{{},\"expires_at\":{}}}", self.summary, self.expires(due))
    }

    /// Everything that a screen needs.
    pub(super) fn document(&self, due: Option<i64>) -> String {
        format!(
            "{{{},{},\"expires_at\":{}}}",
            self.summary,
            self.rest(),
            self.expires(due)
        )
    }

    /// When it is denied: its own time, or when whoever asks gives up, if that is sooner. Every screen shows this one.
    pub(super) fn expires_at(&self, due: Option<i64>) -> Option<i64> {
        [due, self.latest].into_iter().flatten().min()
    }

    fn expires(&self, due: Option<i64>) -> String {
        self.expires_at(due)
            .map_or_else(|| "null".to_owned(), |at| at.to_string())
    }

    /// Whether an answer reaches further than this once, or is to something dangerous.
    pub(super) fn is_weighty(&self, choice: &sayso_core::prompt::Choice) -> bool {
        use sayso_core::prompt::Choice;
        match choice {
            Choice::Deny | Choice::Quit => false,
            Choice::Pattern { .. } => true,
            Choice::Offer(index) => {
                self.prompt.verdict.tier != Tier::None
                    || self
                        .prompt
                        .offers
                        .get(*index)
                        .is_none_or(|offer| offer.scope > Scope::Once)
            }
        }
    }

    /// Fields of profile `opencode`, with what a screen shows beside them.
    pub(super) fn with_view(&self, fields: Node) -> Node {
        let document =
            json::read(&self.document(None), &LIMITS).unwrap_or_else(|_| Value::Null.into());
        let mut entries: Vec<(String, Node)> = fields
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()))
            .collect();
        for key in ["context", "preview"] {
            entries.extend(document.get(key).map(|node| (key.to_owned(), node.clone())));
        }
        Node::map(entries)
    }
}

/// What a screen needs besides a summary, without braces.
fn rest(prompt: &Prompt, document: &Node, pin: bool) -> String {
    let get = |key: &str| {
        document
            .get(key)
            .cloned()
            .unwrap_or_else(|| Value::Null.into())
    };
    inside(&Node::map([
        ("arguments", get("arguments")),
        ("details", get("details")),
        ("warnings", get("warnings")),
        ("why", get("why")),
        ("reasons", get("reasons")),
        ("context", get("context")),
        ("preview", get("preview")),
        ("offers", offers(prompt, &get("offers"), pin)),
        (
            "pattern_scopes",
            texts(
                pattern_scopes(prompt)
                    .into_iter()
                    .map(|scope| scope.word().to_owned()),
            ),
        ),
        ("group", get("group")),
        ("timeout", get("timeout")),
    ]))
}

/// How far a pattern of one's own may reach.
fn pattern_scopes(prompt: &Prompt) -> Vec<Scope> {
    let widest = prompt
        .rule_scopes()
        .last()
        .copied()
        .filter(|_| prompt.takes_pattern());
    [Scope::Session, Scope::Project, Scope::Always]
        .into_iter()
        .filter(|scope| widest.is_some_and(|widest| *scope <= widest))
        .collect()
}

fn offers(prompt: &Prompt, offers: &Node, pin: bool) -> Node {
    let one = |(node, offer): (&Node, &sayso_core::prompt::Offer)| {
        let needs = pin && (offer.scope > Scope::Once || prompt.verdict.tier != Tier::None);
        let entries = node
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.node.clone()));
        Node::map(entries.chain([("needs_pin".to_owned(), Value::Bool(needs).into())]))
    };
    Value::List(offers.items().iter().zip(&prompt.offers).map(one).collect()).into()
}

/// A map without its braces.
fn inside(node: &Node) -> String {
    let text = json::write_plain(node);
    text.strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or_default()
        .to_owned()
}

fn texts(items: impl Iterator<Item = String>) -> Node {
    Value::List(items.map(Node::text).collect()).into()
}

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}
