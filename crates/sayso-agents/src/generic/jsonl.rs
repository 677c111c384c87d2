//! `sayso check --jsonl`: one JSON call a line in, one JSON verdict a line out.

use sayso_core::call::operation::{Agent, Call};
use sayso_core::paths::join;
use sayso_core::text::diagnostic::Diagnostic;
use sayso_core::text::node::{Node, Value};
use sayso_core::text::{Limits, json};
use thiserror::Error as ThisError;

/// What a line does not say.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The current folder.
    pub cwd: String,
    /// The workspace.
    pub workspace: String,
    /// The agent.
    pub agent: String,
}

/// What is wrong with a line.
#[derive(Clone, Debug, ThisError)]
#[allow(missing_docs, reason = "the message of a variant says what it is")]
pub enum LineError {
    #[error("the line is not UTF-8 at byte {0}")]
    NotUtf8(usize),
    #[error("column {}: {}", .0.span.start + 1, .0.message)]
    NotJson(Diagnostic),
    #[error("the line is {0}, not an object")]
    NotObject(&'static str),
    #[error("`{key}` is {found}, not text")]
    NotText { key: String, found: &'static str },
    #[error("`tool` is missing")]
    NoTool,
}

/// A line that is no call, with the id it has, if it can be seen.
#[derive(Clone, Debug)]
pub struct BadLine {
    /// The id as it was written.
    pub id: Node,
    /// What is wrong.
    pub error: LineError,
}

/// Reads one line. The id is given back as it came, so that it can be echoed.
pub fn read(line: &[u8], missing: &Missing) -> Result<(Node, Call), BadLine> {
    let nobody = || Node::from(Value::Null);
    let text = std::str::from_utf8(line).map_err(|error| BadLine {
        id: nobody(),
        error: LineError::NotUtf8(error.valid_up_to() + 1),
    })?;
    let node = json::read(text, &Limits::default()).map_err(|finding| BadLine {
        id: nobody(),
        error: LineError::NotJson(finding),
    })?;
    let id = node
        .get("id")
        .filter(|id| matches!(id.value, Value::Text(_) | Value::Number(_)))
        .cloned()
        .unwrap_or_else(nobody);
    call(&node, &id, missing)
        .map(|call| (id.clone(), call))
        .map_err(|error| BadLine { id, error })
}

fn call(node: &Node, id: &Node, missing: &Missing) -> Result<Call, LineError> {
    let Value::Map(_) = node.value else {
        return Err(LineError::NotObject(node.kind_word()));
    };
    let text = |key: &str| match node.get(key) {
        None => Ok(None),
        Some(value) => match value.as_text() {
            Some(text) => Ok(Some(text)),
            None if matches!(value.value, Value::Null) => Ok(None),
            None => Err(LineError::NotText {
                key: key.to_owned(),
                found: value.kind_word(),
            }),
        },
    };
    let tool = text("tool")?.ok_or(LineError::NoTool)?;
    let args = node
        .get("args")
        .cloned()
        .unwrap_or_else(|| Value::Null.into());
    let workspace = text("workspace")?.map(|folder| join(&missing.cwd, folder));
    let cwd = text("cwd")?.map(|folder| join(&missing.cwd, folder));
    let id = match &id.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        _ => String::new(),
    };
    Ok(Call {
        id,
        tool: tool.to_owned(),
        args,
        // A call that names its workspace and no folder runs at the top of it.
        cwd: cwd
            .or_else(|| workspace.clone())
            .unwrap_or_else(|| missing.cwd.clone()),
        workspace: workspace.unwrap_or_else(|| missing.workspace.clone()),
        agent: Agent {
            name: text("agent")?.unwrap_or(&missing.agent).to_owned(),
            parents: Vec::new(),
        },
        session: text("session")?.unwrap_or_default().to_owned(),
        ..Call::new(tool, Value::Null.into(), "/")
    })
}
