//! `tool_rules`, the second table that llm-do had beside the terms of its tools: refused, with what to write in its place.

use crate::text::diagnostic::Diagnostic;
use crate::text::node::{Entry, Node, Value};

/// The refusal of `tool_rules`, with the new spelling of each of its entries.
pub(super) fn migration(entry: &Entry) -> Diagnostic {
    let finding = Diagnostic::error(
        entry.key_span,
        "`tool_rules` is gone: what a tool needs approval for stands with the tool itself",
    );
    let named: Vec<(String, &Node)> = match &entry.node.value {
        _ if entry.key.contains('.') => vec![(
            entry.key.trim_start_matches("tool_rules.").to_owned(),
            &entry.node,
        )],
        Value::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.clone(), &entry.node))
            .collect(),
        Value::List(items) => items.iter().map(|item| (name_of(item), item)).collect(),
        _ => Vec::new(),
    };
    let mut lines: Vec<String> = named
        .iter()
        .map(|(name, node)| spelling(name, node))
        .collect();
    if lines.is_empty() {
        lines = ["sandbox.write", "shell", "send_email"]
            .iter()
            .map(|name| spelling(name, &Value::Null.into()))
            .collect();
    }
    finding.hint(format!("write {}", lines.join("; ")))
}

fn name_of(item: &Node) -> String {
    let named = ["tool", "name", "pattern"]
        .iter()
        .find_map(|key| item.get(key).and_then(Node::as_text));
    named.or(item.as_text()).unwrap_or("TOOL").to_owned()
}

/// How one entry is said now.
fn spelling(name: &str, node: &Node) -> String {
    let flag = |keys: [&str; 3]| {
        keys.iter()
            .find_map(|key| node.get(key).and_then(Node::as_bool))
    };
    let allowed = flag(["allowed", "enabled", "allow"]).unwrap_or(true);
    let approval = flag(["approval", "approval_required", "requires_approval"])
        .or(node.as_bool())
        .unwrap_or(true);
    let new = match name {
        "sandbox.write" | "sandbox.edit" | "write_file" | "edit_file" => {
            let mode = if allowed { "rw" } else { "ro" };
            format!(
                "`sandbox: {{paths: {{NAME: {{root: ./FOLDER, mode: {mode}, write_approval: {approval}}}}}}}`"
            )
        }
        "sandbox.read" | "read_file" | "sandbox.list" | "list_files" => {
            format!(
                "`sandbox: {{paths: {{NAME: {{root: ./FOLDER, mode: ro, read_approval: {approval}}}}}}}`"
            )
        }
        "shell" | "bash" | "terminal" | "shell.run" => {
            format!("`shell: {{default: {{allowed: {allowed}, approval: {approval}}}}}`")
        }
        tool => {
            let action = match (allowed, approval) {
                (false, _) => "deny",
                (true, true) => "ask",
                (true, false) => "allow",
            };
            format!("`rules: [{{{action}: {{tool: {tool}}}}}]`")
        }
    };
    format!("{new} for `{name}`")
}
