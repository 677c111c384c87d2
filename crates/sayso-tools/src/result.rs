//! What came of one tool call, in the shape that agents know.

use std::time::Duration;

use sayso_core::text::node::{Node, Value};

/// What came of one call.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// Whether the tool did its work.
    pub success: bool,
    /// What the agent gets to see.
    pub output: String,
    /// What went wrong, in words the agent can use; empty where nothing did.
    pub error: String,
    /// Facts besides, such as the exit status or the id of the change that can be undone.
    pub facts: Vec<(&'static str, Node)>,
}

impl ToolResult {
    /// It did its work.
    pub fn done(output: impl Into<String>) -> Self {
        ToolResult {
            success: true,
            output: output.into(),
            error: String::new(),
            facts: Vec::new(),
        }
    }

    /// It did not.
    pub fn failed(error: impl Into<String>) -> Self {
        ToolResult {
            success: false,
            output: String::new(),
            error: error.into(),
            facts: Vec::new(),
        }
    }

    /// With a fact besides.
    pub fn with(mut self, name: &'static str, value: impl Into<Node>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// The whole result: `{tool_id, tool_type, success, output, error, execution_time, …}`.
    pub fn to_node(&self, tool_id: &str, tool_type: &str, took: Duration) -> Node {
        let mut entries = vec![
            ("tool_id", Node::text(tool_id)),
            ("tool_type", Node::text(tool_type)),
            ("success", Value::Bool(self.success).into()),
            ("output", Node::text(&self.output)),
            ("error", Node::text(&self.error)),
            (
                "execution_time",
                Value::Number(format!("{:.3}", took.as_secs_f64())).into(),
            ),
        ];
        entries.extend(self.facts.iter().cloned());
        Node::map(entries)
    }
}
