//! A call as JSON, for a held command and for a question that a hook sends to the inbox: one writer and one reader.
//!
//! What a host's own tool says of its call is not written, and of an MCP tool only what counts for the digest. Who reads a call freezes it
//! again and compares the digest.

use sayso_core::call::operation::{Agent, Call, McpIdentity};
use sayso_core::text::digest::Digest;
use sayso_core::text::node::{Node, Value};
use thiserror::Error;

/// Why a value is not a call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the names and messages say it")]
pub enum CallJsonError {
    #[error("`{key}` is missing")]
    Missing { key: &'static str },
    #[error("`{key}` is {is}, not text")]
    NotText { key: &'static str, is: &'static str },
    #[error("`{key}` are no texts")]
    NotTexts { key: &'static str },
    #[error("`metadata` are no pairs of texts")]
    NotPairs,
    #[error("`schema` is no digest")]
    NotADigest,
}

/// The parts of a call, by their names.
pub fn parts(call: &Call) -> Vec<(&'static str, Node)> {
    let list = |items: Vec<Node>| -> Node { Value::List(items).into() };
    let pair = |(name, value): &(String, String)| list(vec![Node::text(name), Node::text(value)]);
    let parents = call.agent.parents.iter().map(Node::text).collect();
    let mut parts = vec![
        ("id", Node::text(&call.id)),
        ("tool", Node::text(&call.tool)),
        ("args", call.args.clone()),
        ("cwd", Node::text(&call.cwd)),
        ("workspace", Node::text(&call.workspace)),
        ("agent", Node::text(&call.agent.name)),
        ("parents", list(parents)),
        ("session", Node::text(&call.session)),
        ("metadata", list(call.metadata.iter().map(pair).collect())),
    ];
    let schema = call.mcp.as_ref().map(|identity| {
        let digest = identity.schema.map(|digest| digest.to_string());
        digest.unwrap_or_default()
    });
    let maybe = [
        ("batch", call.batch.clone()),
        ("group", call.group.clone()),
        ("schema", schema),
    ];
    parts.extend(
        maybe
            .into_iter()
            .filter_map(|(key, text)| Some((key, Node::text(text?)))),
    );
    parts
}

/// The call of a value that has its parts; others beside them are not looked at.
///
/// # Errors
/// What is missing or of another kind. Nothing is guessed.
pub fn read(node: &Node) -> Result<Call, CallJsonError> {
    let part = |key| node.get(key).ok_or(CallJsonError::Missing { key });
    let text = |key| text(key, part(key)?);
    // Versions before wrote null where there is none.
    let maybe = |key| match node.get(key) {
        None => Ok(None),
        Some(node) if matches!(node.value, Value::Null) => Ok(None),
        Some(node) => self::text(key, node).map(Some),
    };
    let parents = list(part("parents")?)
        .and_then(|items| items.iter().map(owned).collect())
        .ok_or(CallJsonError::NotTexts { key: "parents" })?;
    // Versions before sent none to the inbox.
    let metadata = node.get("metadata").map_or(Some(Vec::new()), |node| {
        list(node)?.iter().map(pair).collect()
    });
    Ok(Call {
        id: text("id")?,
        cwd: text("cwd")?,
        agent: Agent {
            name: text("agent")?,
            parents,
        },
        session: text("session")?,
        batch: maybe("batch")?,
        group: maybe("group")?,
        mcp: maybe("schema")?.map(identity).transpose()?,
        metadata: metadata.ok_or(CallJsonError::NotPairs)?,
        ..Call::new(text("tool")?, part("args")?.clone(), text("workspace")?)
    })
}

/// An MCP tool by the digest of its schema, or one that has none.
fn identity(text: String) -> Result<McpIdentity, CallJsonError> {
    let schema = match text.as_str() {
        "" => None,
        text => Some(Digest::parse(text).ok_or(CallJsonError::NotADigest)?),
    };
    Ok(McpIdentity {
        schema,
        ..McpIdentity::default()
    })
}

fn text(key: &'static str, node: &Node) -> Result<String, CallJsonError> {
    owned(node).ok_or(CallJsonError::NotText {
        key,
        is: node.kind_word(),
    })
}

fn owned(node: &Node) -> Option<String> {
    node.as_text().map(str::to_owned)
}

/// The items of a list; none for any other value.
pub(crate) fn list(node: &Node) -> Option<&[Node]> {
    matches!(node.value, Value::List(_)).then(|| node.items())
}

/// A list of two texts.
pub(crate) fn pair(node: &Node) -> Option<(String, String)> {
    match list(node)? {
        [one, other] => Some((owned(one)?, owned(other)?)),
        _ => None,
    }
}
