//! A grant as a value of the journal, and back. What this sayso does not know is no grant.

use std::error::Error;
use std::sync::Arc;

use sayso_core::analysis::risk::Risk;
use sayso_core::answer::grant::{Grant, GrantKey, Reach};
use sayso_core::answer::learned_rule::{LearnedRule, RuleKey};
use sayso_core::call::tool::Kind;
use sayso_core::policy::command_pattern::CommandReader;
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use thiserror::Error as ThisError;

/// Why a value is not a grant.
#[derive(Debug, ThisError)]
#[expect(missing_docs, reason = "the message says it")]
pub enum GrantError {
    #[error("it was made by another version of sayso")]
    OtherVersion,
    #[error("{0}")]
    Rule(Box<dyn Error + Send + Sync>),
}

fn number(number: impl ToString) -> Node {
    Value::Number(number.to_string()).into()
}

fn list(words: &[String]) -> Node {
    Value::List(words.iter().map(Node::text).collect()).into()
}

/// The value of a grant; none for one that is not kept: for one call, or for the rest of a batch.
pub fn write(grant: &Grant) -> Option<Node> {
    let key = match &grant.key {
        GrantKey::Exact(digest) => ("exact", Node::text(digest.to_string())),
        GrantKey::Payload { tool, payload } => (
            "payload",
            Node::map([
                ("tool", Node::text(tool)),
                ("digest", Node::text(payload.to_string())),
            ]),
        ),
        GrantKey::Command { words, folder } => (
            "command",
            Node::map([("words", list(words)), ("folder", Node::text(folder))]),
        ),
        // As earlier versions wrote it.
        GrantKey::Rule(rule) if rule.key() == RuleKey::Command => {
            ("pattern", Node::text(rule.pattern()))
        }
        GrantKey::Rule(rule) => (
            "rule",
            Node::map([(rule.key().word(), Node::text(rule.pattern()))]),
        ),
        GrantKey::Reads(workspace) => ("reads", Node::text(workspace)),
        GrantKey::Edits(workspace) => ("edits", Node::text(workspace)),
        GrantKey::AnyContent { kind, path } => (
            "any_content",
            Node::map([
                ("kind", Node::text(kind.word())),
                ("path", Node::text(path)),
            ]),
        ),
        GrantKey::McpTool {
            server,
            tool,
            schema,
        } => {
            let mut map = vec![("server", Node::text(server)), ("tool", Node::text(tool))];
            map.extend(schema.map(|schema| ("schema", Node::text(schema.to_string()))));
            ("mcp_tool", Node::map(map))
        }
        GrantKey::RestOfBatch => return None,
    };
    let reach = match &grant.reach {
        Reach::Session(session) => ("session", Node::text(session)),
        Reach::Project(workspace) => ("project", Node::text(workspace)),
        Reach::Always => ("always", Value::Bool(true).into()),
        Reach::Once(_) | Reach::Batch(_) => return None,
    };
    let mut map = vec![
        key,
        reach,
        ("agent", Node::text(&grant.agent)),
        ("risk", Node::text(grant.risk.word())),
    ];
    map.extend(grant.expires.map(|end| ("expires", number(end))));
    map.extend(grant.uses_left.map(|left| ("uses", number(left))));
    map.extend(
        grant
            .seal
            .map(|seal| ("seal", Node::text(seal.to_string()))),
    );
    Some(Node::map(map))
}

/// The grant of a value.
///
/// # Errors
/// When the value is none that this version of sayso writes.
pub fn read(id: &str, spec: &Node, reader: &dyn CommandReader) -> Result<Grant, GrantError> {
    // A key that is not known could be a condition.
    const KNOWN: [&str; 17] = [
        "rule",
        "edits",
        "exact",
        "payload",
        "command",
        "pattern",
        "reads",
        "any_content",
        "mcp_tool",
        "session",
        "project",
        "always",
        "agent",
        "risk",
        "expires",
        "uses",
        "seal",
    ];
    if spec
        .entries()
        .iter()
        .any(|entry| !KNOWN.contains(&entry.key.as_str()))
    {
        return Err(GrantError::OtherVersion);
    }
    let optional = |name: &str| match spec.get(name) {
        None => Ok(None),
        Some(node) => node.as_whole().map(Some).ok_or(GrantError::OtherVersion),
    };
    Ok(Grant {
        id: id.to_owned(),
        key: key(spec, reader)?.ok_or(GrantError::OtherVersion)?,
        reach: reach(spec).ok_or(GrantError::OtherVersion)?,
        agent: spec
            .get("agent")
            .and_then(Node::as_text)
            .ok_or(GrantError::OtherVersion)?
            .to_owned(),
        expires: optional("expires")?.map(|end| i64::try_from(end).unwrap_or(i64::MAX)),
        uses_left: optional("uses")?,
        risk: spec
            .get("risk")
            .and_then(Node::as_text)
            .and_then(Risk::from_word)
            .ok_or(GrantError::OtherVersion)?,
        seal: match spec.get("seal") {
            None => None,
            Some(node) => Some(digest(node).ok_or(GrantError::OtherVersion)?),
        },
    })
}

fn digest(node: &Node) -> Option<Digest> {
    Digest::parse(node.as_text()?)
}

fn reach(spec: &Node) -> Option<Reach> {
    let text = |name: &str| {
        spec.get(name).map(|node| {
            node.as_text()
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        })
    };
    match (text("session"), text("project"), spec.get("always")) {
        (Some(session), None, None) => Some(Reach::Session(session?)),
        (None, Some(workspace), None) => Some(Reach::Project(workspace?)),
        (None, None, Some(always)) if always.as_bool() == Some(true) => Some(Reach::Always),
        _ => None,
    }
}

fn key(spec: &Node, reader: &dyn CommandReader) -> Result<Option<GrantKey>, GrantError> {
    const KEYS: [&str; 9] = [
        "exact",
        "payload",
        "command",
        "pattern",
        "rule",
        "reads",
        "edits",
        "any_content",
        "mcp_tool",
    ];
    let mut keys = KEYS
        .iter()
        .filter_map(|name| Some((*name, spec.get(name)?)));
    let (Some((name, node)), None) = (keys.next(), keys.next()) else {
        return Ok(None);
    };
    let (rule, text) = match (name, node.entries()) {
        ("pattern", _) => (Some(RuleKey::Command), node.as_text()),
        ("rule", [entry]) => (RuleKey::from_word(&entry.key), entry.node.as_text()),
        ("rule", _) => return Ok(None),
        _ => return Ok(plain_key(name, node)),
    };
    let (Some(rule), Some(text)) = (rule, text) else {
        return Ok(None);
    };
    let rule = LearnedRule::parse(rule, text, reader);
    let rule = rule.map_err(|error| GrantError::Rule(error.into()))?;
    Ok(Some(GrantKey::Rule(Arc::new(rule))))
}

/// The pattern of a learned rule: the key of a policy file, and what stands behind it. None for every other grant.
pub fn rule(spec: &Node) -> Option<(RuleKey, &str)> {
    match (spec.get("pattern"), spec.get("rule").map(Node::entries)) {
        (Some(pattern), None) => Some((RuleKey::Command, pattern.as_text()?)),
        (None, Some([entry])) => Some((RuleKey::from_word(&entry.key)?, entry.node.as_text()?)),
        _ => None,
    }
}

/// The same learned rule with another pattern.
pub fn with_pattern(spec: &Node, pattern: &str) -> Node {
    Node::map(spec.entries().iter().map(|entry| {
        let node = match entry.key.as_str() {
            "pattern" => Node::text(pattern),
            "rule" => Node::map(
                entry
                    .node
                    .entries()
                    .iter()
                    .map(|inner| (inner.key.clone(), Node::text(pattern))),
            ),
            _ => entry.node.clone(),
        };
        (entry.key.clone(), node)
    }))
}

fn plain_key(name: &str, node: &Node) -> Option<GrantKey> {
    let text = |name: &str| node.get(name).and_then(Node::as_text).map(str::to_owned);
    Some(match name {
        "exact" => GrantKey::Exact(digest(node)?),
        "payload" => GrantKey::Payload {
            tool: text("tool")?,
            payload: digest(node.get("digest")?)?,
        },
        "command" => {
            let words: Option<Vec<String>> = node
                .get("words")?
                .items()
                .iter()
                .map(|word| word.as_text().map(str::to_owned))
                .collect();
            GrantKey::Command {
                words: words.filter(|words| !words.is_empty())?,
                folder: text("folder")?,
            }
        }
        "edits" => GrantKey::Edits(node.as_text().filter(|text| !text.is_empty())?.to_owned()),
        "reads" => GrantKey::Reads(node.as_text().filter(|text| !text.is_empty())?.to_owned()),
        "any_content" => GrantKey::AnyContent {
            kind: Kind::from_word(&text("kind")?)?,
            path: text("path")?,
        },
        "mcp_tool" => GrantKey::McpTool {
            server: text("server")?,
            tool: text("tool")?,
            schema: match node.get("schema") {
                None => None,
                Some(schema) => Some(digest(schema)?),
            },
        },
        _ => return None,
    })
}
