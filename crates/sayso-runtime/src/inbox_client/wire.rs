//! What a hook and the inbox say to each other: a question with the frozen call that it is about, and its end.
//!
//! The hook has judged the call, and shows what it sealed. The inbox believes it nothing that it can see for itself: the call is frozen
//! again and must have the same digest, and what stands for the person to read must hide nothing.

use std::sync::Arc;

use sayso_core::analysis::risk::{Risk, Tier};
use sayso_core::answer::cause::Cause;
use sayso_core::answer::grant::GrantKey;
use sayso_core::answer::learned_rule::RuleKey;
use sayso_core::answer::rule_id::RuleId;
use sayso_core::answer::scope::Scope;
use sayso_core::answer::verdict::{Confirm, Reason, Verdict};
use sayso_core::call::operation::{Agent, Call, Malformed, Operation};
use sayso_core::policy::decision::Decision;
use sayso_core::policy::terms::Terms;
use sayso_core::prompt::presentation::{Body, Presentation};
use sayso_core::prompt::{
    Alike, Answer, Choice, Ended, Member, Offer, Position, Prompt, Round, RuleText, Stores, Style,
    Why,
};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::visible::is_hidden;
use sayso_gate::call_json::{self, CallJsonError};
use sayso_gate::presentation::{from_node, prompt_to_node};
use thiserror::Error;

/// A question as it comes from a hook.
pub struct Question {
    /// As the queue needs it: what is to be seen of it is in the document.
    pub prompt: Prompt,
    /// What a screen shows.
    pub document: Node,
    /// After so many seconds the hook gives up.
    pub longest: u64,
}

/// Why something between a hook and the inbox cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message says it")]
pub enum WireError {
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{key}` is {found}, not text")]
    NotText {
        key: &'static str,
        found: &'static str,
    },
    #[error("`{0}` is none")]
    NoWord(&'static str),
    #[error("`{0}` is no number")]
    NotANumber(&'static str),
    #[error("`{0}` is too large")]
    TooLarge(&'static str),
    #[error("`{0}` are no texts")]
    NotTexts(&'static str),
    #[error("`{0}` does not go with this choice")]
    NotWithChoice(&'static str),
    #[error("`choice` is offer, pattern, deny or quit")]
    NotAChoice,
    #[error(transparent)]
    Call(#[from] CallJsonError),
    #[error("{}", .0.0)]
    Malformed(Malformed),
    #[error("the digest is that of another call")]
    OtherCall,
    #[error("the prompt cannot be shown here")]
    Unshowable,
    #[error("a text of the prompt hides something")]
    HidesSomething,
}

/// A question, for the inbox.
pub fn question(prompt: &Prompt, longest: u64) -> Node {
    Node::map([
        ("call", Node::map(call_parts(prompt))),
        ("prompt", prompt_to_node(prompt)),
        ("longest", number(longest)),
    ])
}

/// The call without what its host added for itself: that is not in the digest, and the inbox has no use for it.
fn call_parts(prompt: &Prompt) -> impl Iterator<Item = (&'static str, Node)> {
    let parts = call_json::parts(&prompt.operation.call()).into_iter();
    parts.filter(|(key, _)| *key != "metadata")
}

/// The question of a value.
///
/// # Errors
/// What is missing, of another kind, or not what it says it is.
pub fn read_question(node: &Node) -> Result<Question, WireError> {
    let call = node.get("call").ok_or(WireError::Missing("call"))?;
    let document = node.get("prompt").ok_or(WireError::Missing("prompt"))?;
    let operation = Operation::freeze(call_json::read(call)?).map_err(WireError::Malformed)?;
    let digest = Digest::parse(text(document, "digest")?).ok_or(WireError::NoWord("digest"))?;
    if digest != operation.digest() {
        return Err(WireError::OtherCall);
    }
    hides_nothing(document)?;
    let operation = Arc::new(operation);
    // What can be known from the call is taken from there.
    let own = [
        ("session", Node::text(operation.session())),
        ("call_id", Node::text(operation.id())),
        (
            "tool",
            Node::text(sayso_core::text::visible::visible(operation.tool())),
        ),
        ("kind", Node::text(operation.kind().word())),
        ("arguments", operation.args().clone()),
    ];
    let rest = document
        .entries()
        .iter()
        .filter(|entry| !own.iter().any(|(key, _)| entry.key == *key));
    let entries: Vec<(String, Node)> = rest
        .map(|entry| (entry.key.clone(), entry.node.clone()))
        .collect();
    let shown = Node::map(
        entries
            .into_iter()
            .chain(own.map(|(key, node)| (key.to_owned(), node))),
    );
    let prompt = prompt(document, operation)?;
    Ok(Question {
        prompt,
        document: shown,
        longest: node
            .get("longest")
            .and_then(Node::as_whole)
            .ok_or(WireError::Missing("longest"))?,
    })
}

/// A prompt of the inbox for a screen in another process. It is shown as the document says; the operation in it is only like the real one, so
/// that an answer goes back with the digest of the document.
///
/// # Errors
/// What is missing or hides something.
pub fn shown(document: &Node) -> Result<Prompt, WireError> {
    let context = document
        .get("context")
        .ok_or(WireError::Missing("context"))?;
    let list = |node: &Node, key: &str| -> Vec<String> {
        node.get(key)
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|item| item.as_text().map(str::to_owned))
            .collect()
    };
    let call = Call {
        id: text(document, "call_id")?.to_owned(),
        cwd: text(context, "folder")?.to_owned(),
        agent: Agent {
            name: text(context, "agent")?.to_owned(),
            parents: list(context, "parents"),
        },
        session: text(document, "session")?.to_owned(),
        ..Call::new(
            text(document, "tool")?,
            document.get("arguments").cloned().unwrap_or_else(null),
            text(context, "workspace")?,
        )
    };
    hides_nothing(document)?;
    let operation = Arc::new(Operation::freeze(call).map_err(WireError::Malformed)?);
    let odd = WireError::Unshowable;
    let member = |node: &Node| {
        let digest = Digest::parse(node.get("digest")?.as_text()?)?;
        let presentation = from_node(node.get("preview")?)?;
        Some(Member {
            digest,
            description: node.get("description")?.as_text()?.to_owned(),
            presentation,
        })
    };
    let size = |node: &Node, key: &str| {
        node.get(key)
            .and_then(Node::as_whole)
            .and_then(|number| usize::try_from(number).ok())
    };
    let place = document.get("place").and_then(|place| {
        Some(Position {
            index: size(place, "index")?,
            total: size(place, "total")?,
        })
    });
    let alike = document.get("alike").and_then(|alike| {
        Some(Alike {
            count: size(alike, "count")?,
            differs: list(alike, "differs"),
        })
    });
    Ok(Prompt {
        presentation: document
            .get("preview")
            .and_then(from_node)
            .ok_or(odd.clone())?,
        group: document
            .get("group")
            .map_or(&[][..], Node::items)
            .iter()
            .map(member)
            .collect::<Option<_>>()
            .ok_or(odd.clone())?,
        place,
        alike,
        ..prompt(document, operation)?
    })
}

fn prompt(document: &Node, operation: Arc<Operation>) -> Result<Prompt, WireError> {
    let word = |key| text(document, key);
    let risk = [Risk::Low, Risk::Medium, Risk::High, Risk::Unknown]
        .into_iter()
        .find(|one| Ok(one.word()) == word("risk"));
    let tier = [Tier::None, Tier::Dangerous, Tier::Catastrophic]
        .into_iter()
        .find(|one| Ok(one.word()) == word("tier"));
    let confirm = [Confirm::None, Confirm::Single, Confirm::Double]
        .into_iter()
        .find(|one| Ok(one.word()) == word("confirm"));
    let style = [Style::Modal, Style::Status, Style::Inline]
        .into_iter()
        .find(|one| Ok(one.word()) == word("style"));
    let round = match word("round")? {
        "only" => Round::Only,
        "first" => Round::First,
        "second" => Round::Second,
        _ => return Err(WireError::NoWord("round")),
    };
    let list = |key: &str| document.get(key).map_or(&[][..], Node::items);
    let verdict = Verdict {
        decision: Decision::Ask,
        risk: risk.ok_or(WireError::NoWord("risk"))?,
        tier: tier.ok_or(WireError::NoWord("tier"))?,
        confirm: confirm.ok_or(WireError::NoWord("confirm"))?,
        reasons: list("reasons")
            .iter()
            .map(reason)
            .collect::<Result<_, _>>()?,
        effects: Vec::new(),
        terms: Terms::default(),
        digest: operation.digest(),
        trace: Vec::new(),
        evidence: None,
    };
    Ok(Prompt {
        id: word("id")?.to_owned(),
        verdict: Arc::new(verdict),
        title: word("title")?.to_owned(),
        // A hook of an older version sends no sentence.
        sentence: word("sentence").or_else(|_| word("message"))?.to_owned(),
        why: list("why").iter().map(why).collect::<Result<_, _>>()?,
        description: word("message")?.to_owned(),
        presentation: Presentation::of(Body::Text(Vec::new())),
        round,
        place: None,
        group: Vec::new(),
        alike: None,
        offers: list("offers")
            .iter()
            .map(|node| offer(node, operation.digest()))
            .collect::<Result<_, _>>()?,
        style: style.ok_or(WireError::NoWord("style"))?,
        asked: document
            .get("requested_at")
            .and_then(Node::as_whole)
            .and_then(|at| i64::try_from(at).ok())
            .ok_or(WireError::NoWord("requested_at"))?,
        timeout: document.get("timeout").and_then(Node::as_whole),
        operation,
    })
}

fn why(node: &Node) -> Result<Why, WireError> {
    let rule = node.get("rule").and_then(Node::as_text).map(str::to_owned);
    Ok(Why {
        text: text(node, "text")?.to_owned(),
        is_warning: node.get("warning").and_then(Node::as_bool).unwrap_or(true),
        rule,
    })
}

fn reason(node: &Node) -> Result<Reason, WireError> {
    let decision = match text(node, "decision")? {
        "allow" => Decision::Allow,
        "deny" => Decision::Deny,
        _ => Decision::Ask,
    };
    let must_ask = node
        .get("must_ask")
        .and_then(Node::as_bool)
        .unwrap_or(false);
    Ok(Reason {
        decision,
        rule: RuleId::from_recorded(text(node, "rule")?, text(node, "source")?),
        cause: Cause::Recorded(text(node, "text")?.to_owned()),
        must_ask,
        at: None,
    })
}

/// What an offer would store is the hook's to know; here it only matters whether it is a rule, and how far it reaches.
fn offer(node: &Node, digest: Digest) -> Result<Offer, WireError> {
    let stores = match text(node, "stores")? {
        "nothing" => Stores::Nothing,
        "rule" => {
            let key = RuleKey::from_word(text(node, "key")?).ok_or(WireError::NoWord("key"))?;
            Stores::Rule(RuleText {
                key,
                pattern: text(node, "pattern")?.into(),
            })
        }
        _ => Stores::Grant(GrantKey::Exact(digest)),
    };
    let scope = Scope::from_word(text(node, "scope")?).ok_or(WireError::NoWord("scope"))?;
    Ok(Offer {
        scope,
        stores,
        words: text(node, "words")?.to_owned(),
    })
}

/// Fields that stand as they came; a screen neutralises them.
const AS_THEY_CAME: [&str; 3] = ["arguments", "session", "call_id"];

/// Whether every text of a document can be shown as it is.
fn hides_nothing(document: &Node) -> Result<(), WireError> {
    let mut rest: Vec<&Node> = Vec::new();
    for entry in document
        .entries()
        .iter()
        .filter(|entry| !AS_THEY_CAME.contains(&entry.key.as_str()))
    {
        rest.push(&entry.node);
    }
    while let Some(node) = rest.pop() {
        match &node.value {
            Value::Text(text) if hides(text) => {
                return Err(WireError::HidesSomething);
            }
            Value::List(items) => rest.extend(items),
            Value::Map(entries) => rest.extend(entries.iter().map(|entry| &entry.node)),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a text has something in it that cannot be seen. The sign of our own titles has a selector behind it, for its colours.
fn hides(text: &str) -> bool {
    text.replace("⚠\u{fe0f}", "⚠")
        .chars()
        .any(|sign| !matches!(sign, '\n' | '\t') && is_hidden(sign))
}

/// How a prompt ended, for the hook.
pub fn ended(prompt: &Prompt, ended: &Ended) -> Node {
    let mut fields = vec![
        ("id", Node::text(&prompt.id)),
        ("digest", Node::text(prompt.operation.digest().to_string())),
    ];
    let word = |word: &str| ("ended", Node::text(word));
    match ended {
        Ended::Answered { answer, by } => {
            fields.extend([word("answered"), ("by", Node::text(by.text()))]);
            fields.extend(choice_fields(&answer.choice));
            fields.extend(answer.note.as_ref().map(|note| ("note", Node::text(note))));
            fields.extend(
                answer
                    .typed
                    .as_ref()
                    .map(|typed| ("typed", Node::text(typed))),
            );
        }
        Ended::TimedOut => fields.push(word("timeout")),
        Ended::Cancelled => fields.push(word("cancelled")),
        Ended::Nobody => fields.push(word("nobody")),
        Ended::Failed(why) => fields.extend([word("failed"), ("why", Node::text(why))]),
    }
    Node::map(fields)
}

/// A choice, as an answer has it.
pub fn choice_fields(choice: &Choice) -> Vec<(&'static str, Node)> {
    match choice {
        Choice::Offer(index) => vec![("choice", Node::text("offer")), ("offer", number(index))],
        Choice::Pattern { text, scope } => {
            vec![
                ("choice", Node::text("pattern")),
                ("pattern", Node::text(text)),
                ("scope", Node::text(scope.word())),
            ]
        }
        Choice::Deny => vec![("choice", Node::text("deny"))],
        Choice::Quit => vec![("choice", Node::text("quit"))],
    }
}

/// The end of a prompt, of a value from the inbox.
///
/// # Errors
/// What is missing or of another kind.
pub fn read_ended(node: &Node) -> Result<Ended, WireError> {
    match text(node, "ended")? {
        "timeout" => Ok(Ended::TimedOut),
        "cancelled" => Ok(Ended::Cancelled),
        "nobody" => Ok(Ended::Nobody),
        "failed" => Ok(Ended::Failed(text(node, "why")?.to_owned())),
        "answered" => {
            let answer = Answer {
                prompt: text(node, "id")?.to_owned(),
                digest: Digest::parse(text(node, "digest")?).ok_or(WireError::NoWord("digest"))?,
                choice: read_choice(node)?,
                note: node.get("note").and_then(Node::as_text).map(str::to_owned),
                typed: node.get("typed").and_then(Node::as_text).map(str::to_owned),
            };
            Ok(Ended::Answered {
                answer,
                by: text(node, "by")?.into(),
            })
        }
        _ => Err(WireError::NoWord("ended")),
    }
}

/// The choice of an answer.
///
/// # Errors
/// What is missing or of another kind.
pub fn read_choice(node: &Node) -> Result<Choice, WireError> {
    let only = |allowed: &[&str]| {
        let others = ["offer", "pattern", "scope"]
            .into_iter()
            .find(|key| !allowed.contains(key) && node.get(key).is_some_and(is_there));
        others.map_or(Ok(()), |key| Err(WireError::NotWithChoice(key)))
    };
    match text(node, "choice")? {
        "offer" => {
            only(&["offer"])?;
            let index = node
                .get("offer")
                .and_then(super::whole)
                .ok_or(WireError::NotANumber("offer"))?;
            Ok(Choice::Offer(
                usize::try_from(index).map_err(|_| WireError::TooLarge("offer"))?,
            ))
        }
        "pattern" => {
            only(&["pattern", "scope"])?;
            let scope = Scope::from_word(text(node, "scope")?).ok_or(WireError::NoWord("scope"))?;
            Ok(Choice::Pattern {
                text: text(node, "pattern")?.to_owned(),
                scope,
            })
        }
        "deny" => only(&[]).map(|()| Choice::Deny),
        "quit" => only(&[]).map(|()| Choice::Quit),
        _ => Err(WireError::NotAChoice),
    }
}

fn is_there(node: &Node) -> bool {
    !matches!(node.value, Value::Null)
}

fn text<'a>(node: &'a Node, key: &'static str) -> Result<&'a str, WireError> {
    let value = node.get(key).ok_or(WireError::Missing(key))?;
    value.as_text().ok_or(WireError::NotText {
        key,
        found: value.kind_word(),
    })
}

fn number(value: impl std::fmt::Display) -> Node {
    Value::Number(value.to_string()).into()
}

fn null() -> Node {
    Value::Null.into()
}

#[cfg(test)]
mod tests {
    use sayso_core::text::{Limits, json};

    use super::*;

    /// The version before wrote these by `question`.
    #[test]
    fn questions_of_the_version_before_are_read() {
        for (text, schema) in [
            (
                include_str!("../../tests/fixtures/question-plain.json"),
                None,
            ),
            (
                include_str!("../../tests/fixtures/question-whole.json"),
                Some(Some(Digest::of_bytes(b"schema"))),
            ),
            (
                include_str!("../../tests/fixtures/question-no-schema.json"),
                Some(None),
            ),
        ] {
            let node = json::read(text, &Limits::default()).unwrap();
            let read = read_question(&node).unwrap();
            let call = read.prompt.operation.call();
            assert_eq!(call.mcp.as_ref().map(|identity| identity.schema), schema);
            let written = question(&read.prompt, 60);
            let again = call_json::read(written.get("call").unwrap()).unwrap();
            assert_eq!(
                Operation::freeze(again).unwrap().digest(),
                read.prompt.operation.digest()
            );
            if schema.is_some() {
                assert_eq!(call.agent.parents, ["parent", "grand"]);
                assert_eq!(
                    (call.batch.as_deref(), call.group.as_deref()),
                    (Some("b"), Some("g"))
                );
            }
        }
    }

    #[test]
    fn what_a_host_keeps_with_a_call_is_not_sent() {
        let text = include_str!("../../tests/fixtures/question-whole.json");
        let node = json::read(text, &Limits::default()).unwrap();
        let read = read_question(&node).unwrap();
        let call = Call {
            metadata: vec![("trace".to_owned(), "token".to_owned())],
            ..read.prompt.operation.call()
        };
        let prompt = Prompt {
            operation: Arc::new(Operation::freeze(call).unwrap()),
            ..read.prompt
        };
        let sent = json::write(&question(&prompt, 60));
        assert!(
            !sent.contains("trace") && !sent.contains("metadata"),
            "{sent}"
        );
    }

    #[test]
    fn a_call_with_a_part_that_is_missing_or_odd_is_no_question() {
        let text = include_str!("../../tests/fixtures/question-whole.json");
        let read = |text: &str| {
            let node = json::read(text, &Limits::default()).unwrap();
            read_question(&node).map(drop)
        };
        for key in [
            "id",
            "tool",
            "args",
            "cwd",
            "workspace",
            "agent",
            "parents",
            "session",
        ] {
            let missing = text.replacen(&format!("\"{key}\":"), "\"other\":", 1);
            assert_eq!(
                read(&missing).map_err(|error| error.to_string()),
                Err(format!("`{key}` is missing"))
            );
        }
        for key in ["id", "parents", "session", "batch", "group", "schema"] {
            let odd = text.replacen(
                &format!("\"{key}\":"),
                &format!("\"{key}\":7,\"x{key}\":"),
                1,
            );
            assert!(read(&odd).is_err(), "{key}");
        }
        assert!(read(&text.replacen("/ws/src", "/ws/other", 1)).is_err());
    }

    #[test]
    fn a_title_of_our_own_hides_nothing_and_anything_else_behind_a_letter_does() {
        assert!(!hides("⚠\u{fe0f} DANGEROUS OPERATION\n\ta"));
        for odd in [
            "a\u{fe0f}",
            "⚠\u{fe0e}",
            "⚠\u{fe0f}\u{fe0f}",
            "\u{202e}",
            "\u{1b}",
        ] {
            assert!(hides(odd), "{odd:?}");
        }
    }
}
