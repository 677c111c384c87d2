//! The keys of the systems sayso grew from, translated to ours: `permissions.*` and `core.permissions.*`.
//!
//! A key that is accepted here always has an effect or a warning; none is silently ignored (H-45).

use crate::diagnostic::Diagnostic;
use crate::node::{Entry, Node, Span, Value};
use crate::policy::dotted::insert;
use crate::policy::shape::nearest;

const FIRST: [(&str, &str); 10] = [
    ("enabled", "enabled"),
    ("safe_commands_only", "safe_commands_only"),
    ("approval_timeout", "approval_timeout"),
    ("auto_approve_safe_commands", "auto_approve_safe_commands"),
    ("auto_approve_safe_paths", "auto_approve_safe_paths"),
    ("safe_commands", "safe_commands"),
    ("safe_file_patterns", "safe_path_regexes"),
    ("protected_paths", "protected_paths"),
    ("double_confirm_deletes", "double_confirm_deletes"),
    ("show_approval_stats", "show_approval_stats"),
];

/// Dotted paths below `core.permissions` and where they go; a dot on the right leads into a map.
const FOURTH: [(&str, &str); 14] = [
    ("enabled", "enabled"),
    ("approval_mode", "mode"),
    ("audit_log_enabled", "audit.enabled"),
    ("audit_log_path", "audit.path"),
    ("risk_assessment.high_risk_patterns", "risk.high_patterns"),
    ("risk_assessment.medium_risk_patterns", "risk.medium_patterns"),
    ("risk_assessment.trusted_tools", "trusted_tools"),
    ("risk_assessment.blocked_tools", "blocked_tools"),
    ("risk_assessment.trust_mcp_servers", "trust_mcp_servers"),
    ("risk_assessment.trusted_mcp_servers", "trusted_mcp_servers"),
    ("ui.show_risk_level", "show_risk_level"),
    ("ui.show_matched_pattern", "show_matched_pattern"),
    ("ui.confirmation_timeout", "approval_timeout"),
    ("ui.timeout_response", "timeout_response"),
];

/// Translates the foreign keys of a file; all others stay as they are.
pub fn translate(entries: Vec<Entry>, findings: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut out = Vec::new();
    for entry in entries {
        match entry.key.split('.').next() {
            Some("permissions") => {
                for (path, key_span, node) in leaves(&entry.key, &entry) {
                    permission(path.strip_prefix("permissions.").unwrap_or_default(), key_span, node, &mut out, findings);
                }
            }
            Some("core" | "kollabor") => {
                for (path, key_span, node) in leaves(&entry.key, &entry) {
                    let below = ["core.permissions.", "kollabor.permissions."].iter().find_map(|start| path.strip_prefix(start));
                    match below.and_then(|below| FOURTH.iter().find(|(from, _)| *from == below)) {
                        Some((_, to)) => insert(&mut out, nested(to, key_span, node), findings),
                        None => findings.push(unknown(
                            "core.permissions",
                            below.unwrap_or(&path),
                            key_span,
                            FOURTH.iter().map(|(from, _)| *from),
                        )),
                    }
                }
            }
            _ => insert(&mut out, entry, findings),
        }
    }
    out
}

/// Every value below a key with its dotted path. Maps whose keys are data are values themselves.
fn leaves(start: &str, entry: &Entry) -> Vec<(String, Span, Node)> {
    let mut out = Vec::new();
    let mut open = vec![(start.to_owned(), entry.key_span, entry.node.clone())];
    while let Some((path, span, node)) = open.pop() {
        let whole = path.ends_with("bash.patterns") || path == "permissions.agents";
        let stood = node.span;
        match node.into_value() {
            Value::Map(entries) if !whole => {
                for inner in entries.into_iter().rev() {
                    let key = if path.is_empty() { inner.key } else { format!("{path}.{}", inner.key) };
                    open.push((key, inner.key_span, inner.node));
                }
            }
            value => out.push((path, span, Node { value, span: stood })),
        }
    }
    out
}

/// A key of the first or the third system, which share the namespace `permissions`.
fn permission(path: &str, key_span: Span, node: Node, out: &mut Vec<Entry>, findings: &mut Vec<Diagnostic>) {
    if let Some((_, to)) = FIRST.iter().find(|(from, _)| *from == path) {
        insert(out, nested(to, key_span, node), findings);
        return;
    }
    match path {
        "yolo_mode" => findings
            .push(Diagnostic::warning(key_span, "`yolo_mode` in a file is ignored").hint("it has to be said for one run, as `--yolo`")),
        "edit" => insert(out, nested("defaults.write", key_span, node), findings),
        "webfetch" => insert(out, nested("defaults.fetch", key_span, node), findings),
        "bash" | "bash.default" => insert(out, nested("defaults.command", key_span, node), findings),
        "bash.patterns" => insert(out, nested("rules", key_span, pattern_rules(&node, findings)), findings),
        "agents" => {
            for agent in node.entries() {
                section(&agent.key, "", agent, out, findings);
            }
        }
        path if path.starts_with("agents.") => {
            let rest = path.trim_start_matches("agents.");
            // A name may hold dots; it ends where a key of its section follows.
            let keys = [".edit", ".webfetch", ".bash"];
            let end = keys.iter().filter_map(|key| rest.rfind(key)).max().unwrap_or(rest.len());
            let (name, key) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let entry = Entry { key: name.to_owned(), key_span, node };
            section(name, key.trim_start_matches('.'), &entry, out, findings);
        }
        _ => {
            let known =
                FIRST.iter().map(|(from, _)| *from).chain(["edit", "webfetch", "bash.default", "bash.patterns", "agents", "yolo_mode"]);
            findings.push(unknown("permissions", path, key_span, known));
        }
    }
}

/// The keys of one agent, below `start`.
fn section(name: &str, start: &str, agent: &Entry, out: &mut Vec<Entry>, findings: &mut Vec<Diagnostic>) {
    let mut own = Vec::new();
    for (path, key_span, node) in leaves(start, agent) {
        permission(&path, key_span, node, &mut own, findings);
    }
    let span = agent.node.span;
    let section = Node { value: Value::Map(own), span };
    let agents = Value::Map(vec![Entry { key: name.to_owned(), key_span: agent.key_span, node: section }]);
    insert(out, Entry { key: "agents".into(), key_span: agent.key_span, node: Node { value: agents, span } }, findings);
}

/// `{"git *": allow}` → a rule each.
fn pattern_rules(node: &Node, findings: &mut Vec<Diagnostic>) -> Node {
    let mut rules = Vec::new();
    for entry in node.entries() {
        let Some(action @ ("allow" | "ask" | "deny")) = entry.node.as_text() else {
            findings.push(Diagnostic::error(entry.node.span, "a bash pattern is set to allow, ask or deny"));
            continue;
        };
        let text = |text: &str| Node { value: Value::Text(text.to_owned()), span: entry.key_span };
        let pair = |key: &str, node: Node| Entry { key: key.to_owned(), key_span: entry.key_span, node };
        let form = if entry.key.contains(['*', '?']) { "glob" } else { "exact" };
        let matcher = Node { value: Value::Map(vec![pair("command", text(&entry.key)), pair("as", text(form))]), span: entry.key_span };
        rules.push(Node { value: Value::Map(vec![pair(action, matcher)]), span: entry.key_span });
    }
    Node { value: Value::List(rules), span: node.span }
}

fn nested(path: &str, key_span: Span, node: Node) -> Entry {
    match path.split_once('.') {
        None => Entry { key: path.to_owned(), key_span, node },
        Some((first, rest)) => {
            let span = node.span;
            Entry { key: first.to_owned(), key_span, node: Node { value: Value::Map(vec![nested(rest, key_span, node)]), span } }
        }
    }
}

fn unknown<'a>(namespace: &str, path: &str, span: Span, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let finding = Diagnostic::error(span, format!("`{namespace}` has no key `{path}`"));
    match nearest(path, known) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding,
    }
}
