//! A grant as a value of the journal, and back. What this sayso does not know is no grant.

use std::sync::Arc;

use sayso_core::digest::Digest;
use sayso_core::grant::{Grant, GrantKey, Reach};
use sayso_core::node::{Node, Value};
use sayso_core::policy::command::{CommandPattern, CommandReader, Form};
use sayso_core::tool::Kind;
use sayso_core::verdict::Risk;

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
        GrantKey::Payload { tool, payload } => {
            ("payload", Node::map([("tool", Node::text(tool)), ("digest", Node::text(payload.to_string()))]))
        }
        GrantKey::Command { words, folder } => ("command", Node::map([("words", list(words)), ("folder", Node::text(folder))])),
        GrantKey::Pattern(pattern) if pattern.form() == Form::Words => ("pattern", Node::text(&pattern.written)),
        GrantKey::Reads(workspace) => ("reads", Node::text(workspace)),
        GrantKey::Edits(workspace) => ("edits", Node::text(workspace)),
        GrantKey::AnyContent { kind, path } => ("any_content", Node::map([("kind", Node::text(kind.word())), ("path", Node::text(path))])),
        GrantKey::McpTool { server, tool, schema } => {
            let mut map = vec![("server", Node::text(server)), ("tool", Node::text(tool))];
            map.extend(schema.map(|schema| ("schema", Node::text(schema.to_string()))));
            ("mcp_tool", Node::map(map))
        }
        GrantKey::Pattern(_) | GrantKey::RestOfBatch => return None,
    };
    let reach = match &grant.reach {
        Reach::Session(session) => ("session", Node::text(session)),
        Reach::Project(workspace) => ("project", Node::text(workspace)),
        Reach::Always => ("always", Value::Bool(true).into()),
        Reach::Once(_) | Reach::Batch(_) => return None,
    };
    let mut map = vec![key, reach, ("agent", Node::text(&grant.agent)), ("risk", Node::text(grant.risk.word()))];
    map.extend(grant.expires.map(|end| ("expires", number(end))));
    map.extend(grant.uses_left.map(|left| ("uses", number(left))));
    map.extend(grant.seal.map(|seal| ("seal", Node::text(seal.to_string()))));
    Some(Node::map(map))
}

/// The grant of a value.
///
/// # Errors
/// When the value is none that this version of sayso writes.
pub fn read(id: &str, spec: &Node, reader: &dyn CommandReader) -> Result<Grant, String> {
    let unknown = || "it was made by another version of sayso".to_owned();
    // A key that is not known could be a condition.
    const KNOWN: [&str; 16] = [
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
    if spec.entries().iter().any(|entry| !KNOWN.contains(&entry.key.as_str())) {
        return Err(unknown());
    }
    let optional = |name: &str| match spec.get(name) {
        None => Ok(None),
        Some(node) => node.as_whole().map(Some).ok_or_else(unknown),
    };
    Ok(Grant {
        id: id.to_owned(),
        key: key(spec, reader)?.ok_or_else(unknown)?,
        reach: reach(spec).ok_or_else(unknown)?,
        agent: spec.get("agent").and_then(Node::as_text).ok_or_else(unknown)?.to_owned(),
        expires: optional("expires")?.map(|end| i64::try_from(end).unwrap_or(i64::MAX)),
        uses_left: optional("uses")?,
        risk: spec.get("risk").and_then(Node::as_text).and_then(Risk::from_word).ok_or_else(unknown)?,
        seal: match spec.get("seal") {
            None => None,
            Some(node) => Some(digest(node).ok_or_else(unknown)?),
        },
    })
}

fn digest(node: &Node) -> Option<Digest> {
    Digest::parse(node.as_text()?)
}

fn reach(spec: &Node) -> Option<Reach> {
    let text = |name: &str| spec.get(name).map(|node| node.as_text().filter(|text| !text.is_empty()).map(str::to_owned));
    match (text("session"), text("project"), spec.get("always")) {
        (Some(session), None, None) => Some(Reach::Session(session?)),
        (None, Some(workspace), None) => Some(Reach::Project(workspace?)),
        (None, None, Some(always)) if always.as_bool() == Some(true) => Some(Reach::Always),
        _ => None,
    }
}

fn key(spec: &Node, reader: &dyn CommandReader) -> Result<Option<GrantKey>, String> {
    const KEYS: [&str; 8] = ["exact", "payload", "command", "pattern", "reads", "edits", "any_content", "mcp_tool"];
    let mut keys = KEYS.iter().filter_map(|name| Some((*name, spec.get(name)?)));
    let (Some((name, node)), None) = (keys.next(), keys.next()) else { return Ok(None) };
    if name == "pattern" {
        let Some(text) = node.as_text() else { return Ok(None) };
        return Ok(Some(GrantKey::Pattern(Arc::new(CommandPattern::parse(text, Form::Words, reader)?))));
    }
    Ok(plain_key(name, node))
}

fn plain_key(name: &str, node: &Node) -> Option<GrantKey> {
    let text = |name: &str| node.get(name).and_then(Node::as_text).map(str::to_owned);
    Some(match name {
        "exact" => GrantKey::Exact(digest(node)?),
        "payload" => GrantKey::Payload { tool: text("tool")?, payload: digest(node.get("digest")?)? },
        "command" => {
            let words: Option<Vec<String>> = node.get("words")?.items().iter().map(|word| word.as_text().map(str::to_owned)).collect();
            GrantKey::Command { words: words.filter(|words| !words.is_empty())?, folder: text("folder")? }
        }
        "edits" => GrantKey::Edits(node.as_text().filter(|text| !text.is_empty())?.to_owned()),
        "reads" => GrantKey::Reads(node.as_text().filter(|text| !text.is_empty())?.to_owned()),
        "any_content" => GrantKey::AnyContent { kind: Kind::from_word(&text("kind")?)?, path: text("path")? },
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
